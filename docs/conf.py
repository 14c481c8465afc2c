"""The site of the documentation: `make docs`.

Pages are Markdown that is also readable in the repository, so nothing in them is Sphinx's own. The tree of
pages is `_toc.yml`. What the reference takes from the code is added to its pages here.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import re
import sys
from typing import TYPE_CHECKING, Any

import typer
from docutils import nodes
from sphinx.pycode import ModuleAnalyzer
from typer.cli import get_docs_for_click

from weir import __version__
from weir._public import MODULES
from weir.cli import program
from weir.report.disciplines import tables
from weir.stats import MEASURES
from weir.studio import PAGE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

project = "Weir"
author = "The Weir developers"
release = __version__
extensions = ["myst_nb", "sphinx_external_toc", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

# The sources are the repository's: links to README.md and CONTRIBUTING.md stay what they are.
root_doc = "docs/index"
external_toc_path = "docs/_toc.yml"
include_patterns = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/**",
    "tests/reference/SOURCE.md",
    "tests/reference/*/SOURCE.md",
]
exclude_patterns = ["docs/_build", "docs/_toc.yml"]

myst_heading_anchors = 4
nb_execution_mode = os.environ.get("WEIR_NOTEBOOKS", "cache")
nb_execution_cache_path = "docs/_build/notebooks"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 120

autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
default_role = "code"
smartquotes = False

html_theme = "pydata_sphinx_theme"
html_title = "Weir"
html_context = {"default_mode": "auto"}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = (
    False  # would load pages, which a browser refuses for files: excerpts.js has their texts
)
html_theme_options = {
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "navbar_align": "left",
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": False,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def command_line() -> str:
    """Every command with its options."""
    group = typer.main.get_command(program())
    return get_docs_for_click(
        obj=group, ctx=typer.Context(group, **group.context_settings), name="weir"
    ).partition("\n")[2]


def python() -> str:
    """Every public name with its docstring."""
    return "\n".join(section for name in MODULES for section in _module(name))


def _module(name: str) -> Iterator[str]:
    module = importlib.import_module(name)
    yield f"## {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n"
    for public in module.__all__:
        value = getattr(module, public)
        if inspect.isclass(value):
            inherited = "" if issubclass(value, Exception) else "   :inherited-members: tuple\n"
            yield f".. autoclass:: {name}.{public}\n   :members:\n   :undoc-members:\n{inherited}"
        elif inspect.isfunction(inspect.unwrap(value)):
            yield f".. autofunction:: {name}.{public}\n"
        elif not inspect.ismodule(value) and public != "__version__":
            yield f".. data:: {public}\n"
            yield from (f"   {line}" for line in _described(public, value))
    yield "```\n"


def _described(public: str, value: object) -> list[str]:
    """The text below a constant, in the module of the package that defines it."""
    homes = [
        name
        for name, module in sys.modules.items()
        if name.startswith("weir.") and inspect.ismodule(module) and vars(module).get(public) is value
    ]
    described = (ModuleAnalyzer.for_module(home).find_attr_docs().get(("", public)) for home in homes)
    return next(lines for lines in described if lines)


def measures() -> str:
    """Every measure: its name, unit, table and definition."""
    rows = (
        f"| `{m.name}` | {m.title} | {m.unit} | `{m.table}.{m.column}` | {m.definition} |"
        for m in MEASURES.values()
    )
    return "\n".join(
        ("| name | title | unit | column | definition |", "| --- | --- | --- | --- | --- |", *rows)
    )


GENERATED = {
    "docs/reference/commands": command_line,
    "docs/reference/python": python,
    "docs/reference/measures": measures,
}
"""Pages whose last part is made from the code."""


def _complete(_: Sphinx, page: str, text: list[str]) -> None:
    if page in GENERATED:
        text[0] += f"\n{GENERATED[page]()}\n"


def _code_in_modules(
    _: Sphinx, what: str, _name: str, _value: object, _options: object, lines: list[str]
) -> None:
    """Indented lines of a module's docstring are code."""
    if what == "module":
        text = "\n".join(lines)
        lines[:] = re.sub(r"(?<=\n\n)(?=    )", "::\n\n", text, count=1).split("\n")


DISCIPLINES = "docs/disciplines/"
STUDIO = "_static/studio.html"
TEXTS = "texts.js"
"""File of `_static` with the text of every section, as a script: a page opened as a file can load it."""


def opened_in(page: str) -> str | None:
    """Fragment of the studio's address for a page with a live figure: the landing page, every discipline."""
    if page == root_doc:
        return "start"
    name = page.removeprefix(DISCIPLINES)
    return f"queue/{name}" if page.startswith(DISCIPLINES) and name != "index" else None


def _shown(app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
    """Adds the live figure to a page, where the studio is built: `make studio` needs Node. The cell in the
    corner of a table is the head of nothing."""
    opens = opened_in(page)
    if opens and PAGE.exists():
        data: dict[str, Any] = {"data-opens": opens, "data-studio": context["pathto"](STUDIO, 1)}
        app.add_js_file("live.js", **data)
    if page == "search":
        app.add_js_file("excerpts.js")
        app.add_js_file(TEXTS)
    context["body"] = context.get("body", "").replace('<th class="head"><p></p></th>', "<td></td>")


def _write_beside(app: Sphinx, failure: Exception | None) -> None:
    """Writes the studio with the way back to these pages, and the texts of which a search shows excerpts."""
    if failure is not None or app.builder.name != "html":
        return
    if PAGE.exists():
        page = PAGE.read_text(encoding="utf-8")
        (app.outdir / STUDIO).write_text(with_docs(page, "../docs/"), encoding="utf-8")
    texts = json.dumps({page: sections(app.env.get_doctree(page)) for page in sorted(app.env.found_docs)})
    (app.outdir / "_static" / TEXTS).write_text(f"const TEXTS = {texts};\n", encoding="utf-8")


def with_docs(page: str, place: str) -> str:
    """The studio's page, which leads to the pages of the disciplines at this place."""
    found, changed = re.subn(r'(<meta name="docs" content=")(")', rf"\g<1>{place}\g<2>", page)
    if not changed:
        raise ValueError("the studio has no place for the address of the documentation: make studio")
    return found


def sections(page: nodes.document) -> dict[str, str]:
    """The text of every section without those inside it, by the identifiers of its heading."""
    return {
        " ".join(section["ids"]): " ".join(
            " ".join(part.astext().split())
            for part in section
            if not isinstance(part, nodes.section | nodes.title | nodes.comment | nodes.raw)
        )
        for section in page.findall(nodes.section)
    }


def _typeset(_: Sphinx, page: nodes.document, _name: str) -> None:
    """Typesets blocks of the language `equations`; they stay plain text in the repository and a search."""
    for block in [one for one in page.findall(nodes.literal_block) if one.get("language") == "equations"]:
        inner = tables(block.astext().split("\n"))
        frame = '<div class="equations" tabindex="0" role="group" aria-label="Equations">'
        block.replace_self(nodes.raw("", f"{frame}{inner}</div>", format="html"))


def _always_read(*_: object) -> list[str]:
    """The code may have changed although the page has not."""
    return list(GENERATED)


def setup(app: Sphinx) -> None:
    """Sphinx calls this."""
    app.connect("source-read", _complete)
    app.connect("autodoc-process-docstring", _code_in_modules)
    app.connect("env-get-outdated", _always_read)
    app.connect("doctree-resolved", _typeset)
    app.connect("html-page-context", _shown)
    app.connect("build-finished", _write_beside)
