"""Transfers of a list: `traffic.list` reads when each starts and how large it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import weir
from weir.check import notes

SCENARIO = """
schema = 1
name = "listed"
duration = "10 s"
measure.warm_up = "0 s"

[links.b]
rate = "100 Mbit/s"
delay = "1 ms"
buffer = "100 packets"

[flows.jobs]
rtt = "10 ms"
traffic.list.file = "flows.txt"
"""

SIZES = [1_500_000, 64_000, 1_500_000, 3000]
STARTS = [0.0, 0.001, 0.001, 0.004]

FORMS: Mapping[str, str] = {
    "a head in another order": "#\nnote,bytes,time\nx,1500000,0\n,64000,0.001\nz,1500000,1e-3\n,3000,.004",
    "no head": "0,1500000\n0.001,64000\n0.001,1500000\n0.004,3000\n",
    "quoted": '\ufeff"start","size"\r\n0,"1500000"\r\n0.001,64000\r\n.001,1.5e6\r\n0.004,3000\r\n',
    "blanks": "# a list\n0.000 1500000 h1 h9\n0.001\t64000 h2 h9\n0.001 1500000 h3 h9\n\n0.004 3000 h4 h9",
    "out of order": "0.004 3000\n0.001 64000  # the first of two\n0.001 1500000\n0 1500000\n",
    "HPCC": "4\n1 9 3 1 1500000 0.0\n2 9 3 1 64000 0.001\n3 9 3 1 1500000 0.001\n4 9 3 1 3000 0.004\n",
    "HPCC, short": "4\n1 9 1500000 0.0\n2 9 64000 0.001\n3 9 1500000 0.001\n4 9 3000 0.004\n",
}


def _run(folder: Path, text: str, more: str = "") -> weir.Sweep:
    return _scenario(folder, text, more).run(seed=1)


def _scenario(folder: Path, text: str, more: str = "") -> weir.Scenario:
    (folder / "flows.txt").write_text(text, encoding="utf-8", newline="")
    (folder / "listed.toml").write_text(SCENARIO + more, encoding="utf-8")
    return weir.load(folder / "listed.toml")


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_list_is_read(form: str, tmp_path: Path) -> None:
    found = _run(tmp_path, FORMS[form]).transfers
    assert found["bytes"].to_list() == SIZES
    assert found["start_s"].to_list() == STARTS
    assert found["end_s"].is_not_nan().all()
    lines = FORMS[form].splitlines()
    for line, size in found.select("line", "bytes").iter_rows():
        text = lines[int(line) - 1].replace("1.5e6", "1500000").replace('"', "")
        assert str(size) in text


def test_the_times_are_those_of_users_who_transfer_once(tmp_path: Path) -> None:
    """One closed loop for each transfer, started when the list says, takes as long to the nanosecond."""
    once = "".join(
        f"""
[flows.j{number}]
start = "{start} s"
rtt = "10 ms"
traffic.closed-loop = {{ size = "{size} B", think_time = "100000 s" }}
"""
        for number, (start, size) in enumerate(zip(STARTS, SIZES, strict=True))
    )
    listed = _run(tmp_path, FORMS["blanks"]).transfers["fct_ms"].to_list()
    users = weir.Scenario.loads(SCENARIO.partition("[flows.jobs]")[0] + once).run(seed=1).completions
    whole = users.filter(pl.col("period") == -1, pl.col("upto_bytes").is_nan(), pl.col("group") != "all")
    assert listed == whole.sort("group")["fct_mean_ms"].to_list()


def test_a_transfer_alone_takes_its_propagation_and_its_bytes(tmp_path: Path) -> None:
    (row,) = _run(tmp_path, "0.5 3000\n").transfers.to_dicts()
    # A round trip for the SYN, half of one for two packets at 100 Mbit/s, and the SYN's own bits.
    least = 10.0 + 5.0 + 3000 * 8 / 100e6 * 1e3
    assert least <= row["fct_ms"] < least + 0.01
    assert row["end_s"] == pytest.approx(row["start_s"] + row["fct_ms"] / 1e3, abs=1e-9)
    assert row["slowdown"] == pytest.approx(row["fct_ms"] / least)


def test_what_has_not_ended_has_no_end_and_what_starts_late_is_noted(tmp_path: Path) -> None:
    scenario = _scenario(tmp_path, "9.99 100000000\n10.1 1500\n25 1500\n")
    (note,) = (one for one in notes(scenario) if one.code == "list-after-end")
    assert (note.severity, note.message) == ("note", "2 of 3 transfers start when jobs is over")
    run = scenario.run(seed=1)
    (row,) = run.transfers.to_dicts()
    assert row["line"] == 1
    assert np.isnan([row["end_s"], row["fct_ms"], row["slowdown"]]).all()
    counted = run.completions.filter(pl.col("upto_bytes").is_nan())
    assert counted["unfinished"].to_list() == [1] * len(counted)
    none = _scenario(tmp_path, "11 1500\n")
    (note,) = (one for one in notes(none) if one.code == "list-after-end")
    assert note.severity == "warning"


GROUPS = "start,size,group\n0,1500,jobs\n0.1,3000,web\n0.2,4500,\n0.3,6000,web\n"


@pytest.mark.parametrize(
    ("text", "chosen", "sizes"),
    [
        (GROUPS, "", [1500]),
        (GROUPS, 'group = "web"', [3000, 6000]),
        (FORMS["blanks"], 'source = "h3"', [1_500_000]),
        (FORMS["HPCC"], 'destination = "9"', SIZES),
        (FORMS["HPCC"], 'source = "2"\ntraffic.list.destination = "9"', [64_000]),
    ],
)
def test_a_group_takes_what_it_chooses(text: str, chosen: str, sizes: list[int], tmp_path: Path) -> None:
    more = f"traffic.list.{chosen}\n" if chosen else ""
    assert _run(tmp_path, text, more).transfers["bytes"].to_list() == sizes


def test_what_no_group_takes_is_said(tmp_path: Path) -> None:
    scenario = _scenario(tmp_path, GROUPS)
    (note,) = (one for one in notes(scenario) if one.code == "list-left-out")
    assert note.message == "no flow group takes 3 of the 4 transfers of this list"
    web = '\n[flows.web]\nrtt = "20 ms"\ntraffic.list.file = "flows.txt"\n'
    # Two groups take from it, and the one without a group is left.
    (note,) = (one for one in notes(_scenario(tmp_path, GROUPS, web)) if one.code == "list-left-out")
    assert note.message == "no flow group takes 1 of the 4 transfers of this list"
    whole = _scenario(tmp_path, GROUPS.replace("0.2,4500,", "0.2,4500,jobs"), web)
    assert not [one for one in notes(whole) if one.code == "list-left-out"]
    assert not [one for one in notes(_scenario(tmp_path, FORMS["HPCC"])) if one.code == "list-left-out"]


def test_groups_of_one_list_share_the_file(tmp_path: Path) -> None:
    more = '\n[flows.web]\nrtt = "20 ms"\nstart = "1 s"\nstop = "1.2 s"\ntraffic.list.file = "flows.txt"\n'
    found = _run(tmp_path, GROUPS, more).transfers
    # The one at 1.3 s would start when its group is over.
    assert found.select("group", "line", "start_s").rows() == [("jobs", 2, 0.0), ("web", 3, 1.1)]


@pytest.mark.parametrize(
    ("text", "more", "message", "hint"),
    [
        ("", "", "there is no transfer in it", "0.001,64000"),
        ("0 1500\nsoon 1500\n", "", 'line 2: "soon" is not a start', "0.001,64000"),
        ("0 1500\n-1 1500\n", "", 'line 2: "-1" is not a start', ""),
        ("0 1500\n1 0\n", "", 'line 2: "0" is not a size in bytes', ""),
        ("0 1500\n1 15.5\n", "", 'line 2: "15.5" is not a size in bytes', ""),
        ("0 1500\n1\n", "", "line 2: 1 column where there should be 2, 3 or 4", ""),
        ("start,size\n0,1500\n1,2,3\n", "", "line 3: 3 columns where there should be 2", ""),
        ("start,length\n0,1500\n", "", "line 1: 0 columns for size where there", "start,size,group"),
        ("3\n1 9 1500 0\n", "", "line 1: it announces 3 transfers, and 1 follow", ""),
        ("0 1e18\n", "", "is not a size in bytes", ""),
        (GROUPS, 'traffic.list.group = "we"\n', 'no transfer of the list has the group "we"', "jobs, web"),
        ("0 1500\n", 'traffic.list.source = "h1"\n', "", "the list names no source: leave source out"),
        (
            FORMS["blanks"], 'traffic.list = { source = "h1", destination = "h1", file = "flows.txt" }',
            'no transfer of the list has the destination "h1"', "the list has h9",
        ),
        ("0 1500\n", "count = 2\n", "list is not counted", "lines of the file"),
        ("0 1500\n", 'start_jitter = "1 s"\n', "the file says when each transfer starts", ""),
    ],
)  # fmt: skip
def test_a_wrong_list_is_refused(text: str, more: str, message: str, hint: str, tmp_path: Path) -> None:
    (tmp_path / "flows.txt").write_text(text, encoding="utf-8")
    base = SCENARIO.replace('traffic.list.file = "flows.txt"\n', "") if "traffic.list =" in more else SCENARIO
    (tmp_path / "listed.toml").write_text(base + more, encoding="utf-8")
    with pytest.raises(weir.ScenarioError) as refused:
        weir.load(tmp_path / "listed.toml")
    said, _, told = str(refused.value).partition("\nhint: ")
    assert message in said
    assert hint in told


def test_another_file_is_another_run(tmp_path: Path) -> None:
    first = _scenario(tmp_path, FORMS["blanks"])
    second = _scenario(tmp_path, FORMS["no head"])
    assert first.core.hash != second.core.hash
    moved = tmp_path / "moved"
    moved.mkdir()
    assert _scenario(moved, FORMS["blanks"]).core.hash == first.core.hash
