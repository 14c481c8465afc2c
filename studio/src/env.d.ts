declare module "virtual:weir-module" {
  /** The WebAssembly module: base64 of gzip. */
  const packed: string;
  export default packed;
}
declare module "virtual:weir-reference" {
  interface Described {
    title: string;
  }
  /** What the files of `weir.disciplines` say, by name. */
  const reference: Record<"disciplines" | "controls", Record<string, Described>>;
  export default reference;
}
