"""A program behind the links of a scenario: `weir live`, on one machine and without root.

Inside the namespaces are `_inside`, the first process there, and `_ends`, a network namespace for each end.
Packets get out of it by `_tun` or `_veth`. `_router` is a namespace with a queue of the kernel. `_commands`
are the user's; `_senders` are programs that send as flow groups do. These use `_linux` and `_netlink`. They
import nothing else of Weir: they must start quickly.

Outside, `_namespaces` starts that process and talks to it. `_session` is one run, from the first packet to
the last, with `_relay`, `_forward`, `_internet` and `_terminal`. `_studio` and `_feed` show a run in the
studio while it lasts.

Results: `_honesty` says how far a run can be trusted. `_passed` has the tables of a queue of the kernel,
`_results` puts all into a store. `_against` compares with simulations and with queues of the kernel. `_flent`
writes its files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir._lazy import first_use

if TYPE_CHECKING:
    from weir.live._against import Senders, kernel_queue, simulate
    from weir.live._flent import FlentRecord
    from weir.live._forward import listens, parsed_forwards, parsed_ports
    from weir.live._honesty import verdict
    from weir.live._results import LiveResult
    from weir.live._session import SessionResult, run_session
    from weir.live._spec import LiveSpec

__getattr__ = first_use(__name__)
