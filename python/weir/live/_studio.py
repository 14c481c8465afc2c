"""The studio beside a live run: the page is served, and fed, as long as packets pass."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from weir import studio
from weir._errors import WeirError
from weir.live._feed import EVERY_S, Feed

if TYPE_CHECKING:
    from weir import _core
    from weir.live._relay import Relay

LENGTH_S = 600.0
"""The axis of time, unless the length of the run is known."""


@contextmanager
def shown(
    scenario: _core.Scenario, relay: Relay, length_s: float | None, opened: Callable[[str], object]
) -> Generator[None]:
    """`opened` is given the address. Raises WeirError where the page or the extra is missing."""
    if not studio.PAGE.exists():
        raise WeirError(studio.NOT_BUILT)
    feed = Feed(scenario, relay.group, relay.links, length_s or LENGTH_S)
    over = threading.Event()

    def tell() -> None:
        while not over.wait(EVERY_S):
            feed.add(*relay.states())

    teller = threading.Thread(target=tell, name="weir-studio", daemon=True)
    with studio.server(0, feed.port) as server:
        threading.Thread(target=server.serve_forever, name="weir-page", daemon=True).start()
        teller.start()
        try:
            opened(f"http://127.0.0.1:{server.server_port}/{feed.fragment}")
            yield
        finally:
            over.set()
            teller.join()
            feed.close()
            server.shutdown()
