"""`weir theory design` and `bifurcation`: parameters from rules, and RED as a map; each beside packets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weir.cli import _command as command
from weir.cli._options import Json, Quiet, StorePath, flag, option, with_groups
from weir.cli._theory import Output, theory

if TYPE_CHECKING:
    from weir.theory import Analysis, Designed


@theory.command("design")
def design(
    discipline: Annotated[str, typer.Argument(metavar="DISCIPLINE", help="pi, pi2, pie, red, rem or dctcp.")],
    *,
    flows: Annotated[float, option("N", "The fewest flows.", min=1.0)] = 60,
    rtt: Annotated[str, option("TIME", "The longest round trip, queue included.")] = "246 ms",
    rate: Annotated[str, option("RATE", "Of the link.")] = "15 Mbit/s",
    packet_size: Annotated[str, option("SIZE", "Of a packet.")] = "500 B",
    target: Annotated[
        str | None,
        option("QUEUE", "In packets or as a delay; of dctcp only a part of --rtt. Default: 15 ms."),
    ] = None,
    margin: Annotated[float, option("FACTOR", "Gain margin that PIE and REM are to have.", min=1.01)] = 2.0,
    confirm: Annotated[bool, flag("--confirm", "Simulate it once, and show what it does.")] = False,
    store: StorePath = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Parameters of a discipline from flows, round trip and rate, and the margins that they leave."""
    from weir import _core
    from weir.theory import analyse
    from weir.theory import design as designed

    values: dict[str, float] = {}
    for name, text, kinds in (
        ("rtt", rtt, ("s",)),
        ("rate", rate, ("bit/s",)),
        ("packet-size", packet_size, ("B",)),
        ("target", target or "15 ms", ("s", "packets")),
    ):
        try:
            value, kind = _core.quantity(text)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint=f"--{name}") from None
        if kind not in kinds:
            raise typer.BadParameter(f"{text!r} is not in {' or '.join(kinds)}", param_hint=f"--{name}")
        values[name] = value
        values[f"{name}:{kind}"] = value
    capacity = values["rate"] / (8.0 * values["packet-size"])
    queue = values["target"] * (capacity if "target:s" in values else 1.0)
    if discipline == "dctcp" and target is not None and not quiet:
        command.note("the rule gives the threshold K: --target is what --rtt has of queue, and no more")
    found = designed(discipline, flows, values["rtt"], capacity, target=queue, margin=margin)
    one = analyse(found.system)
    text = scenario_of(found, flows, rate, packet_size, _settling(one))
    measured = _confirmed(text, store) if confirm else None
    document = {
        "discipline": found.discipline,
        "parameters": found.parameters,
        "rule": found.rule,
        "bounds": found.said,
        "analysis": one.document(),
        "measured": measured,
    }
    if json:
        command.print_json(document)
        return
    lines = [f"{found.discipline} by {found.rule}", f"queue.{found.discipline} = {_toml(found.parameters)}"]
    lines += [f"{name}: {value:.4g}" for name, value in found.said.items()]
    if one.margins is not None and one.roots is not None:
        m = one.margins
        lines.append(
            f"for {flows:g} flows and {rtt}: gain margin {m.gain_margin or float('inf'):.3g}, phase margin "
            f"{m.phase_margin or float('nan'):.3g} degrees, sigma {one.roots.growth:.3g}/s; queue "
            f"{one.point.queue:.4g} "
            f"packets"
        )
    if measured is not None:
        lines.append(
            f"simulated once: queue {measured['mean_queue']:.4g} packets, sd "
            f"{measured['queue_sd']:.4g}, goodput {measured['goodput']:.4g}%" + _predicted(measured)
        )
    command.print_text("\n".join(lines))
    if not quiet and measured is None:
        command.note("--confirm simulates it once")


def _predicted(measured: dict[str, Any]) -> str:
    """The deviation that theory says, and why it may not hold."""
    if measured["predicted_sd"] is None:
        return ""
    doubts = ", ".join(measured["doubts"])
    return f"; predicted sd {measured['predicted_sd']:.4g}" + (f", doubtful: {doubts}" if doubts else "")


def _toml(parameters: dict[str, Any]) -> str:
    from weir.scenario import to_toml

    short = {k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in parameters.items()}
    return f"{{ {', '.join(f'{name} = {to_toml(value)}' for name, value in short.items())} }}"


def _settling(one: Analysis) -> float:
    """Seconds until what slow start has done is gone: the slowest root, and an integrator that has wound
    up."""
    from weir.theory import Integrator

    aqm, point = one.point.aqm, one.point
    slowest = 8.0 / abs(one.roots.growth) if one.roots is not None else 0.0
    if not isinstance(aqm, Integrator):
        return slowest
    pull = aqm.integral * aqm.aim(one.system.capacity) / aqm.divisor(point.state)
    per = one.system.capacity if aqm.by_delay else 1.0
    return max(slowest, 8.0 * point.state / (pull / per))


def scenario_of(found: Designed, flows: float, rate: str, packet_size: str, settling: float) -> str:
    """A scenario with the fewest flows and the longest round trip of a design; half of it is warm-up."""
    group = found.system.groups[0]
    capacity = found.system.capacity
    buffer = max(4.0 * capacity * group.delay, 200.0)
    control = f"tcp.congestion.dctcp.gain = {group.gain:.6g}\n" if group.kind == "dctcp" else ""
    duration = min(max(60.0, 400.0 * group.delay, 2.0 * settling), 2000.0) if group.delay > 1e-3 else 2.0
    return (
        f'schema = 1\nname = "design-{found.discipline}"\nduration = "{duration:g} s"\n'
        f'[measure]\nwarm_up = "{duration / 2.0:g} s"\n[links.bottleneck]\nrate = "{rate}"\n'
        f'delay = "{group.delay / 4.0 * 1e6:.6g} us"\nbuffer = "{round(buffer)} packets"\n'
        f"queue.{found.discipline} = {_toml(found.parameters)}\n"
        f'[flows.bulk]\ncount = {round(flows)}\nrtt = "{group.delay * 1e6:.6g} us"\npacket_size = '
        f'"{packet_size}"\n'
        f'start_jitter = "{min(1.0, 10.0 * group.delay):g} s"\ntcp.ecn = true\n{control}'
    )


def _confirmed(text: str, store: Path | None) -> dict[str, Any]:
    """One run of it."""
    import polars as pl

    from weir._api import Scenario
    from weir.theory import analyse, system_of

    loaded = Scenario.loads(text)
    row = loaded.run(store=store).observations().filter(pl.col("period") == -1).row(0, named=True)
    reading = system_of(loaded)
    one = analyse(reading.system, reading.flags)
    doubts = [code for row in one.predictions if row.name == "deviation" for code in row.flags]
    return {
        "mean_queue": row["mean_queue"],
        "queue_sd": row["queue_sd"],
        "predicted_sd": one.deviation,
        "doubts": doubts,
        "goodput": row["goodput"],
    }


@theory.command("bifurcation")
@with_groups
def bifurcation(
    *,
    weights: Annotated[
        str, option("LOW..HIGH", "Weight of a new queue in the average, once a round trip.")
    ] = "0.1..0.3",
    levels: Annotated[int, option("N", "Of the weight.", min=2, max=4000)] = 400,
    packets: Annotated[
        int, option("N", "Simulate the packet system at so many weights beside it.", min=0, max=50)
    ] = 0,
    store: StorePath = None,
    output: Output,
) -> None:
    """RED as a map of Ranjan, Abed and La: period doubling over the averaging weight, and packets beside
    it."""
    import numpy as np

    from weir.theory import ranjan

    output.check()
    low, dots, high = weights.partition("..")
    try:
        ends = float(low), float(high)
    except ValueError:
        raise typer.BadParameter(f"{weights!r} is no range: 0.1..0.3", param_hint="--weights") from None
    if not dots or not 0.0 < ends[0] < ends[1] < 1.0:
        raise typer.BadParameter(f"{weights!r} is no range between 0 and 1", param_hint="--weights")
    found = ranjan()
    runs = [_packet_system(w, store, quiet=output.quiet) for w in np.linspace(*ends, packets).tolist()]
    if output.out is not None:
        from weir.plot import Curve
        from weir.plot import bifurcation as drawn

        x, y, fifth, last = ([run[name] for run in runs] for name in ("weight", "mean", "low", "high"))
        curves = [Curve("packets", x, y, fifth, last)] if runs else []
        command.write_file(output.out, drawn(found, np.linspace(*ends, levels), curves))
    told = {
        "fixed_point_packets": found.fixed,
        "critical_weight": found.critical,
        "empty_above_packets": found.empty_above,
        "full_below_packets": found.full_below,
        "lyapunov": {f"{w:g}": found.lyapunov(w) for w in ends},
        "packets": runs,
    }
    if output.json:
        command.print_json(told)
    else:
        lines = [
            "RED as a map, 250 flows over 75 Mbit/s (Ranjan, Abed and La, 2004)",
            f"fixed point {found.fixed:.5g} packets; its period doubles at a weight of {found.critical:.5g}",
            *(f"Lyapunov exponent at {w:g}: {found.lyapunov(w):.3g}" for w in ends),
            *(
                f"packets at {r['weight']:.3g}: average {r['mean']:.4g}, 5 to 95% over time "
                f"{r['low']:.4g} to {r['high']:.4g}"
                for r in runs
            ),
        ]
        command.print_text("\n".join(lines))
    output.say_file()


def _packet_system(weight: float, store: Path | None, *, quiet: bool) -> dict[str, float]:
    """The network of the map in packets: its average, with a weight per packet that makes the same of a round
    trip."""
    import polars as pl

    from weir._api import Scenario
    from weir.theory import ranjan

    found = ranjan()
    packets = found.capacity * (found.rtt + found.fixed / found.capacity)
    each = 1.0 - (1.0 - weight) ** (1.0 / packets)
    if not quiet:
        command.note(f"packets at a weight of {weight:.3g} ...")
    text = (
        'schema = 1\nname = "red-map"\nduration = "60 s"\n[measure]\nwarm_up = "30 s"\nseries = { '
        'interval = "20 ms" }\n'
        '[links.bottleneck]\nrate = "75 Mbit/s"\ndelay = "25 ms"\nbuffer = "3750 packets"\n'
        f'queue.red = {{ min_th = "250 packets", max_th = "750 packets", max_p = 0.1, w_q = {each:.6g}, '
        'gentle = true, spacing = "geometric", ecn = true }\n'
        '[flows.bulk]\ncount = 250\nrtt = "100 ms"\npacket_size = "500 B"\nstart_jitter = "1 '
        's"\ntcp.ecn = true\n'
    )
    series = Scenario.loads(text).run(store=store).series_of()
    average = series.filter(pl.col("variable") == "average", pl.col("time_s") >= 30.0)["value"]
    low, high = average.quantile(0.05), average.quantile(0.95)
    mean = average.mean()
    assert isinstance(mean, float)
    assert low is not None
    assert high is not None
    return {"weight": weight, "mean": mean, "low": low, "high": high}
