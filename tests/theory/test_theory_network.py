"""Refusals of inputs that are no network, in one line."""

from __future__ import annotations

import numpy as np
import pytest

from weir.theory import Link, Network, Source, TheoryError, Utility, synchronous

LOG = Utility.log(1.0)
LINK = Link("a", 100.0)


def source(**changed: object) -> Source:
    return Source(**{"name": "s", "path": ("a",), "utility": LOG, **changed})  # pyright: ignore[reportArgumentType]


BAD = {
    "no link 'b'": ((LINK,), (source(path=("b",)),)),
    "path is empty": ((LINK,), (source(path=()),)),
    "twice": ((LINK,), (source(path=("a", "a")),)),
    "two sources": ((LINK,), (source(), source())),
    "two links": ((LINK, LINK), (source(),)),
    "no source": ((LINK,), ()),
    "no rate lies": ((LINK,), (source(least=3.0, greatest=2.0),)),
    "flows are none": ((LINK,), (source(count=0),)),
    "no target utilisation": ((Link("a", 100.0, 1.5),), (source(),)),
    "no rate": ((Link("a", 0.0),), (source(),)),
    "least rates": ((LINK,), (source(least=60.0), source(name="t", least=60.0))),
}


@pytest.mark.parametrize("told", BAD)
def test_bad_networks(told: str) -> None:
    links, sources = BAD[told]
    with pytest.raises(TheoryError, match=told) as caught:
        Network(links, sources)
    assert caught.value.hint


def test_a_step_is_above_zero() -> None:
    network = Network((LINK,), (source(),))
    for step in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(TheoryError, match="no step"):
            synchronous(network, step)


def test_loads_count_every_flow_of_a_source() -> None:
    network = Network(
        (LINK, Link("b", 50.0)), (source(count=3), source(name="long", path=("b", "a"), count=2))
    )
    assert network.load(np.array([10.0, 1.0])).tolist() == [32.0, 2.0]
    # Without a greatest rate, a quarter more than what the narrowest link leaves to each.
    assert network.greatest.tolist() == pytest.approx([125 / 3, 31.25])
    assert network.demand(np.array([0.1, 0.4])).tolist() == pytest.approx([10.0, 2.0])
