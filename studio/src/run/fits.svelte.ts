/** Scales of sliders and refused choices of the text, as the page shows them: looked up once for each text. */
import { fitted, refusal, type Scale } from "../core/controls";

/** After this time (ms) without another text, what is known of a text before is looked up anew. */
const PAUSE = 150;

interface Fitted {
  of: string;
  text: string;
  low: number;
  high: number;
}

interface Scenario {
  readonly text: string;
  readonly shown: (string | null)[];
}

export class Fits {
  private readonly ends = new Map<string, Fitted>();
  private readonly reasons = new Map<string, { text: string; reason: string | undefined }>();
  /** The last text that stood still. */
  private calm = $state.raw("");
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly scenario: Scenario) {}

  /** Forgets what is known of another scenario. */
  clear(): void {
    this.ends.clear();
    this.reasons.clear();
  }

  /** A scale as far as the scenario is valid. While a hand moves a slider, the ends of all stay where they are. */
  scale(one: Scale): Scale {
    const { text, shown } = this.scenario;
    const key = one.paths.join();
    const of = [one.low, one.high, one.base, shown.join()].join();
    let known = this.ends.get(key);
    if (known?.of !== of || !this.isGood(known.text)) {
      const { low, high } = fitted(text, shown, one);
      known = { of, text, low, high };
      this.ends.set(key, known);
    }
    return { ...one, low: Math.min(known.low, one.value), high: Math.max(known.high, one.value) };
  }

  /** Why `change` is refused, if it is; `key` says what it changes to what. */
  refused(key: string, change: (text: string) => string): string | undefined {
    const { text, shown } = this.scenario;
    let known = this.reasons.get(key);
    if (!known || !this.isGood(known.text)) {
      known = { text, reason: refusal(shown, () => change(text)) };
      this.reasons.set(key, known);
    }
    return known.reason;
  }

  /** Returns true if what is known of this text is good enough for now. */
  private isGood(text: string): boolean {
    const now = this.scenario.text;
    if (text === now) return true;
    if (this.calm === now) return false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.calm = this.scenario.text), PAUSE);
    return true;
  }
}
