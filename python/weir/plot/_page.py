"""The frame of every page: one HTML file that needs nothing but itself."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from weir.plot._figure import Figure, Panel
from weir.plot._files import IMAGES, render

PAGE = "report.html"

_HERE = Path(__file__).parent


def environment(*places: Path, markdown: bool = False) -> jinja2.Environment:
    """Templates in these directories, of HTML or of Markdown from texts of our own."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(places),
        autoescape=not markdown,  # noqa: S701 - the Markdown is our own
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=markdown,
    )


def page(
    template: str,
    title: str,
    facts: Mapping[str, str],
    panels: Sequence[Panel],
    script: str,
    *,
    templates: Path = _HERE,
    **values: object,
) -> str:
    """The page that `template` makes, with its charts. `script` defines `vegaEmbed`.

    `templates`: the directory of the template, which may extend those of this package.
    """
    figures = [figure for panel in panels for figure in panel.figures]
    return (
        environment(templates, _HERE)
        .get_template(template)
        .render(
            title=title,
            facts=facts,
            panels=panels,
            charts=_json({figure.name: _chart(figure) for figure in figures}),
            script=Markup(script.replace("</script", "<\\/script")),  # noqa: S704 - the renderer's own
            **values,
        )
    )


def write_page(
    directory: Path,
    template: str,
    title: str,
    facts: Mapping[str, str],
    panels: Sequence[Panel],
    *,
    templates: Path,
    images: Sequence[str] = IMAGES,
    **values: object,
) -> None:
    """Writes the page as `report.html`, and its figures as files into `figures/`."""
    drawn = directory / "figures"
    drawn.mkdir()
    figures = [figure for panel in panels for figure in panel.figures]
    script = render({figure.name: figure.specification for figure in figures}, drawn, images)
    text = page(template, title, facts, panels, script, templates=templates, **values)
    (directory / PAGE).write_text(text, encoding="utf-8")


def figure_page(figure: Figure, script: str, *, caption: bool = True) -> str:
    """A page with one figure, its caption below it."""
    return page("figure.html.jinja", figure.title, {}, [Panel.of(figure)], script, caption=caption)


def _chart(figure: Figure) -> dict[str, Any]:
    return {
        "title": figure.title,
        "caption": figure.caption,
        "chart": figure.bare,
        "columns": figure.columns,
    }


def _json(value: object) -> Markup:
    # "<" only ever occurs in texts, where it may be written as an escape.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return Markup(text)  # noqa: S704 - cannot end the element any more
