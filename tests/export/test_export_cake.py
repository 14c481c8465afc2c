"""CAKE with everything that a scenario says of it: its shaper, its tins and hosts, and the line."""

from __future__ import annotations

from typing import Any

import pytest

from exports import commands, exported, options, scenario, section, shaper
from weir.export import ExportError, Form, export
from weir.scenario._toml import Value


def cake(**parameters: Value) -> dict[str, Any]:
    return {"cake": parameters}


def test_the_rate_of_the_link_is_that_of_the_shaper_unless_it_has_its_own() -> None:
    found = exported(cake(), share=0.9)
    assert options(found.text)["bandwidth"] == "9mbit"
    assert "Shapes to 90% of the link" in found.text
    own = exported(cake(bandwidth="9500 kbit/s"), share=0.5)
    assert options(own.text)["bandwidth"] == "9500kbit"
    assert "Shapes to" not in own.text


def test_without_a_shaper_a_token_bucket_stands_for_the_link() -> None:
    found = exported(cake(unlimited=True))
    told = options(found.text)
    assert (told["kind"], "unlimited" in told, "bandwidth" in told) == ("cake", True, False)
    assert shaper(found.text)["rate"] == "10mbit"
    assert len(commands(exported(cake()).text)) == 1


@pytest.mark.parametrize("tins", ["diffserv3", "diffserv4", "diffserv8", "precedence", "besteffort"])
@pytest.mark.parametrize(
    "isolation",
    ["flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate"],
)
def test_words_are_those_of_tc(tins: str, isolation: str) -> None:
    found = exported(cake(tins=tins, isolation=isolation))
    assert {tins, isolation} <= set(options(found.text))
    assert ("nonat: hosts are IP addresses" in found.text) is (isolation not in {"flowblind", "flows"})


@pytest.mark.parametrize(
    ("mode", "word"),
    [("off", "no-ack-filter"), ("conservative", "ack-filter"), ("aggressive", "ack-filter-aggressive")],
)
def test_the_filter_of_acks_is_that_of_tc(mode: str, word: str) -> None:
    for form in ("tc", "sqm"):
        text = exported(cake(ack_filter=mode), form).text
        words = {one for one in text.replace("'", " ").split() if one.endswith(("ack-filter", "-aggressive"))}
        assert words == {word}
    alone = exported({"ack-filter": {"mode": mode}})
    assert word in options(alone.text)
    assert {"besteffort", "flows"} <= set(options(alone.text))


def test_the_line_is_that_of_the_scenario() -> None:
    told = options(
        exported(cake(overhead="44 B", mpu="96 B", carrier="atm", ingress=True, bandwidth="9 Mbit/s")).text
    )
    assert (told["overhead"], told["mpu"]) == ("44", "96")
    assert {"atm", "ingress"} <= set(told)
    plain = exported(cake())
    assert {"noatm", "egress"} <= set(options(plain.text))
    # CAKE with an overhead counts from the IP header on, and the simulation does.
    assert "bytes are those of frames" not in plain.text
    assert "set overhead for yours" in plain.text
    assert "set overhead for yours" not in exported(cake(overhead="38 B")).text


@pytest.mark.parametrize(
    ("memory", "buffer", "told"),
    [
        # 2304 B of the kernel's memory for each packet of 1000 B.
        (None, "120 packets", 120 * 2304),
        ("50 kB", "120 packets", 50 * 2304),
        # 4 rtt at this rate are 500 kB, below the 4 MiB that CAKE has at least.
        (None, "100000 packets", round((4 << 20) * 2.304)),
    ],
)
def test_memory_is_the_smaller_limit_in_what_the_kernel_counts(
    memory: str | None, buffer: str, told: int
) -> None:
    found = exported(cake() if memory is None else cake(memory_limit=memory), buffer=buffer)
    assert options(found.text)["memlimit"] == str(told)
    assert ("memlimit: the link's buffer" in found.text) is (told == 120 * 2304)


def test_a_rate_that_no_shaper_keeps() -> None:
    with pytest.raises(ExportError, match="900 bit/s is none"):
        exported(cake(bandwidth="900 bit/s"))


def test_sqm_has_a_script_for_one_tin_and_one_for_several() -> None:
    one = section(exported(cake(tins="besteffort"), "sqm").text)
    assert (one["qdisc"], one["script"], one["download"]) == ("cake", "piece_of_cake.qos", "9000")
    assert "besteffort" not in one["iqdisc_opts"]
    several = section(exported(cake(), "sqm").text)
    assert several["script"] == "layer_cake.qos"
    assert several["iqdisc_opts"].startswith("diffserv3 triple-isolate nonat")


def test_sqm_leaves_the_line_to_its_own_options_unless_the_scenario_has_it() -> None:
    left = exported(cake(), "sqm").text
    assert "set linklayer and overhead for your line" in left
    assert not {"noatm", "overhead", "mpu"} & set(section(left)["iqdisc_opts"].split())
    said = exported(cake(overhead="22 B", mpu="68 B", carrier="ptm"), "sqm").text
    assert "set linklayer" not in said
    assert "ptm overhead 22 mpu 68" in section(said)["iqdisc_opts"]


def test_the_share_of_sqm_is_of_links_without_a_bandwidth() -> None:
    up: dict[str, Any] = {"rate": "2 Mbit/s", "buffer": "50 packets", "queue": cake(tins="besteffort")}
    base = scenario(cake(bandwidth="9500 kbit/s")).replace({"links.bottleneck.reverse": up})
    told = section(export(base, form="sqm").text)
    assert (told["download"], told["upload"]) == ("9500", "1800")
    assert told["script"] == "layer_cake.qos"
    assert told["eqdisc_opts"].startswith("besteffort ")


def test_sqm_has_no_cake_without_a_shaper() -> None:
    with pytest.raises(ExportError, match="always shapes") as caught:
        exported(cake(unlimited=True), "sqm")
    assert caught.value.path == "links.bottleneck.queue.cake.unlimited"


@pytest.mark.parametrize("form", ["wred", "junos"])
def test_a_router_that_has_red_alone_refuses_it(form: Form) -> None:
    with pytest.raises(ExportError, match="cake is not"):
        exported(cake(), form)
