"""A hundredth of `make soak` or less: inputs with random mistakes, and damaged stores."""

from __future__ import annotations

import pytest

from soak.cases import CASES
from soak.harness import failures

FEW = {"scenarios": 250, "commands": 25, "stores": 3}


@pytest.mark.slow
@pytest.mark.parametrize("kind", CASES)
def test_no_input_ends_in_a_traceback(kind: str) -> None:
    found = failures(kind, 0, FEW[kind])
    assert not found, "\n\n".join(f"{kind} --seed {seed} --count 1: {why}" for seed, why in found.items())


def test_a_worker_that_does_not_begin_is_said() -> None:
    with pytest.raises(RuntimeError, match="before its first case"):
        failures("nothing", 0, 2)
