"""Networks of a result: the ports its groups of flows pass, and those that limit them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import polars as pl

from weir import _core
from weir.sweep._recorded import RecordedSweep


class NetworkedSweep(RecordedSweep):
    """Result with the networks of its variants."""

    @cached_property
    def queue_classes(self) -> list[str]:
        """Classes of packets that the bottleneck's queue distinguishes, in any variant."""
        found = (one.port(one.bottleneck.name).classes for one in self._networks)
        return list(dict.fromkeys(name for names in found for name in names))

    @cached_property
    def ports(self) -> list[str]:
        """Directions of links that have a queue, in any variant, such as `LINK` and `LINK.reverse`."""
        return list(dict.fromkeys(port.name for network in self._networks for port in network.ports))

    @cached_property
    def data_ports(self) -> list[str]:
        """Ports that data pass, not ACKs alone."""
        ports = (port for network in self._networks for port in network.ports if port.load)
        return list(dict.fromkeys(port.name for port in ports))

    @cached_property
    def has_both_directions(self) -> bool:
        """True if data pass the link of the bottleneck in both directions, as downloads and uploads do."""
        links = [port.removesuffix(".reverse") for port in self.data_ports]
        limiting = {network.bottleneck.link for network in self._networks}
        return any(links.count(link) > 1 for link in limiting)

    @cached_property
    def only_acks(self) -> list[str]:
        """Groups whose data do not pass the bottleneck. Their delays and marks there are those of ACKs."""
        there: dict[str, bool] = {}
        for network in self._networks:
            name = network.bottleneck.name
            for path in network.paths:
                if name in path.data:
                    there[path.group] = False
                elif name in path.acks and not path.is_datagrams:
                    there.setdefault(path.group, True)
        return [group for group, acks in there.items() if acks]

    @cached_property
    def passed_by(self) -> list[str]:
        """Groups whose data pass the bottleneck, if the data of others pass elsewhere."""
        passing = dict.fromkeys(
            path.group
            for network in self._networks
            for path in network.paths
            if network.bottleneck.name in path.data
        )
        return list(passing) if len(passing) < len(self.flow_groups) else []

    def bottlenecks(self, point: int, variant: str) -> Mapping[str, str]:
        """Port that limits each flow group in one configuration. Raises InputError as `resolved_at` does."""
        network = _core.network_of(self.resolved_at(point, variant))
        return {path.group: path.bottleneck.name for path in network.paths}

    def of_one_link(self, differences: pl.DataFrame, group: str, baseline: str) -> pl.DataFrame:
        """Removes differences of a goodput that is a share of another link than that of the baseline."""
        if group not in self.flow_groups or "goodput" not in differences["measure"]:
            return differences
        elsewhere = [
            (pl.col("point") == point) & (pl.col("variant") == variant)
            for point, variant in differences.select("point", "variant").unique().iter_rows()
            if self.bottlenecks(point, variant)[group] != self.bottlenecks(point, baseline)[group]
        ]
        if not elsewhere:
            return differences
        mixed = pl.any_horizontal(elsewhere) & (pl.col("measure") == "goodput")
        values: dict[str, object] = {"n": 0, "verdict": "other link"}
        values |= dict.fromkeys(("difference", "half_width", "low", "high", "correlation"))
        schema = differences.schema
        return differences.with_columns(
            pl.when(mixed).then(pl.lit(value, schema[name])).otherwise(pl.col(name)).alias(name)
            for name, value in values.items()
        )

    @cached_property
    def _networks(self) -> list[_core.Network]:
        return [_core.network_of(text) for text in self.resolved.values()]
