"""The studio: the simulator in the browser. The page is built from the folder `studio/` by `make studio`."""

from __future__ import annotations

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from weir._shared import PAGE, fragment
from weir.studio._links import fragment_of, is_link, lesson_fragment

__all__ = ["NOT_BUILT", "PAGE", "fragment", "fragment_of", "is_link", "lesson_fragment", "server"]

NOT_BUILT = (
    "this copy of Weir has no studio: run `make studio` in the sources, with Node 20.19 or newer "
    "(https://nodejs.org), then `pip install .` there"
)
"""Message if the page has not been built."""

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; "
    "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""Nothing is loaded from elsewhere, nothing is sent, and no other page shows this one within its own."""

IDLE_S = 10.0
"""Seconds after which a connection without a request is closed: each holds a thread."""


class _Server(ThreadingHTTPServer):
    listens = ""
    """Sources that both policies, that of the answer and that in the page, allow in addition."""
    idle_s = IDLE_S

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as its base has it
        """Says nothing where a browser has left before it had all."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def server(port: int, feed: int | None = None, *, idle_s: float = IDLE_S) -> ThreadingHTTPServer:
    """Serves the page at / to this machine alone; 0 is a free port. It may listen to the port `feed` of this
    machine, where a live run tells what it measures. A connection that says nothing for `idle_s` seconds is
    closed. Raises OSError."""
    served = _Server(("127.0.0.1", port), _Page)
    served.idle_s = idle_s
    if feed is not None:
        served.listens = f"; connect-src ws://127.0.0.1:{feed}"
    return served


class _Page(BaseHTTPRequestHandler):
    def setup(self) -> None:
        """Sets the timeout before the connection is read."""
        super().setup()
        assert isinstance(self.server, _Server)
        self.connection.settimeout(self.server.idle_s)

    def do_GET(self) -> None:
        """Serves the page at /, and nothing else."""
        if self.path != "/":
            self.send_error(404)
            return
        assert isinstance(self.server, _Server)
        listens = self.server.listens
        page = PAGE.read_bytes().replace(b"; form-action", f"{listens}; form-action".encode(), 1)
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def end_headers(self) -> None:
        """Adds the policy to every answer, also to one that something is not there."""
        assert isinstance(self.server, _Server)
        self.send_header("Content-Security-Policy", _POLICY + self.server.listens)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Discards the log message."""
