"""Names that other tools have lead to ours, wherever a name is written."""

import pytest

import weir
from conftest import SMALL, Command


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "web", "--set", "links.bottleneck.queue=NAME"),
        ("check", "web", "--set", "links.bottleneck.queue.NAME={}"),
        ("compare", "web", "--disciplines", "red,NAME"),
        ("tune", "web", "--target", "loss < 1%", "--disciplines", "NAME"),
        ("tune", "web", "--target", "loss < 1%", "--vary", "NAME.target=1..5 ms"),
        ("evaluate", "NAME", "--quick"),
        ("export", "web", "--set", "links.bottleneck.queue=NAME"),
        ("show", "NAME"),
    ],
)
@pytest.mark.parametrize(
    ("name", "ours"), [("sqm", "write `cake`"), ("pfifo", "`drop-tail`"), ("ared", "`adaptive-red`")]
)
def test_a_queue_of_another_tool(
    arguments: tuple[str, ...], name: str, ours: str, weir_command: Command
) -> None:
    done = weir_command(*(one.replace("NAME", name) for one in arguments))
    assert done.returncode == 2
    assert ours in done.stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bbr", "bbr1"),
        ("bbr2", "bbr3"),
        ("westwood", "westwood-plus`"),
        ("veno", "Weir has not this one"),
        ("hybla", "`cubic`"),
    ],
)
def test_a_congestion_control_of_another_tool(name: str, said: str, weir_command: Command) -> None:
    commands = [
        ("check", "web", "--set", f"flows.web.tcp.congestion={name}"),
        ("sweep", "web", "--axis", f"flows.web.tcp.congestion={name}, reno", "--dry-run"),
        ("show", name),
    ]
    for arguments in commands:
        done = weir_command(*arguments)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    with pytest.raises(weir.ScenarioError, match=said):
        weir.Scenario.loads(SMALL, {"flows.ftp.tcp.congestion": {name: {}}})


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("links.bottleneck.queue.reno", "`reno` is a congestion control"),
        ("links.bottleneck.queue.BBR1", "flows.GROUP.tcp.congestion.bbr1 = {}"),
        ("links.bottleneck.queue.bbr", "bbr3"),
        ("links.bottleneck.queue.westwood", "write `tcp.congestion.westwood-plus`"),
        ("links.bottleneck.queue.sqm", "write `cake`, whose shaper is its `bandwidth`"),
        ("links.bottleneck.queue.piece_of_cake", "`cobalt` is its AQM alone"),
        ("links.bottleneck.queue.sch_cake", "`cake`"),
        ("links.bottleneck.queue.prio", "`cake` sorts packets into tins"),
        ("links.bottleneck.queue.pie2", "`pi2`"),
        ("flows.web.tcp.congestion.olia", "Multipath TCP"),
        ("flows.web.tcp.congestion.prr", "part of SACK: recovery.sack"),
        ("flows.web.tcp.congestion.linux", 'tcp.preset = "linux"'),
        ("flows.web.tcp.congestion.quic", "no congestion control"),
        ("flows.web.tcp.congestion.fq_codel", "`fq-codel` is a queue discipline"),
        ("flows.web.tcp.congestion.red", "links.LINK.queue.red = {}"),
        ("flows.web.tcp.congestion.cake", "`cake` is a queue discipline"),
        ("flows.web.tcp.congestion.rem", "did you mean `rem-host`?"),
        ("flows.web.tcp.congestion.newreno", "recovery.newreno"),
    ],
)
def test_a_name_that_belongs_elsewhere(path: str, said: str) -> None:
    with pytest.raises(weir.ScenarioError) as caught:
        weir.load("web", {path: {}})
    assert said in str(caught.value.hint)


def test_a_key_of_the_link_in_its_other_direction_is_no_netem() -> None:
    with pytest.raises(weir.ScenarioError) as caught:
        weir.load("evaluation/flent/rrul", {"links.bottleneck.reverse.delay": "5 ms"})
    assert caught.value.hint == "did you mean `links.bottleneck.delay`? It is one for both directions"


def test_a_congestion_control_is_no_discipline(weir_command: Command) -> None:
    done = weir_command("compare", "web", "--disciplines", "red,cubic")
    assert "`cubic` is a congestion control, which flows have" in done.stderr
