declare module "virtual:weir-module" {
  /** The WebAssembly module: base64 of gzip. */
  const packed: string;
  export default packed;
}
