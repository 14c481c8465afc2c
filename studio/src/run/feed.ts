/**
 * A live run in place of a simulation: rows that `weir live --studio` measures, over a socket of this machine. To a run
 * it is a worker that has as much as has come.
 */
import type { Reply, Request } from "../core/protocol";

/** The part of a worker that a run uses. */
export type Source = Pick<Worker, "onerror" | "onmessage" | "postMessage" | "terminate">;

/** The first message: the scenario, the names of the values in a row, and which variant is the live one. */
export interface Head {
  text: string;
  columns: string[];
  variant: string;
}

type Answer = Extract<Reply, { kind: "rows" }>;

export class Feed {
  private rows: Float64Array[] = [];
  private ended = false;
  private readonly listeners = new Set<() => void>();

  private constructor(
    readonly head: Head,
    socket: WebSocket,
  ) {
    socket.onmessage = (event: MessageEvent<ArrayBuffer>) => {
      this.rows.push(new Float64Array(event.data));
      this.tell();
    };
    socket.onclose = () => {
      this.ended = true;
      this.tell();
    };
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }

  /** Opens the feed of the live run at this port of the machine; `token` shows that the page may see it. */
  static open(port: number, token: string): Promise<Feed> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/${token}`);
    socket.binaryType = "arraybuffer";
    return new Promise((resolve, reject) => {
      socket.onmessage = (event: MessageEvent<string>) => resolve(new Feed(JSON.parse(event.data) as Head, socket));
      socket.onclose = () => reject(new Error("the live run does not answer: it may have ended"));
    });
  }

  /** A worker that begins at the first row. */
  source(): Source {
    const { columns } = this.head;
    let id = 0;
    let sent = 0;
    let wanted = false;
    const source: Source = { onerror: null, onmessage: null, postMessage: ask, terminate: () => this.listeners.delete(answer) };
    const send = (data: Reply): void => {
      source.onmessage?.call(source as Worker, new MessageEvent("message", { data }));
    };
    const answer = (): void => {
      if (!wanted || (sent === this.rows.length && !this.ended)) return;
      wanted = false;
      const rows = join(this.rows.slice(sent));
      sent = this.rows.length;
      const now = this.rows.at(-1)?.at(-columns.length) ?? 0;
      const nothing = { here: null, lately: null, marks: [], jain: NaN, steps: null, mechanism: null, window: null, going: false };
      send({ kind: "rows", id, now, rows, ended: this.ended, ...nothing } satisfies Answer);
    };
    function ask(request: Request): void {
      if (request.kind === "load") {
        id = request.id;
        sent = 0;
        queueMicrotask(() => send({ kind: "loaded", id, columns }));
      } else if (request.kind === "sample") {
        wanted = true;
        queueMicrotask(answer);
      }
    }
    this.listeners.add(answer);
    return source;
  }
}

function join(parts: Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let place = 0;
  for (const part of parts) {
    all.set(part, place);
    place += part.length;
  }
  return all;
}
