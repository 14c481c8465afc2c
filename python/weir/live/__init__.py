"""A program behind the links of a scenario: `weir live`, on one machine and without root.

- Inside the namespaces: `_inside` (the first process there), `_ends` (a network namespace for each end),
  `_tun`, `_veth` (how packets get out of it), `_commands`. These use `_linux` and `_netlink`. Also
  inside: `_senders` (programs that send as flow groups do). All of them import nothing else of Weir: they
  must start quickly.
- Outside: `_namespaces` (starts that process, and talks to it), `_relay`, `_forward`, `_terminal`, `_session`
  (one run, from the first packet to the last). For the studio: `_studio` and `_feed` (a run there while it
  lasts).
- What came of it: `_honesty` (how far it can be trusted), `_results` (in a store), `_against` (beside
  simulations), `_flent`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir._lazy import first_use

if TYPE_CHECKING:
    from weir.live._against import Senders, simulate
    from weir.live._flent import FlentRecord
    from weir.live._forward import listens, parsed_forwards
    from weir.live._honesty import verdict
    from weir.live._results import LiveResult
    from weir.live._session import SessionResult, run_session
    from weir.live._spec import LiveSpec

__getattr__ = first_use(__name__)
