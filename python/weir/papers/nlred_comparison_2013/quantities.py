"""How far apart variants lie."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weir.papers.data import Sample, Study
from weir.papers.quantities import Level, Of, Quantity


def most_minus_least(experiment: str, variants: Sequence[str], measure: str, name: str) -> Quantity:
    """Over the variants, run by run: the largest value minus the smallest, at each place.

    `name`: what the variants have in common.
    """
    of = [Level(experiment, variant, measure) for variant in variants]

    def made(study: Study) -> list[Sample]:
        found = [level.samples(study) for level in of]
        axis = study[experiment].axes[-1]
        together: list[Sample] = []
        for samples in zip(*found, strict=True):
            values = np.stack([sample.values for sample in samples])
            place = f"{name}, {axis} {samples[0].at:g}"
            together.append(Sample(place, samples[0].at, values.max(axis=0) - values.min(axis=0)))
        return together

    unit = "points" if of[0].unit == "%" else of[0].unit
    return Of(f"spread of {of[0].title} over max_p", unit, made)
