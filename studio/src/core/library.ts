/** Scenarios to choose from: those that Weir's package brings, as they are. */
import start from "./start.toml?raw";

const templates = import.meta.glob<string>("../../../python/weir/templates/*.toml", { query: "?raw", import: "default", eager: true });
const bundled = import.meta.glob<string>("../../../python/weir/scenarios/*.toml", { query: "?raw", import: "default", eager: true });

export interface Choice {
  id: string;
  title: string;
  text: string;
}

export const START = start;

function choices(files: Record<string, string>, prefix: string): Choice[] {
  return Object.entries(files).map(([path, text]) => {
    const name = path.replace(/^.*\/|\.toml$/g, "");
    return { id: `${prefix}/${name}`, title: /^title\s*=\s*"(.*)"/m.exec(text)?.[1] ?? name, text };
  });
}

export const LIBRARY: { label: string; choices: Choice[] }[] = [
  { label: "Start", choices: [{ id: "start", title: "Bufferbloat: DropTail beside CoDel", text: START }] },
  { label: "Templates", choices: choices(templates, "template") },
  { label: "Scenarios", choices: choices(bundled, "scenario") },
];
