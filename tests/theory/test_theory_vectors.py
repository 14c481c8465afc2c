"""Every number of an independent calculation, within its tolerance, through the public names."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import fluid_vectors
import loop_vectors
import pytest

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "vectors.json").read_text("utf-8"))[
    "vectors"
]


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_vector(vector: dict[str, Any]) -> None:
    name, inputs = vector["id"], vector["inputs"]
    fluid = fluid_vectors.calculated(name, inputs)
    found = loop_vectors.calculated(name, inputs) if fluid is None else fluid
    assert found is not None, f"{name} is not calculated"
    near = math.isclose(
        found, vector["value"], rel_tol=vector.get("rel_tol") or 0.0, abs_tol=vector.get("abs_tol") or 0.0
    )
    assert near, f"{vector['what']}: {found}, not {vector['value']}"
