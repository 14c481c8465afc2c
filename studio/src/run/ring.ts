const NOTHING = new Float64Array();

/** The last rows of a run, column by column. A column is read as one piece, without a copy. */
export class Ring {
  readonly columns: readonly string[];
  private readonly capacity: number;
  private readonly data: Float64Array[];
  /** The places of the oldest row, and behind the newest one, in the whole columns. */
  start = 0;
  end = 0;
  private readonly places: Map<string, number>;

  constructor(columns: readonly string[], capacity: number) {
    this.columns = columns;
    this.capacity = capacity;
    // Twice the room: the newest half moves to the front when the end is reached.
    this.data = columns.map(() => new Float64Array(2 * capacity));
    this.places = new Map(columns.map((name, place) => [name, place]));
  }

  get length(): number {
    return this.end - this.start;
  }

  /** Appends rows that lie one after another; the oldest ones beyond the capacity are forgotten. */
  push(rows: Float64Array): void {
    const { data, columns: { length: width } } = this;
    const count = Math.floor(rows.length / width);
    for (let row = Math.max(0, count - this.capacity); row < count; row++) {
      if (this.end === 2 * this.capacity) {
        for (const column of data) column.copyWithin(0, this.end - this.capacity + 1, this.end);
        this.start = 0;
        this.end = this.capacity - 1;
      }
      for (let place = 0; place < width; place++) data[place]![this.end] = rows[row * width + place]!;
      this.end += 1;
      if (this.end - this.start > this.capacity) this.start += 1;
    }
  }

  has(name: string): boolean {
    return this.places.has(name);
  }

  /** The values of a column, oldest first; empty if there is no such column. */
  column(name: string): Float64Array {
    return this.whole(name).subarray(this.start, this.end);
  }

  /** The array of a column, which stays as long as the ring lives. Its rows from `start` to `end` are valid. */
  whole(name: string): Float64Array {
    const place = this.places.get(name);
    return place === undefined ? NOTHING : this.data[place]!;
  }

  /** The newest value of a column, NaN before the first row. */
  last(name: string): number {
    return this.length === 0 ? NaN : (this.whole(name)[this.end - 1] ?? NaN);
  }

  /** The place of the last row at or before `time`, -1 if there is none. */
  at(time: number): number {
    const times = this.whole("time");
    let low = this.start;
    let high = this.end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle]! <= time + 1e-9) low = middle + 1;
      else high = middle;
    }
    return low > this.start ? low - 1 : -1;
  }
}
