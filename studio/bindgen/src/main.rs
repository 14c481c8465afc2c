//! `bindgen MODULE.wasm FOLDER`: the module without names and debug information, its JavaScript and its types.

use std::{env, error::Error};

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [module, folder] = &arguments[..] else { return Err("usage: bindgen MODULE.wasm FOLDER".into()) };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).web(true)?.typescript(true).remove_producers_section(true).remove_name_section(true).keep_debug(false);
    Ok(bindgen.generate(folder)?)
}
