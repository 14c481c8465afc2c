"""`weir traffic`: traffic of a scenario from what was measured."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weir.cli import _command as command
from weir.cli._options import Json, flag, option

if TYPE_CHECKING:
    from weir.traffic import Captured, Values

traffic = typer.Typer(
    help="Make the traffic of a scenario from what was measured.", no_args_is_help=True, rich_markup_mode=None
)

_MUCH = 0.2
"""Share of the bytes in transfers that the capture has only in part, above which a note says so."""


@traffic.callback()
def _traffic() -> None:
    """Make the traffic of a scenario from what was measured."""


@traffic.command("from-pcap")
def from_pcap(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="pcap or pcapng, or either with .gz.")],
    *,
    out: Annotated[
        Path | None,
        option(
            "FILE",
            "Write a scenario, and beside it a list of transfers, FILE.csv, or their sizes, FILE.cdf.",
            "--out",
            "-o",
        ),
    ] = None,
    rate: Annotated[str | None, option("RATE", "Of the link. Default: left for you to fill in.")] = None,
    delay: Annotated[
        str | None, option("TIME", "Of the link, one way. Default: a tenth of the shortest round trip.")
    ] = None,
    buffer: Annotated[str, option("SIZE", "Of the link.")] = "1 BDP",
    to: Annotated[
        list[str] | None,
        option(
            "NETWORK",
            "Only data to these addresses. May be repeated. Default: the larger direction of the link.",
        ),
    ] = None,
    groups: Annotated[int, option("N", "Groups by round trip.", min=1)] = 4,
    rtt: Annotated[str | None, option("TIME", "Of all flows, instead of what is measured.")] = None,
    force: Annotated[bool, flag("--force", "Replace FILE if it exists.")] = False,
    json: Json = False,
) -> None:
    """Turn the transfers of a capture into flows that react to the queue.

    Sizes, arrivals and round trips of TCP and QUIC connections are measured. Few transfers come when they
    came, many become Poisson arrivals. Streams of other datagrams become sources of a constant rate.
    """
    from weir.check import units
    from weir.scenario import Scenario
    from weir.traffic import Link, read, scenario_of

    if not file.is_file():
        command.refuse(f"{file} is no file", "name a capture: pcap or pcapng, perhaps with .gz")
    if out is not None:
        _check_out(out, force=force)
    elif rate is not None:
        raise typer.BadParameter("--rate is for the scenario that --out writes")
    found = read(file, to or ())
    if json:
        command.print_json(found.to_json())
    else:
        command.print_text("\n".join(_table(found)))
    _note(found)
    if out is None:
        command.note(f"weir traffic from-pcap {shlex.quote(os.fspath(file))} --out traffic.toml writes flows")
        return
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", out.stem).strip("-") or "traffic"
    link = Link(rate=rate, delay=delay, buffer=buffer)
    written = scenario_of(found, name=name, file=out.stem, link=link, groups=groups, rtt=rtt)
    texts = {out: written.text} | {out.with_suffix(suffix): text for suffix, text in written.beside.items()}
    with command.all_or_none(texts):
        for path, text in texts.items():
            command.write_file(path, text)
        if rate is not None:
            # What is wrong with an option, the scenario says.
            Scenario.load(out)
    files = units.listed([str(path) for path in texts])
    check = f"weir check {shlex.quote(str(out))}"
    if rate is None:
        command.note(f"wrote {files}; describe the link in {out}, then: {check}")
        return
    command.note(f"wrote {files}; next: {check}")


def _note(found: Captured) -> None:
    """Prints notes on the capture."""
    from weir.check import recordings

    if found.late:
        command.note(f"{recordings.out_of_order(found.late, found.latest_s)}: all are sorted by time")
    if found.copies:
        command.note(f"{recordings.twice(found.copies)}: each counts once")
    if found.mixed:
        command.note(
            "--to has hosts of both sides of the link: what went both ways is taken as one direction; name "
            "those of one side"
        )
    if found.damage is not None:
        command.note(f"{found.file} is read up to its damage: {found.damage}")
    if (share := found.share_cut) > _MUCH:
        command.note(
            f"{share:.0%} of the bytes are of transfers whose beginning was not captured, or that were not "
            "over at its end: how large they were is not known; capture for longer"
        )


def _check_out(out: Path, *, force: bool) -> None:
    command.check_file(out, "--out")
    if out.suffix != ".toml":
        command.refuse(f"{out} is not named as a scenario", f"a scenario ends in .toml: --out {out}.toml")
    for one in (out, out.with_suffix(".csv"), out.with_suffix(".cdf")):
        if one.exists() and not force:
            command.refuse(f"{one} exists", "choose another file with --out, or replace it with --force")


def _table(found: Captured) -> Sequence[str]:
    from weir.sweep import describe
    from weir.traffic import other_direction, plain

    total = sum(octets for _, octets in found.conversations.values())
    rows = [("capture", f"{found.duration:.4g} s, {found.packets:,} packets, {describe.size(total)}")]
    rows += [
        (kind, f"{count:,}, {describe.size(octets)}")
        for kind, (count, octets) in found.conversations.items()
        if count
    ]
    if found.other.transfers:
        to = found.other.to if found.other.hosts == 1 else "NETWORK"
        rows.append(("other direction", f"{other_direction(found)}: left out; --to {to} takes it instead"))
    if found.others:
        rows.append(("other packets", f"{found.others:,}"))
    octets = found.transfers["bytes"]
    carried = describe.size(int(octets.sum()))
    rows.append(("transfers", f"{len(octets):,}, {carried}; {found.arrival_rate:.3g} begin per second"))
    rows += [
        ("of these in part", f"{count:,}, {describe.size(seen)}: {why}")
        for why, (count, seen) in found.cut.items()
    ]
    if (dispersion := found.dispersion) is not None:
        rows.append(("variance / mean", f"{dispersion:.3g} of the arrivals (Poisson: 1)"))
    if count := len(found.streams["bytes"]):
        rows.append(("datagram streams", f"{count:,}, {describe.size(int(found.streams['bytes'].sum()))}"))
    rows += [
        ("left out", f"{count:,}, {describe.size(lost)}, {lost / total:.2%} of the bytes: {why}")
        for why, (count, lost) in found.left_out.items()
        if count
    ]
    if len(found.sizes):
        rows.append(("sizes", _quantiles(found.sizes, lambda size: describe.size(int(size)))))
    if len(found.rtts):
        share = f"measured of {len(found.rtts) / len(octets):.0%}"
        rows.append(
            ("round trips", f"{_quantiles(found.rtts, lambda rtt: f'{plain(1e3 * rtt)} ms')}; {share}")
        )
    width = max(len(head) for head, _ in rows)
    return [f"{head:{width}}  {text}" for head, text in rows]


def _quantiles(values: Values, text: Callable[[float], str]) -> str:
    from weir.traffic import quantiles

    return ", ".join(f"{name} {text(value)}" for name, value in quantiles(values).items())
