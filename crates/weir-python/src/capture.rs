use std::{cell::RefCell, path::PathBuf};

use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyDict},
};
use weir_scenario::{LeftOut, OtherDirection, Subnet, Transfer, Transfers};
use weir_types::UnitError;

/// The transfers of a capture: columns as the bytes of float64, and counts. `ValueError` has message and hint.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "converted from Python")]
pub(crate) fn transfers(py: Python<'_>, file: PathBuf, towards: Vec<String>) -> PyResult<Bound<'_, PyDict>> {
    let towards: Result<Vec<Subnet>, UnitError> = towards.iter().map(|text| text.parse()).collect();
    let towards = towards.map_err(|wrong| PyValueError::new_err((wrong.message, wrong.hint)))?;
    let read = py.detach(|| {
        let interrupted = RefCell::new(None);
        let proceed = || {
            Python::attach(|py| match py.check_signals() {
                Ok(()) => true,
                Err(error) => {
                    interrupted.replace(Some(error));
                    false
                }
            })
        };
        let read = Transfers::read(&file, &towards, proceed);
        match interrupted.into_inner() {
            Some(error) => Err(error),
            None => read.map_err(|wrong| PyValueError::new_err((wrong.message, wrong.hint))),
        }
    })?;
    let found = PyDict::new(py);
    let columns = PyDict::new(py);
    let column = |of: fn(&Transfer) -> f64| {
        let bytes: Vec<u8> = read.transfers.iter().flat_map(|transfer| of(transfer).to_ne_bytes()).collect();
        PyBytes::new(py, &bytes)
    };
    columns.set_item("start", column(|one| one.start))?;
    columns.set_item("duration", column(|one| one.duration))?;
    columns.set_item("bytes", column(|one| one.bytes as f64))?;
    columns.set_item("packets", column(|one| one.packets as f64))?;
    columns.set_item("packet", column(|one| f64::from(one.packet)))?;
    columns.set_item("rtt", column(|one| one.rtt))?;
    columns.set_item("part", column(|one| one.part))?;
    columns.set_item("pause", column(|one| one.pause))?;
    columns.set_item("begun", column(|one| f64::from(u8::from(one.begun))))?;
    columns.set_item("ended", column(|one| f64::from(u8::from(one.ended))))?;
    columns.set_item("datagrams", column(|one| f64::from(u8::from(one.datagrams))))?;
    found.set_item("transfers", columns)?;
    for (name, count) in [("tcp", read.tcp), ("quic", read.quic), ("datagrams", read.datagrams)] {
        found.set_item(name, (count.count, count.bytes))?;
    }
    let left_out = PyDict::new(py);
    for (why, count) in LeftOut::ALL.into_iter().zip(read.left_out) {
        let name = match why {
            LeftOut::NoData => "no data",
            LeftOut::FewDatagrams => "fewer than 10 datagrams",
        };
        left_out.set_item(name, (count.count, count.bytes))?;
    }
    found.set_item("left_out", left_out)?;
    let OtherDirection { transfers, bytes, to, hosts } = read.other_direction;
    let to = to.map(|to| to.to_string());
    found.set_item("other_direction", (transfers, bytes, to, hosts))?;
    found.set_item("groups", read.groups)?;
    found.set_item("mixed", read.mixed)?;
    found.set_item("late", read.late)?;
    found.set_item("latest", read.latest.as_secs_f64())?;
    found.set_item("copies", read.copies)?;
    found.set_item("packets", read.packets)?;
    found.set_item("others", read.others)?;
    found.set_item("duration", read.duration)?;
    found.set_item("damage", read.damage.map(|damage| damage.message))?;
    Ok(found)
}
