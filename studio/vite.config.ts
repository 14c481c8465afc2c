import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { HANG_MS } from "./tests/hang";

const MODULE = new URL("pkg/weir_wasm_bg.wasm", import.meta.url);
const VIRTUAL = "virtual:weir-module";

/** The WebAssembly module as text: gzip, then base64. */
function weirModule(): Plugin {
  return {
    name: "weir-module",
    resolveId: (id) => (id === VIRTUAL ? "\0" + VIRTUAL : undefined),
    load(id) {
      if (id !== "\0" + VIRTUAL) return undefined;
      const packed = gzipSync(readFileSync(MODULE), { level: 9 });
      return `export default "${packed.toString("base64")}";`;
    },
  };
}

const REFERENCE = "virtual:weir-reference";
const DISCIPLINES = new URL("../python/weir/disciplines/", import.meta.url);

/** Texts of Weir's reference on disciplines and congestion controls, as far as the page needs them. */
function weirReference(): Plugin {
  return {
    name: "weir-reference",
    resolveId: (id) => (id === REFERENCE ? "\0" + REFERENCE : undefined),
    load(id) {
      if (id !== "\0" + REFERENCE) return undefined;
      const folder = (url: URL): Record<string, { title: string }> =>
        Object.fromEntries(
          readdirSync(url).flatMap((file) => {
            if (!file.endsWith(".toml")) return [];
            const path = new URL(file, url);
            this.addWatchFile(fileURLToPath(path));
            return [[file.replace(/\.toml$/, ""), described(readFileSync(path, "utf8"), file)]];
          }),
        );
      return `export default ${JSON.stringify({ disciplines: folder(DISCIPLINES), controls: folder(new URL("congestion/", DISCIPLINES)) })};`;
    },
  };
}

function described(text: string, file: string): { title: string } {
  const title = /^title = "(.*)"$/m.exec(text)?.[1];
  if (title === undefined) throw new Error(`${file} has no title`);
  return { title };
}

const LESSONS = "virtual:weir-lessons";
const LESSON_FILES = new URL("../python/weir/lessons/", import.meta.url);

/** Weir's lessons, in their order: name, title and text. */
function weirLessons(): Plugin {
  return {
    name: "weir-lessons",
    resolveId: (id) => (id === LESSONS ? "\0" + LESSONS : undefined),
    load(id) {
      if (id !== "\0" + LESSONS) return undefined;
      const order = new URL("order.txt", LESSON_FILES);
      this.addWatchFile(fileURLToPath(order));
      const files = readFileSync(order, "utf8").trim().split(/\s+/).map((name) => {
        const path = new URL(`${name}.md`, LESSON_FILES);
        this.addWatchFile(fileURLToPath(path));
        const text = readFileSync(path, "utf8");
        return { id: name, title: /^# (.*)/.exec(text)?.[1] ?? name, text };
      });
      return `export default ${JSON.stringify(files)};`;
    },
  };
}

/** The generated glue loads the module from beside itself unless it is given one. The page always gives one. */
function withoutAddress(): Plugin {
  return {
    name: "weir-without-address",
    enforce: "pre",
    transform: (code, id) =>
      id.endsWith("/weir_wasm.js") ? code.replace(/new URL\([^)]*import\.meta\.url\)/, "undefined") : undefined,
  };
}

/** One file: browsers refuse module scripts and requests from `file://`. */
function oneFile(): Plugin {
  return {
    name: "weir-one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("no index.html");
      let script = "";
      let style = "";
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === "chunk") script += part.code;
        else if (name.endsWith(".css")) style += String(part.source);
        else if (part !== page) throw new Error(`${name} would be a second file`);
        if (part !== page) Reflect.deleteProperty(bundle, name);
      }
      const inline = script.replace(/<(\/script|!--)/gi, "\\x3c$1");
      page.source = String(page.source)
        .replace(/\s*<script type="module"[^>]*><\/script>/, "")
        .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
        .replace("</head>", () => `<style>${style}</style></head>`)
        .replace("</body>", () => `<script>${inline}</script></body>`);
    },
  };
}

export default defineConfig({
  plugins: [weirModule(), weirReference(), weirLessons(), withoutAddress(), svelte(), oneFile()],
  base: "./",
  worker: { format: "iife", plugins: () => [withoutAddress()] },
  server: { fs: { allow: [".."] } },
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 4000,
    reportCompressedSize: false,
    rollupOptions: { output: { format: "iife", inlineDynamicImports: true } },
  },
  test: { include: ["tests/**/*.test.ts"], testTimeout: HANG_MS, hookTimeout: HANG_MS },
});
