/** Scenarios to choose from: those that Weir's package brings, as they are. */
import { parse } from "../../pkg/weir_wasm.js";
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
    return { id: `${prefix}/${name}`, title: (JSON.parse(parse(text)) as { title?: string }).title ?? name, text };
  });
}

let parts: { label: string; choices: Choice[] }[] | undefined;

/** Scenarios to choose from, part by part. */
export function library(): { label: string; choices: Choice[] }[] {
  parts ??= [
    { label: "Start", choices: [{ id: "start", title: "Bufferbloat: DropTail beside CoDel", text: START }] },
    { label: "Templates", choices: choices(templates, "template") },
    { label: "Scenarios", choices: choices(bundled, "scenario") },
  ];
  return parts;
}
