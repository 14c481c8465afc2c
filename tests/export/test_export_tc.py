"""The real tc takes every script: it knows all options, and a kernel that can keeps the numbers.

tc ends with 1 where it does not understand, and with 2 where the kernel refuses. What this machine's kernel
or iproute2 is too old for, or was built without, is skipped. Everything happens in a network namespace of the
test's own, which is gone with it.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from exports import commands, exported, options, scenario, section, shaper
from weir import _core
from weir.export import Exported, export

_IN = ["unshare", "-n"] if hasattr(os, "geteuid") and os.geteuid() == 0 else ["unshare", "-rn"]

_DEVICE = """
ip link add wx0 type veth peer name wx1 2>/dev/null || ip link add wx0 type dummy || exit 70
ip link set wx0 up
"""


@dataclass(frozen=True)
class Done:
    """Outcome of commands."""

    codes: list[int]
    said: str
    shown: list[dict[str, Any]]


def in_namespace(script: str) -> Done:
    """Every command of the script by itself; then, if all went well, the script as a whole, twice."""
    single = "\n".join(f"{' '.join(words)}; echo code $?" for words in commands(script))
    whole = f"sh -c '{_quoted(script)}' x wx0"
    twice = f"({whole} && {whole}) 2>/dev/null; echo code $?"
    text = f"{_DEVICE}\n{single.replace('$DEV', 'wx0')}\n{twice}\n"
    done = subprocess.run(
        [*_IN, "sh"], input=f"{text}tc -d -j qdisc show dev wx0", capture_output=True, text=True, check=False
    )
    codes = [int(code) for code in re.findall(r"^code (\d+)$", done.stdout, re.MULTILINE)]
    shown = [line for line in done.stdout.splitlines() if line.startswith("[")]
    return Done(codes, done.stderr, json.loads(shown[-1]) if shown else [])


def _quoted(text: str) -> str:
    return text.replace("'", "'\\''")


@cache
def missing() -> str | None:
    """Reason why nothing can be tested here."""
    if shutil.which("tc") is None or shutil.which("unshare") is None:
        return "no tc, or no unshare"
    done = subprocess.run([*_IN, "sh", "-c", _DEVICE], capture_output=True, text=True, check=False)
    return f"no network namespace: {done.stderr.strip()}" if done.returncode else None


@pytest.fixture(autouse=True)
def tc() -> None:
    if (why := missing()) is not None:
        pytest.skip(why)


@cache
def iproute2() -> tuple[int, ...]:
    said = subprocess.run(["tc", "-V"], capture_output=True, text=True, check=True).stdout
    match = re.search(r"iproute2-(\d+)\.(\d+)", said)
    return tuple(map(int, match.groups())) if match else (0, 0)


def taken(found: Exported) -> list[dict[str, Any]]:
    """Options that the kernel reports for a script. Fails where tc does not understand it, skips where tc
    cannot."""
    done = in_namespace(found.text)
    if 1 in done.codes:
        wanted = tuple(map(int, (found.iproute2 or "0.0").split(".")))
        assert iproute2() < wanted, f"tc does not understand: {done.said}"
        pytest.skip(f"iproute2 is older than {found.iproute2}")
    if 2 in done.codes:
        pytest.skip(f"the kernel refuses {options(found.text)['kind']}: {done.said.strip().splitlines()[-1]}")
    assert set(done.codes) == {0}, done.said
    return done.shown


SETTINGS: dict[str, tuple[dict[str, Any], str]] = {
    **{name: ({name: {}}, "120 packets") for name in _core.disciplines()},
    "bytes": ({"drop-tail": {}}, "64 kB"),
    "red-ecn": ({"red": {"min_th": "1500 B", "max_th": "90 kB", "max_p": 1.0, "ecn": True}}, "100 kB"),
    "red-slow": ({"red": {"min_th": "300 packets", "max_th": "1200 packets", "w_q": 1e-7}}, "2 MB"),
    "red-zero": ({"red": {"min_th": "0 packets", "max_p": 0.0}}, "120 packets"),
    "red-mark": ({"red": {"w_q": 0.3, "ecn": True, "harddrop": False}}, "120 packets"),
    "choke-ecn": ({"choke": {"min_th": "1 packets", "max_th": "2 packets", "ecn": True}}, "120 packets"),
    "codel-ce": ({"codel": {"ce_threshold": "1500 us", "target": "7300 us"}}, "64 kB"),
    "pie-bytes": ({"pie": {"byte_mode": True, "delay_from": "departure-rate", "ecn": True}}, "120 packets"),
    "fq-codel-few": ({"fq-codel": {"flows": 64, "quantum": "300 B", "ecn": False}}, "120 packets"),
    "fq-pie-ecn": ({"fq-pie": {"flows": 64, "ecn": True, "mark_ecnth": 0.3}}, "120 packets"),
    "fq-with-pie": ({"fq": {"aqm": {"pie": {}}}}, "120 packets"),
    "dualpi2-any": ({"dualpi2": {"low_latency": "any-ect", "th_len": 0}}, "120 packets"),
    "cake-adsl": (
        {
            "cake": {
                "bandwidth": "8 Mbit/s",
                "overhead": "44 B",
                "mpu": "96 B",
                "carrier": "atm",
                "ingress": True,
            }
        },
        "120 packets",
    ),
    "cake-vdsl": ({"cake": {"carrier": "ptm", "tins": "diffserv8", "isolation": "dual-srchost"}}, "64 kB"),
    "cake-without-shaper": ({"cake": {"unlimited": True, "tins": "precedence"}}, "120 packets"),
    "no-step": ({"step": {"ecn": False}}, "120 packets"),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_tc_understands_it_and_the_kernel_has_its_numbers(name: str) -> None:
    aqm, buffer = SETTINGS[name]
    found = exported(aqm, buffer=buffer)
    shown = taken(found)
    told = options(found.text)
    kept = next(qdisc for qdisc in shown if qdisc["kind"] == told["kind"])
    for option, text in told.items():
        if text and option in kept["options"]:
            agree(option, number(text), float(kept["options"][option]))
    for flag in ("ecn", "harddrop", "adaptive"):
        assert kept["options"].get(flag, False) is (flag in told) or told["kind"] in {
            "sfb",
            "cake",
            "dualpi2",
        }
    if "burst" in told:
        # What the notes say of the weight.
        (log,) = re.findall(r"makes tc choose the weight 1/(\d+)", found.text)
        assert 2 ** int(kept["options"]["ewma"]) == int(log)
    if told["kind"] != "cake" or "unlimited" in told:
        rate = next(qdisc for qdisc in shown if qdisc["kind"] == "tbf")["options"]["rate"]
        assert rate * 8 == number(shaper(found.text)["rate"]) == 10_000_000


def number(text: str) -> float:
    """A number with a unit of tc: times in microseconds, rates in bit/s."""
    match = re.fullmatch(r"([\d.e-]+)(\D*)", text)
    assert match
    units = {"us": 1, "ms": 1e3, "s": 1e6, "gbit": 1e9, "mbit": 1e6, "kbit": 1e3, "bit": 1, "%": 1, "": 1}
    return float(match[1]) * units[match[2]]


def agree(option: str, wanted: float, kept: float) -> None:
    """A number as it was written and as the kernel has it."""
    if option == "tupdate":
        # In jiffies, of at most 10 ms, rounded up.
        assert wanted <= kept < wanted + 10_000
    elif option in {"rehash", "db"}:
        assert kept in {wanted, 1000 * wanted}
    elif option == "bandwidth":
        assert 8 * kept == wanted
    elif option in {"target", "interval", "ce_threshold"}:
        # CoDel counts 1024 ns.
        assert wanted - 2 <= kept <= wanted
    elif option in {"increment", "decrement"}:
        assert abs(kept - wanted) <= 0.5 / 65535 + 1e-9
    else:
        assert kept == pytest.approx(wanted, rel=1e-4), option


def test_the_corners_of_red_and_choke_are_understood() -> None:
    rates = ("1 kbit/s", "333 kbit/s", "100 Gbit/s")
    bands = ((0, 1), (1.4, 1.9), (2.5, 100), (100, 3000))
    shapes = ((1e-7, 0.0), (0.002, 1e-4), (1.0, 1.0))
    scripts = [
        exported(
            {name: {"min_th": f"{low} packets", "max_th": f"{high} packets", "w_q": w_q, "max_p": max_p}},
            rate=rate,
            mean_packet_size=packet,
            buffer="200000 packets",
        ).text
        for name, rate, (low, high), (w_q, max_p), packet in itertools.product(
            ("red", "choke"), rates, bands, shapes, ("40 B", "9000 B")
        )
    ]
    # One after the other on the same interface; the first lines of a script are the shaper and a plain queue.
    done = in_namespace("\n".join(scripts).replace("set -eu", "exit 0"))
    wrong = [index for index, code in enumerate(done.codes) if code == 1]
    assert not wrong, scripts[wrong[0] // 3]


def test_a_misspelt_option_is_told_from_a_kernel_that_refuses() -> None:
    found = exported({"red": {}})
    wrong = in_namespace(found.text.replace(" probability ", " probabilty "))
    assert wrong.codes[-2] == 1
    assert "probabilty" in wrong.said
    # No such parent: tc understands, the kernel does not have it.
    assert in_namespace(found.text.replace("100:1 red", "200:1 red")).codes[-2] == 2


def test_another_discipline_can_take_its_place() -> None:
    def shaped(kind: dict[str, Any], buffer: str) -> str:
        return exported(kind, buffer=buffer).text

    both = shaped({"drop-tail": {}}, "64 kB") + shaped({"drop-tail": {}}, "50 packets")
    done = in_namespace(both.replace("set -eu", "").replace("DEV=${1:-eth0}", "DEV=wx0"))
    if 2 in done.codes:
        pytest.skip(f"the kernel refuses: {done.said.strip()}")
    assert set(done.codes) == {0}
    assert {qdisc["kind"]: qdisc["options"] for qdisc in done.shown}["pfifo"] == {"limit": 50}


def test_the_line_that_takes_it_back_does(tmp_path: Path) -> None:
    found = exported({"drop-tail": {}})
    script = tmp_path / "script.sh"
    script.write_text(found.text, encoding="utf-8")
    (undo,) = re.findall(r"Undo: +(.*)", found.text)
    text = (
        f"{_DEVICE}\nsh {script} wx0 && {undo.replace('eth0', 'wx0')}; echo code $?; tc -j qdisc show dev wx0"
    )
    done = subprocess.run([*_IN, "sh", "-c", text], capture_output=True, text=True, check=False)
    if "code 2" in done.stdout:
        pytest.skip(f"the kernel refuses: {done.stderr.strip()}")
    assert "code 0" in done.stdout
    assert "tbf" not in done.stdout


SQM: dict[str, dict[str, Any]] = {
    "codel": {"codel": {"target": "7300 us"}},
    "fq-codel": {"fq-codel": {"ecn": False, "memory_limit": "100 kB"}},
    "pie": {"pie": {"ecn": True}},
    "cobalt": {"cobalt": {"interval": "80 ms"}},
    "cake": {"cake": {"rtt": "80 ms", "overhead": "38 B"}},
}


@pytest.mark.parametrize("name", SQM)
def test_tc_understands_what_sqm_gives_it_in_both_directions(name: str) -> None:
    back = {"links.bottleneck.reverse": {"rate": "2 Mbit/s", "buffer": "50 packets", "queue": SQM[name]}}
    told = section(export(scenario(SQM[name]).replace(back), form="sqm").text)
    for rate, letter in ((told["download"], "i"), (told["upload"], "e")):
        # As simplest_tbf and piece_of_cake put them together.
        kind, rest = told["qdisc"], told[f"{letter}qdisc_opts"]
        lines = [f'tc qdisc replace dev "$DEV" root handle 100: tbf rate {rate}kbit burst 1514 limit 64000']
        if kind == "cake":
            tins = "besteffort" if told["script"] == "piece_of_cake.qos" else "diffserv3"
            lines = [f'tc qdisc replace dev "$DEV" root cake bandwidth {rate}kbit {tins} {rest}']
        else:
            ecn = told[f"{'in' if letter == 'i' else 'e'}gress_ecn"].lower()
            level = f"limit {told[f'{letter}limit']} target {told[f'{letter}target']}"
            lines.append(f'tc qdisc replace dev "$DEV" parent 100:1 {kind} {level} {ecn} {rest}')
        done = in_namespace("\n".join(["DEV=wx0", *lines, ""]))
        assert 1 not in done.codes, done.said
        if 2 in done.codes:
            pytest.skip(f"the kernel refuses {kind}: {done.said.strip().splitlines()[-1]}")
        kept = next(qdisc for qdisc in done.shown if qdisc["kind"] == kind)
        assert kept["kind"] == kind


@pytest.mark.parametrize("link", ["bottleneck", "bottleneck.reverse"])
@pytest.mark.parametrize("peak", [None, "50 Mbit/s"])
def test_a_token_bucket_is_that_of_the_link_in_either_direction(link: str, peak: str | None) -> None:
    bucket = {"burst": "30 kB", **({"peak": peak} if peak else {})}
    side = {"rate": "10 Mbit/s", "buffer": "120 packets", "token_bucket": bucket}
    base = scenario({"drop-tail": {}}, token_bucket=bucket).replace({"links.bottleneck.reverse": side})
    found = export(base, link)
    told = shaper(found.text)
    assert (told["rate"], told["burst"]) == ("10mbit", "30000")
    assert told.get("peakrate") == (None if peak is None else "50mbit")
    assert (told.get("mtu") is None) is (peak is None)
    assert not any("bucket" in warning for warning in found.warnings)
    done = in_namespace(found.text)
    if 2 in done.codes:
        pytest.skip(f"the kernel refuses: {done.said.strip()}")
    assert set(done.codes) == {0}
    kept = next(qdisc for qdisc in done.shown if qdisc["kind"] == "tbf")["options"]
    assert kept["rate"] * 8 == 10_000_000
    # As tc shows it: bytes, and the cells of its table of rates.
    assert kept["burst"] == "30000b/1"
    assert ("mtu" in kept) is (peak is not None)


def test_a_share_of_the_link_shapes_to_it() -> None:
    found = exported({"drop-tail": {}}, share=0.95)
    assert shaper(found.text)["rate"] == "9500kbit"
    assert "Shapes to 95% of the link" in found.text
