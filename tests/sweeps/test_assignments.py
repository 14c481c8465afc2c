"""`--set` takes what `--axis` takes for one value: the same scenario comes of both."""

import pytest

import weir
from conftest import SMALL, Command
from weir.scenario import AssignmentError, assignments, pieces, settings
from weir.sweep._axes import parsed_axis
from weir.sweep._design import settings as of_axis

ONE_VALUE = [
    "links.bottleneck.rate=5 Mbit/s",
    "links.bottleneck.rate = 5Mbit/s",
    "links.bottleneck.rate='5 Mbit/s'",
    "links.bottleneck.rate=5 Mbit/s; links.bottleneck.buffer=30 packets",
    "flows.ftp.tcp.congestion=cubic",
    "flows.ftp.tcp.congestion='vegas'; flows.ftp.tcp.recovery=sack",
    "flows.ftp.tcp.preset=linux",
    "flows.ftp.rtt=1e2 ms",
    "flows.ftp.tcp.ecn=true",
    "flows.ftp.tcp.ack_size=6e1 B",
    "links.bottleneck.queue.red.max_p=.1",
    "links.bottleneck.queue.red.max_p=1e-1",
    "links.bottleneck.queue.red.max_p=1e0",
    "links.bottleneck.queue.fq-codel.flows=1e2",
    "links.bottleneck.queue.fq-codel.flows=+64",
    "links.bottleneck.queue.fq-codel.flows=1_024",
    "links.bottleneck.queue.red.min_th=5 ms; links.bottleneck.queue.red.max_th=15 ms",
]


@pytest.fixture
def small() -> weir.Scenario:
    text = SMALL.split("[variants")[0]
    return weir.Scenario.loads(text)


@pytest.mark.parametrize("text", ONE_VALUE)
def test_both_set_the_same(text: str, small: weir.Scenario) -> None:
    axis = parsed_axis(text)
    assert axis.levels is not None
    (row,) = axis.levels
    varied = small.core.replace(of_axis(zip(axis.paths, row, strict=True)))
    assert small.core.replace(settings(text)).hash == varied.hash
    assert varied.hash != small.hash


@pytest.mark.parametrize(
    "text", ["links.l.rate=5, 10 Mbit/s", "links.l.rate=5..10 Mbit/s", "flows.f.count=1..9 by 2"]
)
def test_several_values_are_an_axis(text: str) -> None:
    with pytest.raises(AssignmentError) as caught:
        settings(text)
    assert "several values" in caught.value.message
    assert f'weir sweep --axis "{text}"' in str(caught.value.hint)


def test_what_holds_semicolons_together() -> None:
    text = "a='x; y'; b=[1, \"; ]\"]; c={ d = 'e; f' }"
    assert pieces(text) == ["a='x; y'", 'b=[1, "; ]"]', "c={ d = 'e; f' }"]
    assert [one.path for one in assignments(text)] == ["a", "b", "c"]


def test_a_large_seed_stays_whole() -> None:
    assert settings("seed=4611686018427387904") == [("seed", "4611686018427387904")]


@pytest.mark.parametrize("option", ["--set", "--axis"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("links.bottleneck.rate", "sets nothing"),
        ("links.bottleneck.rate=5 Mbit/s; 3", "sets nothing"),
        ("links.bottleneck.rate==5 Mbit/s", "has two ="),
        ("links bottleneck=5 Mbit/s", "is not a path"),
    ],
)
def test_both_refuse_the_same(option: str, text: str, said: str, weir_command: Command) -> None:
    done = weir_command("sweep", "web", option, text, "--dry-run")
    assert done.returncode == 2
    assert said in done.stderr
