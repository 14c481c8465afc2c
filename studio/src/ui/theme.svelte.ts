/** Light or dark: as the system says, until the switch is used. */

const system = matchMedia("(prefers-color-scheme: dark)");

export const theme = $state({ dark: system.matches, version: 0 });
export const still = matchMedia("(prefers-reduced-motion: reduce)");

let chosen = false;

function apply(): void {
  document.documentElement.dataset.theme = theme.dark ? "dark" : "light";
  theme.version += 1;
}

/** Follows the system, unless a page that holds this one asks for `wanted`. */
export function followSystem(wanted: string | null): void {
  if (wanted === "dark" || wanted === "light") {
    chosen = true;
    theme.dark = wanted === "dark";
  }
  system.addEventListener("change", () => {
    if (chosen) return;
    theme.dark = system.matches;
    apply();
  });
  apply();
}

export function switchTheme(): void {
  chosen = true;
  theme.dark = !theme.dark;
  apply();
}

export interface Palette {
  ink: string;
  soft: string;
  line: string;
  ground: string;
  target: string;
  drop: string;
  accent: string;
  variants: string[];
}

let known: Palette | undefined;
let knownAt = -1;

/** The colours of the page, for what is drawn by hand. */
export function palette(): Palette {
  if (known && knownAt === theme.version) return known;
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  knownAt = theme.version;
  return (known = {
    ink: of("ink"),
    soft: of("soft"),
    line: of("line"),
    ground: of("ground"),
    target: of("target"),
    drop: of("drop"),
    accent: of("accent"),
    variants: [of("a"), of("b"), of("c")],
  });
}
