/** The simulator on the page: text functions only; simulations run in workers. */
import { initSync } from "../../pkg/weir_wasm.js";
import packed from "virtual:weir-module";

let compiled: WebAssembly.Module | undefined;

/** Unpacks, compiles and starts the module. */
export async function loadModule(): Promise<void> {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  compiled = await WebAssembly.compile(await new Response(plain).arrayBuffer());
  initSync({ module: compiled });
}

/** The compiled module, for workers. */
export function compiledModule(): WebAssembly.Module {
  if (!compiled) throw new Error("the module is not loaded");
  return compiled;
}
