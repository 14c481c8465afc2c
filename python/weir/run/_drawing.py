"""Draws figures: `python -m weir.run._drawing TASK PATHS`, a process of its own, which imports nothing else.

The renderer alone takes half a second to start; data frames and charts would take as long again.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from weir.run._processes import end_with_parent

PNG_SCALE = 3.0
"""Pixels per unit: 84 mm in print have 380 dots per inch."""

_INCH = 96.0
"""Units of a specification in an inch."""

_POINTS = 72.0
"""Points in an inch. PDF and the renderer count in points: the renderer would take a unit of a specification
for a point."""

SPECIFICATION = ".vl.json"
"""Suffix of a figure's specification, from which the figure is drawn."""


def draw(task: str, paths: Sequence[Path]) -> None:
    """`bundle` writes the JavaScript that draws charts into the only path; `.svg,.pdf` draws what the paths
    specify, each beside its specification."""
    import vl_convert

    if task == "bundle":
        # Without a snippet the script makes `vegaEmbed` known to the page.
        script = vl_convert.javascript_bundle()  # pyright: ignore[reportCallIssue, reportUnknownVariableType]
        paths[0].write_text(cast("str", script), encoding="utf-8")
        return
    for source in paths:
        text = source.read_text(encoding="utf-8")
        specification = json.loads(text)
        if _MAY_BE_UNFIT.search(text):
            specification = _fit(specification)
        size = specification.get("usermeta", {}).get("size")
        svg = vl_convert.vegalite_to_svg(specification) if size is None else _fitted(specification, size)
        sides = _sides_of(svg) if size is None else {side: size[side] for side in _SIDES}
        scale = PNG_SCALE if size is None else size["scale"]
        name = source.name.removesuffix(SPECIFICATION)
        for suffix in task.split(","):
            target = source.parent / f"{name}{suffix}"
            if suffix == ".svg":
                named = svg if size is None else _resized(svg, *size["named"])
                target.write_text(own_names(named), encoding="utf-8")
            elif suffix == ".png":
                target.write_bytes(_png(svg, sides, scale))
            else:
                points = (f"{sides[side] * _POINTS / _INCH:.9g}" for side in _SIDES)
                target.write_bytes(vl_convert.svg_to_pdf(_resized(svg, *points)))


_UNFIT = {
    **{code: f"\\x{code:02x}" for code in range(32) if chr(code) not in "\t\n\r"},
    **{code: f"\\u{code:04x}" for code in (0xFFFE, 0xFFFF)},
}
"""Characters that XML, and with it an image, cannot have (XML 1.0, 2.2), written out."""


_MAY_BE_UNFIT = re.compile(r"\\u(?:00[01]|fff[ef])|\\[bf]|[\ufffe\uffff]", re.IGNORECASE)
"""Finds such characters in JSON, which writes most of them with a backslash."""


def _fit(part: Any) -> Any:  # noqa: ANN401 - what JSON can hold
    """Returns a copy whose texts can stand in an image: the renderer breaks down at others."""
    if isinstance(part, str):
        return part.translate(_UNFIT)
    if isinstance(part, list):
        return [_fit(one) for one in cast("list[Any]", part)]
    if isinstance(part, dict):
        return {_fit(key): _fit(one) for key, one in cast("dict[str, Any]", part).items()}
    return part


def _png(svg: str, sides: Mapping[str, float], scale: float) -> bytes:
    """PNG with so many pixels per unit, to the nearest pixel. The file states how many there are in an
    inch."""
    import vl_convert

    # The renderer cuts off what is left of a pixel.
    pixels = (f"{round(sides[side] * scale) + 0.01:g}" for side in _SIDES)
    # It would draw with so many more of them, too.
    ppi = scale * _INCH
    return vl_convert.svg_to_png(_resized(svg, *pixels), scale=_POINTS / ppi, ppi=ppi)


_NAMED = re.compile(r'(?P<before> id="|url\(#)(?P<name>[^")]+)')


def own_names(svg: str) -> str:
    """The image with names of its parts that no other image has. The renderer numbers them on from all that
    it has drawn before: the same figure would be another file each time."""
    numbers: dict[str, int] = {}
    for found in _NAMED.finditer(svg):
        numbers.setdefault(found["name"], len(numbers))
    plain = _NAMED.sub(lambda found: f"{found['before']}{numbers[found['name']]}", svg)
    # Images stand together on a page: numbers alone would be those of the others.
    prefix = f"p{sha256(plain.encode()).hexdigest()[:8]}"
    return _NAMED.sub(lambda found: f"{found['before']}{prefix}-{numbers[found['name']]}", svg)


_SIDES = ("width", "height")
_ROOT = re.compile(r'width="(?P<width>[\d.]+)" height="(?P<height>[\d.]+)"')


def _sides_of(svg: str) -> dict[str, float]:
    """Width and height of the whole image, by name."""
    found = _ROOT.search(svg)
    assert found is not None
    return {side: float(found[side]) for side in _SIDES}


def _resized(svg: str, width: str, height: str) -> str:
    """Image in exactly this size: without an edge where it had other proportions by a pixel."""
    exactly = f'width="{width}" height="{height}" preserveAspectRatio="none"'
    return _ROOT.sub(exactly, svg, count=1)


_TRIES = 16
"""Bisections of a factor of at most ten to a thousandth."""


_NEAR = 2.0
"""Pixels that an image may differ from the size asked for before it is scaled to it."""


def _fitted(specification: dict[str, Any], size: Mapping[str, Any]) -> str:
    """The image in nearly this size. Letters and lines keep theirs: the panels take what is left."""
    import vl_convert

    panels = [(part, side, part[side]) for part, side in _panels(specification)]
    # The larger the panels, the larger the image, in jumps: labels need more or less room.
    bounds = {side: [0.05, size[side] / min(n for _, s, n in panels if s == side)] for side in _SIDES}
    for _ in range(_TRIES):
        factors = {side: sum(ends) / 2 for side, ends in bounds.items()}
        for part, side, natural in panels:
            part[side] = natural * factors[side]
        svg = vl_convert.vegalite_to_svg(specification)
        excess = {side: pixels - size[side] for side, pixels in _sides_of(svg).items()}
        if all(abs(pixels) <= _NEAR for pixels in excess.values()):
            return svg
        for side, pixels in excess.items():
            if abs(pixels) > _NEAR / 2:
                bounds[side][pixels > 0.0] = factors[side]
    raise ValueError(f"{' x '.join(size['named'])} has no room for what stands beside the panels")


def _panels(part: object) -> Iterator[tuple[dict[str, Any], str]]:
    """Every width and every height of a specification, with the part that has it."""
    if isinstance(part, dict):
        own = cast("dict[str, Any]", part)
        yield from ((own, side) for side in ("width", "height") if isinstance(own.get(side), int | float))
        inner = [own[name] for name in ("spec", "concat", "vconcat", "hconcat") if name in own]
    else:
        inner = cast("list[Any]", part) if isinstance(part, list) else []
    for one in inner:
        yield from _panels(one)


if __name__ == "__main__":
    end_with_parent()
    draw(sys.argv[1], [Path(path) for path in sys.argv[2:]])
