"""Rules on AQMs in Python."""

from __future__ import annotations

from collections.abc import Iterator

from weir.aqm import sources
from weir.check._note import Remark, warning
from weir.check._resolved import Resolved
from weir.check._units import listed

_TOLD = 3


def python_not_repeatable(scene: Resolved) -> Iterator[Remark]:
    """An AQM in Python draws from a generator not its own, or reads the clock: the seed fixes nothing.

    What the text of its file shows is found, not what modules do that it imports.
    """
    for named in sources.named_in(scene.document):
        text = sources.text_of(named.digest)
        uses = sources.unrepeatable(text) if text is not None else []
        if uses:
            told = listed([f"{use.name} (line {use.line})" for use in uses[:_TOLD]])
            more = f" and {len(uses) - _TOLD} more" if uses[_TOLD:] else ""
            yield warning(
                f"{named.path}.class",
                f"the file of {named.cls} has {told}{more}: the same seed gives other results each time",
                "self.random, which seed and place of the queue determine; the argument now for the time",
            )
