import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

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
  plugins: [weirModule(), withoutAddress(), svelte(), oneFile()],
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
  test: { include: ["tests/**/*.test.ts"] },
});
