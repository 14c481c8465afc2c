import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";
import { HANG_MS } from "./tests/hang";

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => existsSync(path));

export default defineConfig({
  testDir: "browser",
  // What takes long: make soak.
  ...(process.env.WEIR_SOAK ? {} : { grepInvert: /@soak/ }),
  // Tests wait more than they compute.
  workers: 2,
  timeout: HANG_MS,
  expect: { timeout: HANG_MS },
  reporter: "line",
  use: {
    viewport: { width: 1440, height: 900 },
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
    },
  },
});
