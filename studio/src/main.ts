import "uplot/dist/uPlot.min.css";
import "./ui/page.css";
import { mount } from "svelte";
import { loadModule } from "./core/module";
import { RefusedLink, type Shared } from "./core/share";
import { address } from "./run/address.svelte";
import { Feed } from "./run/feed";
import { animate, frames } from "./run/frames";
import { session } from "./run/session.svelte";
import App from "./ui/App.svelte";
import { followSystem, still, switchLecture } from "./ui/theme.svelte";

const query = new URLSearchParams(location.search);
followSystem(query.get("theme"));
if (query.has("lecture")) switchLecture(true);
const app = document.getElementById("app")!;
/** The live run that `#live=PORT.TOKEN` names, beside a simulation of its scenario; both as far as the run has come. */
async function live(fragment: string): Promise<Shared | undefined> {
  const [, port, token] = /^#live=(\d+)\.(\w+)$/.exec(fragment) ?? [];
  if (port === undefined || token === undefined) return undefined;
  const { head } = (session.feed = await Feed.open(Number(port), token));
  return { text: head.text, shown: [head.variant, "simulation"], speed: null };
}

/** Says what is wrong with a link. Nothing else is shown in the place of what was sent. */
function refused(reason: string): void {
  const said = document.createElement("p");
  said.setAttribute("role", "alert");
  const own = document.createElement("a");
  own.href = location.pathname;
  own.textContent = "Open the studio without it";
  said.append(`This link cannot be opened: ${reason}. Ask for it once more. `, own, ".");
  app.replaceChildren(said);
  addEventListener("hashchange", () => location.reload());
}

async function begin(): Promise<void> {
  try {
    await loadModule();
    const shared = await live(location.hash);
    if (shared) {
      session.playback.setSpeed(Infinity);
      session.open(shared.text, shared.shown);
      address.listen();
    } else await address.begin();
    app.replaceChildren();
    mount(App, { target: app, props: { compact: query.has("compact") } });
    animate((elapsed) => session.tick(elapsed));
    // For measurements from outside.
    Object.assign(window, { weirFrames: frames, weirSettled: () => session.settled });
    // Without motion the whole run is drawn at once.
    if (still.matches) session.playback.toEnd();
    else session.playback.play();
  } catch (error) {
    if (error instanceof RefusedLink) {
      refused(error.message);
      return;
    }
    app.textContent = `The simulator could not be started: ${error instanceof Error ? error.message : String(error)}. A browser of 2024 or later is needed.`;
  }
}

void begin();
