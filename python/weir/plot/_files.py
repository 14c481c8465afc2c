"""Figures as files and pages. Images are drawn by separate processes.

A page is one HTML file that needs nothing but itself. The renderer holds the interpreter for up to
1.5 s at a time, in which Python handles no Ctrl-C. A process can be ended at any time, and two of them
use two cores.
"""

from __future__ import annotations

import errno
import json
import os
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from hashlib import sha256
from pathlib import Path
from shutil import copyfile
from typing import Any

import jinja2
from markupsafe import Markup

from weir._temporary import temporary_directory
from weir.plot import _style as style
from weir.plot._figure import Figure, Panel
from weir.run import SPECIFICATION, Process
from weir.stats.wording import sentence_case
from weir.store import write_whole
from weir.sweep import ChartError

_HERE = Path(__file__).parent

IMAGES = (".svg", ".pdf", ".png")
"""File formats of the figures of a report."""

SUFFIXES = (*IMAGES, ".html", ".json")
"""File formats of a single figure."""

SHARES = 2
"""Number of processes that draw a report's figures."""

_script: list[str] = []
"""JavaScript that draws charts, once it is known. It is the same for every page, and a second's work."""


def render(
    specifications: Mapping[str, dict[str, Any]], directory: Path, images: Sequence[str] = IMAGES
) -> str:
    """Writes NAME.vl.json and the images; returns the JavaScript that draws charts.

    The script defines `vegaEmbed` and needs nothing else. Raises OSError where the figures cannot
    be drawn or written.

    Example:
        >>> import os
        >>> from pathlib import Path
        >>> drawn = weir.plot.lines(result, "utilisation")
        >>> os.mkdir("figures")
        >>> script = weir.plot.render({"users": drawn.specification}, Path("figures"), images=[".svg"])
        >>> sorted(os.listdir("figures")), "vegaEmbed" in script
        (['users.svg', 'users.vl.json'], True)
    """
    sources: list[Path] = []
    for name, specification in specifications.items():
        sources.append(directory / f"{name}{SPECIFICATION}")
        _write_json(specification, sources[-1])
    shares = [sources[first::SHARES] for first in range(SHARES)]
    bundle = directory / "bundle.js"
    tasks = [] if _script else [["bundle", bundle]]
    _run([*tasks, *([",".join(images), *share] for share in shares if share)])
    if not _script:
        _script.append(bundle.read_text(encoding="utf-8"))
        bundle.unlink()
    return _script[0]


def save(figure: Figure, path: str | os.PathLike[str], *, caption: bool = True) -> None:
    """Writes one figure: .svg, .pdf, .png, .html (a page that needs no network) or .json (Vega-Lite).

    An image has title and caption above the chart, unless `caption` is False; a page is without
    its caption then. The Vega-Lite is that of the chart alone. An earlier file stays as it was
    until the new one is whole.

    Raises ChartError for another suffix, and OSError where the figure cannot be drawn or written.

    Example:
        >>> from pathlib import Path
        >>> drawn = weir.plot.lines(result, "mean delay").styled(size="84x60mm")
        >>> weir.plot.save(drawn, "figures/delay.svg")
        >>> 'width="84mm" height="60mm"' in Path("figures/delay.svg").read_text(encoding="utf-8")
        True
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        said = f"{suffix} is no form of a figure" if suffix else f"{path} has no suffix"
        raise ChartError(said, f"name a file that ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")
    if figure.layout.size is not None and suffix not in IMAGES:
        raise ChartError(f"{path}: the reader chooses the size of a page", "ask for .svg, .pdf or .png")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), error.filename) from None
    with temporary_directory("weir-") as place:
        drawn = place / f"figure{suffix}"
        if suffix == ".json":
            _write_json(figure.specification, drawn)
        elif suffix == ".html":
            panels, script = [Panel.of(figure)], render({}, place)
            text = page("figure.html.jinja", figure.title, {}, panels, script, caption=caption)
            drawn.write_text(text, encoding="utf-8")
        else:
            source = place / f"figure{SPECIFICATION}"
            _write_json(figure.captioned if caption else figure.specification, source)
            _run([[suffix, source]])
        write_whole(path, partial(copyfile, drawn))


def template_environment(*places: Path, markdown: bool = False) -> jinja2.Environment:
    """Environment for templates in these directories: of HTML, or of Markdown from texts of our own."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(places),
        autoescape=not markdown,  # noqa: S701 - the Markdown is our own
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=markdown,
    )
    own: dict[str, Any] = {"contents": contents, "capital": capital}
    made.filters.update(own)
    return made


def capital(sentence: str) -> str:
    """Sentence with a capital letter, unless it begins with the name of a parameter, as `max_th`."""
    return sentence if "_" in sentence.partition(" ")[0] else sentence_case(sentence)


def contents(html: str) -> list[tuple[str, Markup]]:
    """Headings of a section: the identifier and text of each."""
    found = re.findall(r'<h2 id="([^"]+)"[^>]*>(.*?)</h2>', html, re.DOTALL)
    return [(id_, Markup(heading)) for id_, heading in found]  # noqa: S704 - of a page that is escaped


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

    Raises TemplateNotFound of Jinja for a template that is not there.

    Example:
        >>> from weir.plot import Panel, page
        >>> panel = Panel.of(weir.plot.lines(result, "utilisation"))
        >>> text = page("figure.html.jinja", "Utilisation", {}, [panel], script="", caption=True)
        >>> text.count("<script"), panel.figures[0].title in text
        (3, True)
    """
    charts = {
        figure.name: {
            "title": figure.title,
            "caption": figure.caption,
            "chart": {**figure.bare, "background": None},
            "columns": figure.columns,
        }
        for panel in panels
        for figure in panel.figures
    }
    scripts = [_ending_nothing(text) for text in (script, (_HERE / "page.js").read_text(encoding="utf-8"))]
    # "<" only ever occurs in texts, where it may be written as an escape: none ends the element.
    data = json.dumps(charts, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return (
        template_environment(templates, _HERE)
        .get_template(template)
        .render(
            title=title,
            facts=facts,
            panels=panels,
            dark=style.DARK,
            charts=Markup(data),  # noqa: S704 - cannot end the element any more
            scripts=[Markup(text) for text in scripts],  # noqa: S704 - the renderer's and our own
            policy=_policy(scripts),
            **values,
        )
    )


def _ending_nothing(script: str) -> str:
    """Script as it may stand in an element, with the line ends that a browser reads."""
    return script.replace("\r\n", "\n").replace("\r", "\n").replace("</script", "<\\/script")


def _policy(scripts: Sequence[str]) -> str:
    """Content security policy of a page. It may run these scripts, which draw charts by functions that they
    make, and nothing from elsewhere, whatever names and titles in it say."""
    sums = (b64encode(sha256(script.encode()).digest()).decode() for script in scripts)
    hashes = " ".join(f"'sha256-{checksum}'" for checksum in sums)
    return (
        f"default-src 'none'; script-src {hashes} 'unsafe-eval'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def write_page(
    directory: Path,
    template: str,
    title: str,
    facts: Mapping[str, str],
    panels: Sequence[Panel],
    *,
    templates: Path,
    images: Sequence[str] = (),
    **values: object,
) -> None:
    """Writes the page as `report.html`, and its figures in these forms into `figures/`.

    Raises OSError where a file cannot be written.

    Example:
        >>> import os
        >>> from pathlib import Path
        >>> panel = weir.plot.Panel.of(weir.plot.lines(result, "utilisation"))
        >>> os.mkdir("page")
        >>> weir.plot.write_page(
        ...     Path("page"), "figure.html.jinja", "Use", {}, [panel], templates=Path(), caption=True
        ... )
        >>> os.listdir("page")
        ['report.html']
    """
    figures = [figure for panel in panels for figure in panel.figures] if images else []
    with temporary_directory("weir-") as scratch:
        place = directory / "figures" if images else scratch
        place.mkdir(exist_ok=True)
        script = render({figure.name: figure.specification for figure in figures}, place, images)
    text = page(template, title, facts, panels, script, templates=templates, **values)
    (directory / "report.html").write_text(text, encoding="utf-8")


def _write_json(specification: dict[str, Any], path: Path) -> None:
    path.write_text(json.dumps(specification, ensure_ascii=False), encoding="utf-8")


_NO_ROOM = "has no room for"
"""Message of the drawing process if panels would vanish."""


def _run(tasks: Sequence[Sequence[str | Path]]) -> None:
    """Does the tasks at the same time. Raises ChartError where a size has no room for the panels, OSError
    where one fails otherwise: mostly, a disk is full."""
    with ExitStack() as stack:
        started = [stack.enter_context(Process(["-m", "weir.run._drawing", *task])) for task in tasks]
        for process in started:
            try:
                process.finish()
            except RuntimeError as error:
                # The last line of a traceback; all of it is in the cause.
                *_, last = str(error).splitlines()
                if _NO_ROOM in last:
                    raise ChartError(
                        last.partition(": ")[2].strip(),
                        "a larger size; or less beside them: no title, no legend, fewer series or panels",
                    ) from None
                raise OSError(f"the process that draws has failed: {last.strip()}") from error
