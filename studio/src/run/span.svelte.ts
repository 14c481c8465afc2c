/** A span of time in which the numbers count. The run is repeated for it, so that they are those of its packets. */
import type { Mark, Reply, Request } from "../core/protocol";
import type { Resolved } from "../core/scenario";
import { startWorker } from "./run";

/** A hand that moves an end is not kept waiting (ms). */
const PAUSE = 150;

/** Both ends of the span in one run, and the fairness within. */
export interface Repeated {
  columns: string[];
  from: Mark;
  to: Mark;
  jain: number;
}

export class Span {
  /** From when to when (s); undefined: all of the time since the last change. */
  range = $state.raw<[from: number, to: number] | undefined>();
  /** By letter; undefined as long as a run is not repeated. */
  repeated = $state.raw<(Repeated | undefined)[]>([]);
  /** How much of the runs has been repeated, from 0 to 1; undefined once all have. */
  part = $state.raw<number | undefined>();
  private worker: Worker | undefined;
  private id = 0;
  private left = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private shown: { text: string; variants: readonly Resolved[] } = { text: "", variants: [] };

  /** Another scenario, in which the same span counts. */
  show(text: string, variants: readonly Resolved[]): void {
    this.shown = { text, variants };
    if (this.range) this.ask();
  }

  /** Counts between these instants (s), in whichever order they are. */
  set(one: number, other: number): void {
    this.range = [Math.max(0, Math.min(one, other)), Math.max(one, other)];
    this.ask();
  }

  clear(): void {
    this.range = undefined;
    this.stop();
  }

  private stop(): void {
    clearTimeout(this.timer);
    // What it computes is not wanted any more.
    if (this.left > 0) {
      this.left = 0;
      this.worker?.terminate();
      this.worker = undefined;
    }
    this.part = undefined;
    this.repeated = [];
  }

  private ask(): void {
    this.stop();
    this.part = 0;
    this.timer = setTimeout(() => this.repeat(), PAUSE);
  }

  private repeat(): void {
    if (!this.range) return;
    const [from, to] = this.range;
    const { text, variants } = this.shown;
    if (!this.worker) {
      this.worker = startWorker();
      this.worker.onmessage = (event: MessageEvent<Reply>) => this.receive(event.data);
    }
    this.id += 1;
    this.left = variants.length;
    variants.forEach(({ variant, place: port }, place) =>
      this.worker!.postMessage({ kind: "span", id: this.id, place, text, name: "scenario", variant, port, from, to } satisfies Request),
    );
  }

  private receive(reply: Reply): void {
    if (!("id" in reply) || reply.id !== this.id || !this.range) return;
    const { length } = this.shown.variants;
    if (reply.kind === "counting") this.part = (reply.place + reply.part) / length;
    else if (reply.kind === "span") {
      const repeated = [...this.repeated];
      repeated[reply.place] = reply;
      this.repeated = repeated;
      this.left -= 1;
      this.part = this.left > 0 ? (reply.place + 1) / length : undefined;
    } else if (reply.kind === "trap" || reply.kind === "problem") {
      this.left = 0;
      this.part = undefined;
    }
  }
}
