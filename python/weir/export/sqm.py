"""A setting for sqm-scripts, the shaper of OpenWrt: a section of /etc/config/sqm.

Its script `simplest_tbf` is a token bucket over one queue, as in `tc`; `piece_of_cake` is CAKE. Options are
those that the scripts read (sqm-scripts 1.6: src/simplest_tbf.qos, src/piece_of_cake.qos, src/functions.sh).
They take targets with whole numbers only, so 1.5 ms has to be 1500us.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from weir.export.errors import ExportError
from weir.export.qdisc import Qdisc
from weir.export.tc import comment

KNOWN = ("fq_codel", "codel", "pie", "cake")
"""Disciplines that it knows and looks for; `sfq` as well, which is nothing of ours."""

_ELSEWHERE = ("limit", "target", "ecn", "noecn", "bandwidth", "besteffort")
"""Options of the discipline that have an option of their own, or that its script gives."""


def snippet(qdisc: Qdisc, device: str, head: Sequence[str], download: int | None) -> str:
    """The section; `download` is the rate of the other direction, if it has a queue. Raises ExportError."""
    if qdisc.kind not in KNOWN:
        raise ExportError(
            f"sqm-scripts has no {qdisc.kind}",
            f"it has {', '.join(KNOWN)}; --as tc writes a script for {qdisc.kind}",
        )
    upload = qdisc.port.rate // 1000
    if upload < 1:
        raise ExportError(
            f"sqm counts in kbit/s, and the link has {qdisc.port.rate_told}", "export it --as tc"
        )
    if qdisc.port.rate % 1000:
        qdisc.warnings.append(f"rate: {qdisc.port.rate} bit/s becomes {upload} kbit/s, in which sqm counts")
    own = {words[0]: words[1] if len(words) > 1 else "" for words in qdisc.words}
    rest = " ".join(" ".join(words) for words in qdisc.words if words[0] not in _ELSEWHERE)
    options = {
        "enabled": "1",
        "interface": device,
        "download": str((download or 0) // 1000),
        "upload": str(upload),
        "qdisc": qdisc.kind,
        "script": "piece_of_cake.qos" if qdisc.shapes else "simplest_tbf.qos",
        # The web page shows, and keeps, what follows only with these two.
        "qdisc_advanced": "1",
        "qdisc_really_really_advanced": "1",
    }
    if not qdisc.shapes:
        ecn = "ECN" if "ecn" in own else "NOECN"
        options |= {"ingress_ecn": ecn, "egress_ecn": ecn}
        options |= {"ilimit": own["limit"], "elimit": own["limit"]}
        options |= {"itarget": own["target"], "etarget": own["target"]}
    options |= {"iqdisc_opts": rest, "eqdisc_opts": rest}
    section = re.sub(r"\W", "_", device)
    lines = [f"\toption {name} '{value}'" for name, value in options.items()]
    return "\n".join([*comment(head), "", f"config queue '{section}'", *lines, ""])
