"""What is run for the HRED paper."""

from __future__ import annotations

from collections.abc import Sequence

from weir.papers.paper import Experiment

LAWS = ("red", "hred", "pi", "avq")
CONTROLLED = ("red", "hred", "pi")
"""The paper leaves AVQ out of response times: it aims at no queue."""
COMPANY = ("codel", "pie", "fq-codel", "dualpi2", "hred-cubic")
_REPLICATIONS = 5
_SHOWN = 1
"""With `--quick`, of what is shown but judged by no claim."""

_PLUS = ("", "-150", "-200", "-250")
"""Groups of the dynamic load."""


def _load(flows: Sequence[int]) -> str:
    return f"flows.ftp.count={_listed(flows)}; flows.web.count={_listed([3 * n for n in flows])}"


def _without_web(flows: Sequence[int]) -> str:
    return f"flows.ftp.count={_listed(flows)}"


def _times(base: int, factors: Sequence[float]) -> str:
    more = [round((x - 1.0) * base) for x in factors]
    return f"flows.more-ftp.count={_listed(more)}; flows.more-web.count={_listed([3 * n for n in more])}"


def _min_rto(groups: Sequence[str], values: str = "0.2, 1") -> str:
    return "; ".join(f"flows.{group}.tcp.min_rto={values} s" for group in groups)


def _page_time(groups: Sequence[str], values: str) -> str:
    return "; ".join(f"flows.{group}.traffic.web.inter_page={values} s" for group in groups)


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(str(number) for number in numbers)


_FTP = [f"ftp{plus}" for plus in _PLUS]
_WEB = [f"web{plus}" for plus in _PLUS]

STEADY = Experiment(
    "steady",
    "papers/hred-2003-steady",
    "100 to 1000 FTP flows and three times as many web sessions, 200 s after 100 s",
    LAWS,
    {"load": _load((100, 150, 200, 250, 300, 350, 400, 500, 600, 700, 800, 900, 1000))},
    {"load": _load((100, 1000))},
    replications=_REPLICATIONS,
)
STEADY_FTP = Experiment(
    "steady-ftp",
    "papers/hred-2003-steady",
    "the same without web sessions, as ns-2.35 ran it",
    LAWS,
    {"load": _without_web((100, 300, 600, 1000))},
    {"load": _without_web((100,))},
    {"flows.web.count": 0},
    replications=_REPLICATIONS,
)
DYNAMIC = Experiment(
    "dynamic",
    "papers/hred-2003-dynamic",
    "100 FTP flows and 300 web sessions, doubled at 150, 200 and 250 s",
    LAWS,
    replications=_REPLICATIONS,
    stage_s=50.0,
)
DYNAMIC_FTP = Experiment(
    "dynamic-ftp",
    "papers/hred-2003-dynamic",
    "the same without web sessions, as ns-2.35 ran it",
    LAWS,
    set={f"flows.{group}.count": 0 for group in _WEB},
    replications=_REPLICATIONS,
    quick=_SHOWN,
    stage_s=50.0,
)
MODERATE = Experiment(
    "moderate",
    "papers/hred-2003-response",
    "100 FTP flows and 300 web sessions become x times as many at 100 s, and fewer again at 180 s",
    CONTROLLED,
    {"more": _times(100, (1.5, 2.0, 2.5, 3.0, 3.5, 4.0))},
    {"more": _times(100, (1.5, 4.0))},
    replications=_REPLICATIONS,
)
HEAVY = Experiment(
    "heavy",
    "papers/hred-2003-response",
    "the same from 400 FTP flows and 1200 web sessions",
    CONTROLLED,
    {"more": _times(400, (1.5, 2.0, 2.5, 3.0, 3.5, 4.0))},
    {"more": _times(400, (4.0,))},
    {"flows.ftp.count": 400, "flows.web.count": 1200},
    replications=_REPLICATIONS,
)
MODERATE_FTP = Experiment(
    "moderate-ftp",
    "papers/hred-2003-response",
    "from 100 FTP flows, without web sessions",
    ("hred", "pi"),
    {"more": "flows.more-ftp.count=50, 100, 300"},
    {"more": "flows.more-ftp.count=50"},
    {"flows.web.count": 0, "flows.more-web.count": 0},
    replications=_REPLICATIONS,
    quick=_SHOWN,
)


def _why(name: str, about: str, setting: str, quick: str) -> Experiment:
    axis = f"links.bottleneck.aqm.hred.{name.removeprefix('why-').replace('-', '_')}="
    return Experiment(
        name,
        "papers/hred-2003-response",
        f"HRED at moderate load with {about}",
        ("hred",),
        {"setting": axis + setting, "more": _times(100, (1.5,))},
        {"setting": axis + quick},
        replications=_REPLICATIONS,
        quick=_SHOWN,
    )


WHY_RTT = _why(
    "why-rtt", "gains for longer round trips: a quarter, a sixteenth", "240, 480, 960 ms", "240, 480 ms"
)
GAIN_RTT = Experiment(
    "gain-rtt",
    "papers/hred-2003-steady",
    "HRED under a standing light load with gains for longer round trips",
    ("hred",),
    {"setting": "links.bottleneck.aqm.hred.rtt=240, 480, 960 ms"},
    {"setting": "links.bottleneck.aqm.hred.rtt=240 ms"},
    replications=_REPLICATIONS,
    quick=_SHOWN,
)
WHY_K = _why("why-k", "a steeper and a flatter line", "1, 2, 4", "2")
WHY_START = _why("why-p-min", "another p_min to begin with", "0.001, 0.01", "0.001")
GAIN = Experiment(
    "gain",
    "papers/hred-2003-steady",
    "HRED with steeper and flatter lines",
    ("hred",),
    {"load": _load((100, 1000)), "k": "links.bottleneck.aqm.hred.k=0.5, 1, 2, 4, 8"},
    {"load": _load((100,)), "k": "links.bottleneck.aqm.hred.k=2, 8"},
    replications=_REPLICATIONS,
)


def _read(name: str, about: str, law: str, axis: str, quick: str) -> Experiment:
    path = f"links.bottleneck.aqm.{law}.{name.replace('-', '_')}="
    return Experiment(
        name,
        "papers/hred-2003-steady",
        about,
        (law,),
        {"setting": path + axis, "load": _load((100, 400, 1000))},
        {"setting": path + quick, "load": _load((100, 1000))},
        replications=_REPLICATIONS,
    )


SPACING = _read("spacing", "RED with other spacings of drops", "red", "wait, independent, uniform", "wait")
GAMMA = _read("gamma", "AVQ with another utilisation to settle at", "avq", "0.98, 1", "0.98")
ADAPTS = _read("adapts-to", "AVQ that adapts to all arrivals", "avq", "accepted, arrivals", "accepted")
STEADY_MAP = Experiment(
    "steady-map",
    "papers/hred-2003-steady",
    "HRED with another least timeout and more web traffic",
    ("hred",),
    {"min_rto": _min_rto(("ftp", "web")), "page": _page_time(("web",), "5, 15"), "load": _load((100, 1000))},
    {"min_rto": _min_rto(("ftp", "web"), "0.2"), "page": _page_time(("web",), "15")},
    replications=_REPLICATIONS,
)
DYNAMIC_MAP = Experiment(
    "dynamic-map",
    "papers/hred-2003-dynamic",
    "HRED and PI in the dynamic load with another least timeout and more web traffic",
    ("hred", "pi"),
    {"min_rto": _min_rto([*_FTP, *_WEB]), "page": _page_time(_WEB, "5, 15")},
    {"min_rto": _min_rto([*_FTP, *_WEB], "0.2"), "page": _page_time(_WEB, "15")},
    replications=_REPLICATIONS,
)
TODAY = Experiment(
    "today",
    "papers/hred-2003-dynamic",
    "the dynamic load with laws of today, and HRED with CUBIC",
    COMPANY,
    replications=_REPLICATIONS,
    quick=_SHOWN,
    stage_s=50.0,
)

EXPERIMENTS = (
    STEADY, STEADY_FTP, DYNAMIC, DYNAMIC_FTP, MODERATE, HEAVY, MODERATE_FTP, WHY_RTT, WHY_K, WHY_START,
    GAIN_RTT, GAIN, SPACING, GAMMA, ADAPTS, STEADY_MAP, DYNAMIC_MAP, TODAY,
)  # fmt: skip
