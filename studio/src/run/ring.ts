/**
 * The rows of a run, in the order of time, column by column; a column is read as one piece, without a copy. The newest rows
 * stay as they came. Of older ones so many are kept as fit, at equal distances: a distance doubles when its room is full.
 *
 * A sum since the start is exact at each row that is kept, and so is its growth between two of them: a mean, a rate. A
 * level, such as the queue, also keeps its least and its greatest value among the rows that one row stands for.
 */
const NOTHING = new Float64Array();

/** The distance of old rows to begin with (s): less than that of any rows that are not of slow motion. */
const FINEST = 1 / 512;
/** Values that only grow, beside those whose envelope nobody draws. */
const SUMS = /(^time|\.(departures|bytes|drops|marks|waited|came|at_hand|peak))$/;

export class Ring {
  readonly columns: readonly string[];
  /** Newest rows that stay as they came, and old rows at most. */
  private readonly recent: number;
  private readonly room: number;
  private readonly data: Float64Array[];
  private readonly places: Map<string, number>;
  /** Least and greatest values, of columns that are levels. */
  private readonly lows: (Float64Array | undefined)[];
  private readonly highs: (Float64Array | undefined)[];
  /** Old rows; behind them are the newest. */
  private old = 0;
  /** The place behind the newest row. */
  end = 0;
  /** The distance of old rows, if any are thinned (s). */
  private step = FINEST;
  private thinned = 0;

  constructor(columns: readonly string[], recent: number, room = recent) {
    this.columns = columns;
    this.recent = recent;
    this.room = room;
    const all = (): Float64Array => new Float64Array(room + recent + Math.ceil(recent / 2));
    this.data = columns.map(all);
    this.lows = columns.map((name) => (SUMS.test(name) ? undefined : all()));
    this.highs = this.lows.map((lows) => lows && all());
    this.places = new Map(columns.map((name, place) => [name, place]));
  }

  get length(): number {
    return this.end;
  }

  /** Bytes of all rows that there is room for. */
  get bytes(): number {
    return [...this.data, ...this.lows, ...this.highs].reduce((sum, column) => sum + (column?.byteLength ?? 0), 0);
  }

  /** The distance of rows that stand for others as well (s), and the time up to which there are such; 0 without. */
  get coarse(): { step: number; until: number } {
    return { step: this.thinned > 0 ? this.step : 0, until: this.thinned };
  }

  /** Appends rows that lie one after another. Those that are not later than the newest one are known. */
  push(rows: Float64Array): void {
    const { data, lows, highs, columns: { length: width } } = this; // prettier-ignore
    const count = Math.floor(rows.length / width);
    const time = this.places.get("time") ?? 0;
    const known = this.end > 0 ? data[time]![this.end - 1]! + 1e-9 : -Infinity;
    for (let row = 0; row < count; row++) {
      if (rows[row * width + time]! <= known) continue;
      if (this.end === data[0]!.length) this.age();
      for (let place = 0; place < width; place++) {
        const value = rows[row * width + place]!;
        data[place]![this.end] = value;
        const low = lows[place];
        if (low) low[this.end] = highs[place]![this.end] = value;
      }
      this.end += 1;
    }
  }

  /** Makes room: all rows but the newest are old. */
  private age(): void {
    const newest = this.end - this.recent;
    let kept = this.thin(this.old, newest, this.old);
    while (kept > this.room) {
      this.step *= 2;
      kept = this.thin(0, kept, 0);
    }
    for (const column of [...this.data, ...this.lows, ...this.highs]) column?.copyWithin(kept, newest, this.end);
    this.old = kept;
    this.end = kept + this.recent;
  }

  /** Joins rows from `from` to `to` with those that end at `kept`, one for each step; the number of rows kept. */
  private thin(from: number, to: number, kept: number): number {
    const { data, lows, highs, step } = this;
    const times = this.whole("time");
    for (let row = from; row < to; row++) {
      const joins = kept > 0 && Math.ceil(times[row]! / step - 1e-6) === Math.ceil(times[kept - 1]! / step - 1e-6);
      if (joins) this.thinned = Math.max(this.thinned, times[row]!);
      const place = joins ? kept - 1 : kept++;
      for (let column = 0; column < data.length; column++) {
        data[column]![place] = data[column]![row]!;
        const [low, high] = [lows[column], highs[column]];
        if (!low || !high) continue;
        low[place] = joins ? least(low[place]!, low[row]!) : low[row]!;
        high[place] = joins ? -least(-high[place]!, -high[row]!) : high[row]!;
      }
    }
    return kept;
  }

  has(name: string): boolean {
    return this.places.has(name);
  }

  /** The values of a column, oldest first; empty if there is no such column. */
  column(name: string): Float64Array {
    return this.whole(name).subarray(0, this.end);
  }

  /** The array of a column, which stays as long as this lives. Its rows before `end` are valid. */
  whole(name: string): Float64Array {
    const place = this.places.get(name);
    return place === undefined ? NOTHING : this.data[place]!;
  }

  /** The least and the greatest values of a level, as whole columns; undefined for a sum. */
  envelope(name: string): [low: Float64Array, high: Float64Array] | undefined {
    const place = this.places.get(name) ?? -1;
    const [low, high] = [this.lows[place], this.highs[place]];
    return low && high && [low, high];
  }

  /** The newest value of a column, NaN before the first row. */
  last(name: string): number {
    return this.value(name, this.end - 1);
  }

  /** The value of a column in one row, NaN if there is none. */
  value(name: string, row: number): number {
    return row < 0 ? NaN : (this.whole(name)[row] ?? NaN);
  }

  /** The place of the last row at or before `time`, -1 if there is none. */
  at(time: number): number {
    const times = this.whole("time");
    let low = 0;
    let high = this.end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle]! <= time + 1e-9) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** The lesser one; NaN only if both are. */
function least(one: number, other: number): number {
  return other < one || Number.isNaN(one) ? other : one;
}
