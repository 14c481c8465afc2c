import "uplot/dist/uPlot.min.css";
import "./ui/page.css";
import { mount } from "svelte";
import { entry } from "./core/entry";
import { loadModule } from "./core/module";
import { decode } from "./core/share";
import { animate, frames, session } from "./run/session.svelte";
import App from "./ui/App.svelte";
import { followSystem, still } from "./ui/theme.svelte";

const query = new URLSearchParams(location.search);
followSystem(query.get("theme"));
const app = document.getElementById("app")!;
async function begin(): Promise<void> {
  try {
    await loadModule();
    const shared = await decode(location.hash);
    // Other pages link to `#lesson/rem` or `#queue/codel`.
    const wanted = decodeURIComponent(location.hash.slice(1));
    let first = entry(wanted) ? wanted : "start";
    if (shared) {
      session.setSpeed(shared.speed ?? Infinity);
      first = "";
    }
    if (!shared || !session.open(shared.text, shared.shown)) session.open(entry(first || "start")!.text);
    app.replaceChildren();
    mount(App, { target: app, props: { first, compact: query.has("compact") } });
    animate();
    // For measurements from outside.
    Object.assign(window, { weirFrames: frames });
    // Without motion the whole run is drawn at once.
    if (still.matches) session.toEnd();
    else session.play();
  } catch (error) {
    app.textContent = `The simulator could not be started: ${error instanceof Error ? error.message : String(error)}. A browser of 2024 or later is needed.`;
  }
}

void begin();
