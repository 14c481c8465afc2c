"""The kinds of cases by name."""

from __future__ import annotations

from soak import commands, scenarios, stores
from soak.harness import Case

CASES: dict[str, Case] = {"scenarios": scenarios.case, "commands": commands.case, "stores": stores.case}
