"""The site of the documentation: `make docs`.

Pages are Markdown that is also readable in the repository, so nothing in them is Sphinx's own. The tree of
pages is `_toc.yml`. What the reference takes from the code is added to its pages here.
"""

from __future__ import annotations

import importlib
import inspect
import re
import shutil
import sys
from typing import TYPE_CHECKING, Any

import typer
from sphinx.pycode import ModuleAnalyzer
from typer.cli import get_docs_for_click

from weir import __version__
from weir._public import MODULES
from weir.cli import program
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
nb_execution_mode = "cache"
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
html_show_search_summary = False  # would load pages, which a browser refuses for files
html_theme_options = {
    "navbar_end": ["theme-switcher"],
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


def _live_figure(app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
    """The studio on the page of a discipline, where it is built: `make studio` needs Node."""
    name = page.removeprefix(DISCIPLINES)
    if page.startswith(DISCIPLINES) and name != "index" and PAGE.exists():
        data: dict[str, Any] = {
            "data-discipline": name,
            "data-studio": context["pathto"]("_static/studio.html", 1),
        }
        app.add_js_file("live.js", **data)


def _copy_studio(app: Sphinx, failure: Exception | None) -> None:
    if failure is None and app.builder.name == "html" and PAGE.exists():
        shutil.copyfile(PAGE, app.outdir / "_static" / "studio.html")


def _always_read(*_: object) -> list[str]:
    """The code may have changed although the page has not."""
    return list(GENERATED)


def setup(app: Sphinx) -> None:
    """Sphinx calls this."""
    app.connect("source-read", _complete)
    app.connect("autodoc-process-docstring", _code_in_modules)
    app.connect("env-get-outdated", _always_read)
    app.connect("html-page-context", _live_figure)
    app.connect("build-finished", _copy_studio)
