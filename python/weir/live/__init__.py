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
