/** Light or dark: as the system says, until the switch is used. Large type for a lecture. */

const system = matchMedia("(prefers-color-scheme: dark)");

/** The size of type and pictures is `scale` times the usual one. A narrow window is that of a telephone. */
export const theme = $state({ dark: system.matches, lecture: false, narrow: false, scale: 1, version: 0 });
export const still = matchMedia("(prefers-reduced-motion: reduce)");

/** The root's font size (px), from which all sizes follow. */
const USUAL_PX = 14;
/** The width of a window in a lecture, in the root's font size, and the least enlargement. */
const LECTURE = { rem: 66.5, least: 1.1 };
/** Widths (in the root's font size) below which the page is laid out otherwise; below the last one, for a telephone. */
const LIMITS = [84, 79, 64, 57] as const;

let chosen = false;

function fit(): void {
  theme.narrow = innerWidth < LIMITS[3] * USUAL_PX;
  const scale = theme.lecture && !theme.narrow ? Math.max(LECTURE.least, innerWidth / (LECTURE.rem * USUAL_PX)) : 1;
  // Queries of containers would do, but those in a font size that changes are not asked again.
  document.documentElement.dataset.below = LIMITS.filter((limit) => innerWidth < limit * USUAL_PX * scale).join(" ");
  if (scale === theme.scale) return;
  theme.scale = scale;
  document.documentElement.style.fontSize = `${USUAL_PX * scale}px`;
  theme.version += 1;
}

/** Large type: on a projector the width of the window is that of the wall, whatever its pixels. */
export function switchLecture(on = !theme.lecture): void {
  theme.lecture = on;
  fit();
}

/** Pixels of the screen for a length of 1 in a picture. */
export function dots(): number {
  return devicePixelRatio * theme.scale;
}

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
  addEventListener("resize", fit);
  fit();
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
