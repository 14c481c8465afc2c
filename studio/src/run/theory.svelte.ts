/** Fluid models of the variants that are shown, computed beside the runs. */
import type { Reply, Request } from "../core/protocol";
import type { Resolved } from "../core/scenario";
import { Ring } from "./ring";
import { startWorker } from "./run";

/** Rows of a whole run. */
const ROWS = 5000;
/** A hand that moves a slider is not kept waiting (ms). */
const PAUSE = 100;

/** A model over time, or why there is none. */
export interface Fluid {
  ring: Ring;
  /** The end (s). */
  now: number;
}

export class Theory {
  on = $state.raw(false);
  /** By variant, in the order of the letters. */
  fluids: (Fluid | undefined)[] = [];
  /** Why a variant has none, by letter. */
  reasons = $state.raw<(string | undefined)[]>([]);
  private worker: Worker | undefined;
  private id = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private wanted: { text: string; variants: readonly Resolved[]; duration: number } | undefined;

  /** Another scenario; what was computed stays until the new model has come. */
  show(text: string, variants: readonly Resolved[], duration: number): void {
    this.wanted = { text, variants, duration };
    if (this.fluids.length > variants.length) this.fluids.length = variants.length;
    clearTimeout(this.timer);
    if (this.on) this.timer = setTimeout(() => this.ask(), PAUSE);
  }

  toggle(): void {
    this.on = !this.on;
    this.fluids = [];
    this.reasons = [];
    if (this.on) this.ask();
    else this.worker?.terminate();
    if (!this.on) this.worker = undefined;
  }

  private ask(): void {
    if (!this.wanted) return;
    const { text, variants, duration } = this.wanted;
    if (!this.worker) {
      this.worker = startWorker();
      this.worker.onmessage = (event: MessageEvent<Reply>) => this.receive(event.data);
    }
    this.id += 1;
    this.reasons = this.reasons.slice(0, variants.length);
    variants.forEach(({ variant }, place) =>
      this.worker!.postMessage({ kind: "fluid", id: this.id, place, text, name: "scenario", variant, every: duration / ROWS } satisfies Request),
    );
  }

  private receive(reply: Reply): void {
    if (reply.kind !== "fluid" || reply.id !== this.id) return;
    const { place, columns, rows } = reply;
    let fluid: Fluid | undefined;
    if (rows) {
      const ring = new Ring(columns, ROWS + 1, 0);
      ring.push(rows);
      fluid = { ring, now: ring.last("time") };
    }
    this.fluids[place] = fluid;
    const reasons = [...this.reasons];
    reasons[place] = reply.reason;
    this.reasons = reasons;
  }
}

