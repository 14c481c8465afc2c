/** So many acts in so much time, and no more. */
export class Budget {
  private readonly times: number[] = [];

  /** At most `most` acts in any `span` (ms). */
  constructor(
    private readonly most: number,
    private readonly span: number,
  ) {}

  /** Takes one act at `now` (ms) and returns 0, or returns how long to wait (ms). */
  take(now: number): number {
    while (this.times.length > 0 && this.times[0]! <= now - this.span) this.times.shift();
    if (this.times.length >= this.most) return this.times[0]! + this.span - now;
    this.times.push(now);
    return 0;
  }
}
