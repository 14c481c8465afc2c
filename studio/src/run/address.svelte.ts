/** The state of the page in its address, and the history of the browser. */
import { Budget } from "../core/budget";
import { entry } from "../core/entry";
import { learn, OWN, parseLesson } from "../core/lessons";
import { problemOf } from "../core/protocol";
import { encode, pack, RefusedLink, USUAL_INNER, USUAL_SPEED, type Shared } from "../core/share";
import { START_ID, UnknownName, wanted, type Wanted } from "../core/wanted";
import { session } from "./session.svelte";

/** The address follows a change after this time without another one (ms). */
const QUIET = 400;
/** Chromium takes 200 new addresses in 30 s, Safari 100. */
const [MOST_WRITES, WRITES_MS] = [90, 30_000];

class Address {
  /** The entry that the scenario began as; empty for another scenario. */
  chosen = $state.raw("");
  /** Why the address that was asked for cannot be shown. */
  problem = $state.raw<string | undefined>();
  private readonly budget = new Budget(MOST_WRITES, WRITES_MS);
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Addresses are packed one after the other. */
  private queue: Promise<void> = Promise.resolve();
  /** Number of the entry in the browser's history that is shown: what belongs to another is not written. */
  private visit = 0;
  /** The state that the address has. */
  private written = "";

  /** Everything that a link holds. */
  get state(): Shared {
    const { speed } = session.playback;
    const { text, shown, inner, window: span } = session;
    const from = this.chosen === "" ? {} : { from: this.chosen };
    return { text, shown, speed: speed === Infinity ? null : speed, ...from, inner, span, ...(session.changes.fromNow ? {} : { whole: true }), ...(session.mechanism ? { mechanism: true } : {}) };
  }

  /** True if nothing has been changed since the entry was chosen. */
  isPlain({ text, shown, speed, from, inner, span, whole, mechanism }: Shared): boolean {
    const first = from === undefined ? undefined : entry(from);
    const usual = JSON.stringify(session.usual) === JSON.stringify(shown) && speed === USUAL_SPEED && span === 0 && whole !== true && mechanism !== true;
    return first?.text === text && usual && inner === (first.inner ?? USUAL_INNER);
  }

  /** The state as a fragment with "#"; empty for the start. */
  async fragment(): Promise<string> {
    const { state } = this;
    if (!this.isPlain(state)) return `#${await encode(state)}`;
    return this.short;
  }

  /** The fragment of the entry as it was before any change; empty for the start. */
  get short(): string {
    return this.chosen === START_ID ? "" : `#${this.chosen}`;
  }

  /** Shows what the address asks for, when the page opens. Throws a `RefusedLink`. */
  async begin(): Promise<void> {
    let first: Wanted = { id: START_ID };
    try {
      first = await wanted(location.hash);
    } catch (error) {
      if (!(error instanceof UnknownName)) throw error;
      this.problem = error.message;
    }
    if (!this.show(first)) {
      const { problem, draft } = session;
      this.show({ id: START_ID });
      // The error of a link is said, beside its text.
      Object.assign(session, { problem, draft });
    }
    this.listen();
  }

  /** Begins to follow the browser's Back and Forward, and addresses that are typed. */
  listen(): void {
    this.written = JSON.stringify(this.state);
    addEventListener("hashchange", () => void this.go());
  }

  /** Another scenario of the page: a new entry in the history of the browser. */
  choose(id: string): void {
    this.leave();
    const again = id === this.chosen;
    const found = entry(id);
    if (!found || !this.opened(id, found.inner ?? USUAL_INNER, found.text)) return;
    this.put(!again);
    session.playback.play();
  }

  /** A scenario or a lesson of the user; `file` is its name. */
  async openText(text: string, file: string): Promise<void> {
    if (file.endsWith(".md")) {
      try {
        parseLesson(text, file);
        const id = OWN + (await pack(text));
        await learn(id);
        this.choose(id);
      } catch (error) {
        session.problem = problemOf(error);
      }
      return;
    }
    this.leave();
    if (!this.opened("", USUAL_INNER, text)) return;
    this.put(true);
    session.playback.play();
  }

  /** The address follows a change of the state, soon. */
  follow(state: Shared): void {
    if (!session.feed && JSON.stringify(state) !== this.written) this.later(QUIET);
  }

  /** Forgets an address that could not be read: the address is again that of what is shown. */
  restore(): void {
    this.problem = undefined;
    this.put(false);
  }

  private opened(id: string, inner: string, text: string): boolean {
    if (!session.open(text)) return false;
    this.problem = undefined;
    this.name(id);
    session.inner = inner;
    return true;
  }

  /** The entry that is open from now on. */
  private name(id: string): void {
    this.chosen = id;
    session.course.open(id);
  }

  /** Shows a scenario by its name, with the page as it is at first, or a state. Returns false if it is no valid scenario. */
  private show(what: Wanted): boolean {
    const found = "id" in what ? entry(what.id)! : undefined;
    const state: Partial<Shared> = "id" in what ? { speed: USUAL_SPEED, from: what.id } : what.state;
    const from = state.from === undefined ? undefined : entry(state.from);
    if (!session.open(found?.text ?? state.text ?? "", found ? undefined : state.shown, from?.text)) return false;
    this.name(from ? state.from! : "");
    session.inner = state.inner ?? from?.inner ?? USUAL_INNER;
    session.window = state.span ?? 0;
    session.changes.fromNow = state.whole !== true;
    session.mechanism = state.mechanism === true;
    session.playback.setSpeed(state.speed ?? Infinity);
    return true;
  }

  /** The browser has gone to another address. */
  private async go(): Promise<void> {
    // A live run has a page of its own.
    if (session.feed || location.hash.startsWith("#live=")) {
      location.reload();
      return;
    }
    clearTimeout(this.timer);
    const visit = (this.visit += 1);
    try {
      const next = await wanted(location.hash);
      if (visit !== this.visit) return;
      this.problem = undefined;
      if (this.show(next)) session.playback.play();
      this.written = JSON.stringify(this.state);
    } catch (error) {
      if (!(error instanceof RefusedLink)) throw error;
      if (visit === this.visit) this.problem = error.message;
    }
  }

  /** The entry of the history that is left keeps its last changes. */
  private leave(): void {
    if (this.timer !== undefined) this.flush();
  }

  private later(wait: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), wait);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (JSON.stringify(this.state) !== this.written) this.put(false);
  }

  /** Writes the state into the address, with `push` as a new entry of the history. */
  private put(push: boolean): void {
    const wait = this.budget.take(performance.now());
    if (wait > 0) {
      this.later(wait);
      return;
    }
    this.written = JSON.stringify(this.state);
    const { visit } = this;
    const fragment = this.fragment();
    this.queue = this.queue.then(async () => {
      try {
        const url = location.pathname + location.search + (await fragment);
        if (visit !== this.visit) return;
        if (push) history.pushState(null, "", url);
        else history.replaceState(null, "", url);
      } catch {
        // The scenario may be too long, or a page that holds this one may forbid it: the address stays.
      }
    });
  }
}

export const address = new Address();
