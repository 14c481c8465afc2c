"""OpenWrt's section: which way is which, both directions, and at which share of the line."""

from __future__ import annotations

from typing import Any

import pytest

import weir
from exports import exported, scenario, section
from weir.cli._templates import FOLDER as TEMPLATES
from weir.export import Exported, ExportError, export


def both(forward: dict[str, Any], back: dict[str, Any], link: str | None = None) -> Exported:
    """10 Mbit/s down and 2 Mbit/s up, each with its queue."""
    up: dict[str, Any] = {"rate": "2 Mbit/s", "buffer": "50 packets", "queue": back}
    return export(scenario(forward).replace({"links.bottleneck.reverse": up}), link, "sqm")


def test_data_come_down_and_the_rate_is_nine_tenths() -> None:
    found = exported({"fq-codel": {"target": "7500 us", "interval": "120 ms"}}, "sqm")
    told = section(found.text)
    wanted = {
        "enabled": "1",
        "interface": "eth0",
        "download": "9000",
        "upload": "0",
        "qdisc": "fq_codel",
        "script": "simplest_tbf.qos",
        "ingress_ecn": "ECN",
        "ilimit": "120",
        # The scripts read whole numbers only: 7.5ms would be 7ms.
        "itarget": "7500us",
    }
    assert {name: told[name] for name in wanted} == wanted
    assert "interval 120ms" in told["iqdisc_opts"]
    # What has an option of its own is not said twice.
    assert not {"limit", "target", "ecn"} & set(told["iqdisc_opts"].split())
    assert not any(name.startswith("e") and name != "enabled" for name in told)
    assert any("upload: 0 leaves it as it is" in warning for warning in found.warnings)
    assert "Shapes to 90% of the link" in found.text


def test_both_directions_have_their_own_queue() -> None:
    found = both({"fq-codel": {"target": "5 ms"}}, {"fq-codel": {"target": "15 ms", "ecn": False}})
    told = section(found.text)
    assert (told["download"], told["upload"]) == ("9000", "1800")
    assert (told["itarget"], told["etarget"]) == ("5ms", "15ms")
    assert (told["ingress_ecn"], told["egress_ecn"]) == ("ECN", "NOECN")
    assert (told["ilimit"], told["elimit"]) == ("120", "50")
    assert not any("leaves it" in warning for warning in found.warnings)


@pytest.mark.parametrize("link", ["bottleneck", "bottleneck.reverse"])
def test_it_is_the_same_line_from_either_end(link: str) -> None:
    queue: dict[str, Any] = {"codel": {}}
    assert section(both(queue, queue, link=link).text) == section(both(queue, queue).text)


def test_an_upload_alone_is_what_goes_out() -> None:
    up: dict[str, Any] = {
        "links.bottleneck.reverse": {"rate": "2 Mbit/s", "buffer": "50 packets", "queue": {"pie": {}}}
    }
    found = export(scenario({"red": {}}).replace(up), "bottleneck.reverse", "sqm")
    told = section(found.text)
    assert (told["download"], told["upload"], told["qdisc"]) == ("0", "1800", "pie")
    assert (told["egress_ecn"], "ingress_ecn" in told) == ("NOECN", False)
    assert "tupdate 15ms" in told["eqdisc_opts"]
    assert any("bottleneck has red" in warning for warning in found.warnings)


TWO_LINKS = """\
schema = 1
name = "satellite"
duration = "4 s"

[links.down]
rate = "40 Mbit/s"
delay = "270 ms"
buffer = "500 packets"
queue.codel = {}
unidirectional = true

[links.up]
rate = "2 Mbit/s"
delay = "20 ms"
buffer = "50 packets"
queue.codel = { target = "15 ms" }
unidirectional = true

[flows.satellite]
path = ["down"]
ack_path = ["up"]
rtt = "300 ms"
"""


@pytest.mark.parametrize("link", ["down", "up"])
def test_a_line_of_two_links_has_both_directions(link: str) -> None:
    """A link that ACKs alone pass is the upload."""
    found = export(weir.Scenario.loads(TWO_LINKS), link, "sqm")
    told = section(found.text)
    assert (told["download"], told["upload"]) == ("36000", "1800")
    assert (told["itarget"], told["etarget"]) == ("5ms", "15ms")
    assert "Download: down: 40 Mbit/s" in found.text


def test_a_link_that_is_one_way_alone_has_one_direction() -> None:
    datagrams = {"cbr": {"rate": "1 Mbit/s"}}
    text = TWO_LINKS.replace('ack_path = ["up"]\n', "")
    found = export(weir.Scenario.loads(text, {"flows.satellite.traffic": datagrams}), "down", "sqm")
    assert (section(found.text)["download"], section(found.text)["upload"]) == ("36000", "0")


def test_cake_takes_the_rate_from_its_own_option() -> None:
    found = section(both({"cobalt": {"interval": "80 ms"}}, {"cobalt": {}}).text)
    assert (found["qdisc"], found["script"]) == ("cake", "piece_of_cake.qos")
    assert (found["iqdisc_opts"], found["eqdisc_opts"]) == ("flowblind rtt 80ms", "flowblind rtt 100ms")
    assert "etarget" not in found


@pytest.mark.parametrize(("share", "rate"), [(0.95, "9500"), (1.0, "10000"), (0.00013, "1")])
def test_the_share_is_the_users(share: float, rate: str) -> None:
    found = exported({"codel": {}}, "sqm", share=share)
    assert section(found.text)["download"] == rate
    assert ("Shapes to" in found.text) is (share < 1.0)


@pytest.mark.parametrize("share", [0.0, -0.5, 1.01, 90.0, float("nan")])
def test_a_share_that_none_can_be(share: float) -> None:
    with pytest.raises(ExportError, match="no share of a rate"):
        exported({"codel": {}}, "sqm", share=share)


def test_less_than_a_kilobit_is_nothing_for_a_shaper() -> None:
    with pytest.raises(ExportError, match=r"0\.009% of 10 Mbit/s"):
        exported({"codel": {}}, "sqm", share=0.00009)


def test_the_template_of_an_access_line() -> None:
    base = weir.Scenario.load(str(TEMPLATES / "access.toml")).variant("fq-codel")
    told = section(base.export(form="sqm", device="wan").text)
    assert (told["download"], told["upload"], told["interface"]) == ("45000", "9000", "wan")
    assert told["iqdisc_opts"] == told["eqdisc_opts"]
