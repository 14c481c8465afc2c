/** Changes, step by step, to be undone and redone; a bounded number of them. */

/** One change: the state before it, the state after it, and words for it. */
export interface Step<State> {
  before: State;
  after: State;
  what: string;
}

/** Steps that are kept, and the sum of their sizes: a scenario has a few thousand letters, a large one a million. */
const [MOST_STEPS, MOST_SIZE] = [200, 16e6];

export class History<State> {
  private past: Step<State>[] = [];
  private future: Step<State>[] = [];

  constructor(
    private readonly size: (state: State) => number,
    private readonly most = { steps: MOST_STEPS, size: MOST_SIZE },
  ) {}

  /** The last change; undefined if there is none. */
  get last(): Step<State> | undefined {
    return this.past.at(-1);
  }

  /** The change that redo would make. */
  get next(): Step<State> | undefined {
    return this.future.at(-1);
  }

  /** Adds a change. With `join` it is one step with the last change. */
  add(step: Step<State>, join = false): void {
    const { last } = this;
    if (join && last) this.past[this.past.length - 1] = { ...step, before: last.before };
    else this.past.push(step);
    this.future = [];
    const sizes = this.past.map(({ before, after }) => this.size(before) + this.size(after));
    let size = sizes.reduce((sum, one) => sum + one, 0);
    // The last change can always be undone.
    while (this.past.length > 1 && (this.past.length > this.most.steps || size > this.most.size)) {
      size -= sizes[sizes.length - this.past.length]!;
      this.past.shift();
    }
  }

  /** Takes the last change back; the state before it. */
  undo(): State | undefined {
    const step = this.past.pop();
    if (step) this.future.push(step);
    return step?.before;
  }

  /** Makes the change again that was undone last; the state after it. */
  redo(): State | undefined {
    const step = this.future.pop();
    if (step) this.past.push(step);
    return step?.after;
  }

  clear(): void {
    this.past = [];
    this.future = [];
  }
}
