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
"""Renderings at most: two or three are enough where labels need the same room throughout."""


_NEAR = 2.0
"""Pixels that an image may differ from the size asked for before it is scaled to it."""


def _fitted(specification: dict[str, Any], size: Mapping[str, Any]) -> str:
    """The image in nearly this size. Letters and lines keep theirs: the panels take what is left."""
    import vl_convert

    panels = [(part, side, part[side]) for part, side in _panels(specification)]
    factors = {
        side: _Factor(size[side], min(natural for _, s, natural in panels if s == side)) for side in _SIDES
    }
    for _ in range(_TRIES):
        for part, side, natural in panels:
            part[side] = natural * factors[side].now
        svg = vl_convert.vegalite_to_svg(specification)
        near = [factor.adjust(_sides_of(svg)[side]) for side, factor in factors.items()]
        if all(near):
            return svg
    raise ValueError(f"{' x '.join(size['named'])} has no room for what stands beside the panels")


class _Factor:
    """Factor of the panels along one side: a secant between bounds.

    The larger the panels, the larger the image. It jumps where labels need more or less room.
    """

    def __init__(self, wanted: float, natural: float) -> None:
        self.wanted = wanted
        self.low: float = 0.05
        self.high: float = wanted / natural
        self.slope: float = natural
        """Pixels of the image for one more of the factor; at first, as if there were one panel."""
        self.now: float = min(1.0, self.high)
        self.last: tuple[float, float] | None = None

    def adjust(self, pixels: float) -> bool:
        """Adjusts the factor to an image of this size. Returns true if it is near, and leaves the factor."""
        excess = pixels - self.wanted
        if abs(excess) <= _NEAR:
            return True
        if self.last is not None and self.now != self.last[0]:
            self.slope = max((pixels - self.last[1]) / (self.now - self.last[0]), self.slope / 4)
        self.last = self.now, pixels
        if excess > 0.0:
            self.high = self.now
        else:
            self.low = self.now
        secant = self.now - excess / self.slope
        self.now = secant if self.low < secant < self.high else (self.low + self.high) / 2
        return False


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
