"""Why HRED is not faster than PI after a small change of a light load: its settings, varied one by one."""

from __future__ import annotations

from dataclasses import replace

from weir.charts.study import Curve, Facet, Plot
from weir.papers.curves import curve
from weir.papers.data import Study
from weir.papers.hred_2003.measured import Kilobytes
from weir.papers.hred_2003.times import Response
from weir.statistics import mean_interval

_MORE = 50.0
"""FTP flows that come, and leave again: x = 1.5."""

_SETTINGS = (
    ("why-rtt", "Round trip of the gains (ms)", 1.0),
    ("why-k", "K", 1.0),
    ("why-p-min", "p_min at the start (1/1000)", 1e3),
)


def slower(study: Study) -> Plot:
    """Response times and deviations of HRED with other settings."""
    facets = [
        Facet(
            "response time, x = 1.5",
            "s",
            [_times(study, name, change, scale) for change in (0, 1)],
            x=title,
        )
        for name, title, scale in _SETTINGS
    ]
    steady = curve(study, Kilobytes("gain-rtt", "hred", "queue_sd"), "standing load")
    facets.append(Facet("standard deviation, 100 FTP flows", "kB", [steady], x=_SETTINGS[0][1]))
    return Plot(
        "why-slow",
        "Why HRED is not faster than PI after a small change of a light load",
        f"HRED with other settings; {_of_pi(study)}. With gains for a round trip of 480 ms, a quarter of "
        "the printed ones, or with a steeper line HRED answers sooner, and its queue is steadier under a "
        "standing load: with the printed gains p_min moves by e within 0.3 to 1.3 s, before TCP has "
        "answered, overshoots, and the response time is that of some swings. With gains as low as for 960 "
        "ms it is slow. Where p_min starts does not matter: it is forgotten after 100 s.",
        "",
        facets,
    )


def _times(study: Study, name: str, change: int, scale: float) -> Curve:
    settings = [float(value) for value in study[name].levels("setting")]
    times = Response(name, "hred", (change,), more=(_MORE,))
    found = [mean_interval(replace(times, setting=at).samples(study)[0].values) for at in settings]
    return Curve(
        ("rising", "falling")[change],
        [scale * value for value in settings],
        [one.mean for one in found],
        [one.mean if one.low is None else one.low for one in found],
        [one.mean if one.high is None else one.high for one in found],
    )


def _of_pi(study: Study) -> str:
    both = [Response("moderate", "pi", (change,), more=(_MORE,)).samples(study)[0] for change in (0, 1)]
    rising, falling = (mean_interval(one.values).mean for one in both)
    return f"PI needs {rising:.1f} s after the rise and {falling:.1f} s after the fall"
