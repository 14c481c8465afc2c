"""Notes on CAKE beyond those of single rules: that it has none by itself, and what they say together."""

from cakes import CAKE
from plain import ACCECN, BOTH, ECN, PLAIN, PRAGUE, TWO_LINKS, codes

import weir
from weir.check import notes


def test_cake_marks_and_keeps_flows_apart() -> None:
    """Flows of both kinds are at home there, and it says nothing of itself."""
    assert codes(weir.Scenario.loads(PLAIN, CAKE)) == []
    assert codes(weir.Scenario.loads(PLAIN, {**CAKE, ECN: True})) == []
    assert "prague-in-classic-queue" not in codes(
        weir.Scenario.loads(PLAIN, {**CAKE, **ACCECN, **PRAGUE, "flows.web": {"rtt": "60 ms"}})
    )


def test_groups_with_one_cause_have_one_note() -> None:
    scenario = weir.Scenario.loads(
        PLAIN, {"flows.ftp.dscp": "CS1", "flows.web": {"rtt": "60 ms", "start_jitter": "1 s", "dscp": "EF"}}
    )
    (note,) = [one for one in notes(scenario) if one.code == "dscp-unused"]
    assert note.message == "no queue on the path of ftp and web sorts packets by dscp"
    assert note.hint == "links.a.queue.cake = {}, or leave dscp out"


def test_a_shaper_that_never_binds_is_said_to_be_the_links() -> None:
    (note,) = notes(weir.Scenario.loads(PLAIN, {"links.a.queue": {"cake": {"bandwidth": "12 Mbit/s"}}}))
    assert note.message == (
        "a shaper of 12 Mbit/s holds nothing back at 10 Mbit/s: packets wait for a, in CAKE here, but behind "
        "it on a real line"
    )
    assert note.hint == 'links.a.queue.cake.bandwidth = "9.5 Mbit/s", or leave it out'


def test_a_shaper_before_the_bottleneck_holds_the_queue() -> None:
    """A router before a modem: the router's port is fast, its shaper is not, and the modem has no queue."""
    values = {
        **BOTH, "links.a.rate": "1 Gbit/s", "links.a.queue.cake.bandwidth": "6 Mbit/s",
        "measure.bottleneck": "b",
        "flows.cross": {"path": ["b"], "rtt": "60 ms", "traffic": {"cbr": {"rate": "1 Mbit/s"}}},
    }  # fmt: skip
    scenario = weir.Scenario.loads(TWO_LINKS, {"duration": "20 s", **values})
    (note,) = [one for one in notes(scenario) if one.code == "shaper-elsewhere"]
    assert (note.severity, note.path) == ("warning", "links.a.queue.cake.bandwidth")
    assert note.hint == 'measure.bottleneck = "a"'
    delays = scenario.run().summary(by="link")
    waits = dict(zip(delays["link"], delays["delay_mean"], strict=True))
    assert waits["a"] > waits["b"]
    for cure in ({"measure.bottleneck": "a"}, {"links.a.queue.cake.bandwidth": "20 Mbit/s"}):
        assert "shaper-elsewhere" not in codes(scenario.replace(cure))
