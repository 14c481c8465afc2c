"""A full set with other seeds: the claims whose group it changes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir_papers.groups import CONTRADICTED, REPRODUCED, SO_FAR, UNDECIDED, Group

if TYPE_CHECKING:
    from weir_papers.paper import Paper
    from weir_papers.reproduce import Reproduction


@dataclass(frozen=True)
class Change:
    """A claim with its two groups."""

    paper: str
    claim: str
    here: Group
    again: Group

    @property
    def is_opposite(self) -> bool:
        """True if one set of seeds reproduces the claim, and the other one contradicts it."""
        return {self.here, self.again} == {REPRODUCED, CONTRADICTED}


@dataclass(frozen=True)
class Again:
    """Groups of claims in a full set with other seeds."""

    groups: dict[tuple[str, str], Group]
    """Paper and claim to the group."""

    @classmethod
    def read(cls, path: Path, papers: Iterable[Paper]) -> Again:
        """Reads what `weir reproduce all --seed N --json` has printed about these papers.

        Raises OSError where the file cannot be read, ValueError where it is not of their claims as they are.
        """
        try:
            entries: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
            groups: dict[tuple[str, str], Group] = {
                (one["paper"], one["id"]): one["group"] for one in entries
            }
            registered = {one["paper"]: one["registered"] for one in entries}
        except (UnicodeDecodeError, json.JSONDecodeError, TypeError, KeyError):
            raise ValueError("it is not what `weir reproduce all --json` prints") from None
        for paper in papers:
            if any((paper.key, claim.id) not in groups for claim in paper.claims):
                raise ValueError(f"it has not every claim of {paper.key}")
            if registered[paper.key] != paper.digest:
                raise ValueError(f"{paper.key} is registered otherwise by now, as {paper.digest}")
        if any(group in SO_FAR.values() and group != UNDECIDED for group in groups.values()):
            raise ValueError("its claims have no groups: it is of a set with --quick or --replications")
        return cls(groups)

    def changes(self, outcomes: Sequence[Reproduction]) -> tuple[Change, ...]:
        """The claims whose groups differ."""
        pairs = (
            Change(outcome.paper.key, claim, here, self.groups[outcome.paper.key, claim])
            for outcome in outcomes
            for claim, here in outcome.groups.items()
        )
        return tuple(one for one in pairs if one.here != one.again)
