//! Tables as objects of typed arrays.

use js_sys::{Array, BigInt64Array, Float64Array, JsString, Object, Reflect, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;
use weir_sim::{Column, Table, Tables};

/// The tables by name.
pub(crate) fn object(tables: Tables) -> Object {
    let all = Object::new();
    for (name, table) in tables.into_named() {
        set(&all, name, &columns(table));
    }
    all
}

/// The columns of `table` by name. Names are `{ codes, names }`, lists `{ values, lengths }`.
fn columns(table: Table) -> Object {
    let all = Object::new();
    for (name, column) in table.columns {
        let values: JsValue = match column {
            Column::Index(values) => Uint32Array::from(&*values).into(),
            Column::Flag(values) => {
                Uint8Array::from(&*values.into_iter().map(u8::from).collect::<Vec<_>>()).into()
            }
            Column::Text(text) => {
                let codes = text.codes::<u32>().expect("codes are u32");
                let names: Array = text.names().iter().map(|name| JsString::from(&**name)).collect();
                pair("codes", &Uint32Array::from(&*codes), "names", &names)
            }
            Column::Integer(values) => BigInt64Array::from(&*values).into(),
            Column::Real(values) => Float64Array::from(&*values).into(),
            Column::Integers(lists) => {
                let values = BigInt64Array::from(&*lists.values);
                pair("values", &values, "lengths", &Uint32Array::from(&*lists.lengths))
            }
            Column::Reals(lists) => {
                let values = Float64Array::from(&*lists.values);
                pair("values", &values, "lengths", &Uint32Array::from(&*lists.lengths))
            }
        };
        set(&all, name, &values);
    }
    all
}

fn pair(one: &str, first: &JsValue, other: &str, second: &JsValue) -> JsValue {
    let both = Object::new();
    set(&both, one, first);
    set(&both, other, second);
    both.into()
}

fn set(object: &Object, name: &str, value: &JsValue) {
    Reflect::set(object, &name.into(), value).expect("a plain object takes any key");
}
