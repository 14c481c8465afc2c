"""Networks for tests, drawn small and well scaled."""

from __future__ import annotations

from hypothesis import strategies as st

from weir.theory import Link, Network, Source, Utility


@st.composite
def utilities(draw: st.DrawFn, scale: float) -> Utility:
    """Whose marginal at `scale` packets/s is around one."""
    worth = draw(st.floats(0.2, 5.0))
    kind = draw(st.sampled_from(["log-one-plus", "log", "fair"]))
    if kind == "log-one-plus":
        return Utility.log_one_plus(worth * (1.0 + scale))
    if kind == "log":
        return Utility.log(worth * scale)
    fairness = draw(st.floats(0.5, 3.0))
    return Utility.fair(worth * scale**fairness, fairness)


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """One to four links, one to six sources, bounds on some of them, up to five flows of a kind."""
    links = tuple(
        Link(f"link{index}", draw(st.floats(50.0, 5000.0)), draw(st.sampled_from([0.8, 0.95, 1.0])))
        for index in range(draw(st.integers(1, 4)))
    )
    number = draw(st.integers(1, 6))
    sources: list[Source] = []
    for index in range(number):
        path = draw(st.lists(st.sampled_from(links), min_size=1, unique=True))
        count = draw(st.integers(1, 5))
        share = min(link.capacity for link in path) / (count * number)
        least = draw(st.sampled_from([0.0, 0.3, 0.9])) * share
        greatest = draw(st.sampled_from([float("inf"), 1.0, 1.5])) * share
        utility = draw(utilities(share))
        names = tuple(link.name for link in path)
        sources.append(Source(f"source{index}", names, utility, least, greatest, count))
    return Network(links, tuple(sources))
