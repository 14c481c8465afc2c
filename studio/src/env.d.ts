declare module "virtual:weir-module" {
  /** The WebAssembly module: base64 of gzip. */
  const packed: string;
  export default packed;
}
declare module "virtual:weir-reference" {
  interface Described {
    title: string;
  }
  /** Texts of the files of `weir.disciplines`, by name. */
  const reference: Record<"disciplines" | "controls", Record<string, Described>>;
  export default reference;
}
declare module "virtual:weir-lessons" {
  /** Lessons of Weir, in their order: Markdown. */
  const lessons: { id: string; title: string; text: string }[];
  export default lessons;
}
