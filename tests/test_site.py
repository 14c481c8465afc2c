"""The documentation as a site: every link leads somewhere, and nothing is asked of the network."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from inspect import ismodule
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup

from browsing import Scheme, chromium, findings
from waiting import patient
from weir.studio import PAGE

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["chromium"]

pytestmark = pytest.mark.soak
"""`make docs`, which CI runs too, refuses what cannot be built."""

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
SHOWN = (
    "docs/index.html",
    "docs/tutorial/first-hour.html",
    "docs/how-to/index.html",
    "docs/how-to/studio.html",
    "docs/how-to/sweeps.html",
    "docs/how-to/tuning.html",
    "docs/reference/index.html",
    "docs/reference/keys.html",
    "docs/reference/measures.html",
    "docs/disciplines/index.html",
    "docs/disciplines/red.html",
    "docs/disciplines/cake.html",
    "docs/congestion/index.html",
    "docs/congestion/bbr3.html",
    "docs/explanation/theory.html",
    "docs/explanation/fluid.html",
    "docs/papers/rem-2001.html",
    "docs/notebooks/own-aqm.html",
    "docs/architecture.html",
    "README.html",
)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """The requests of the browser are not printed."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built without a warning."""
    built = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", "-c", "docs"]
    places = [
        "-D",
        f"nb_execution_cache_path={built / 'notebooks'}",
        "-d",
        built / "doctrees",
        ".",
        built / "html",
    ]
    done = subprocess.run([*command, *places], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return built / "html"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, BeautifulSoup]:
    return {
        path: BeautifulSoup(path.read_bytes(), "html.parser")
        for path in site.rglob("*.html")
        if "_static" not in path.parts
    }


def test_every_link_leads_somewhere(site: Path, pages: dict[Path, BeautifulSoup]) -> None:
    anchors = {path: {str(tag["id"]) for tag in page.find_all(id=True)} for path, page in pages.items()}
    missing: list[str] = []
    for path, page in pages.items():
        for tag in page.find_all("a", href=True):
            to = urlsplit(str(tag["href"]))
            if to.scheme:
                continue
            leads = (path.parent / unquote(to.path)).resolve() if to.path else path
            known = leads.exists() and (not to.fragment or unquote(to.fragment) in anchors[leads])
            missing += [] if known else [f"{path.relative_to(site)}: {tag['href']}"]
    assert len(pages) > 50
    assert missing == []


def test_the_reference_has_what_the_code_has(site: Path, pages: dict[Path, BeautifulSoup]) -> None:
    import weir
    from weir._public import MODULES
    from weir.cli._app import VERBS
    from weir.stats import MEASURES

    def text(name: str) -> str:
        return pages[site / "docs" / "reference" / f"{name}.html"].get_text()

    assert all(f"\nweir {verb}" in text("commands") for verb in VERBS)
    assert all(measure.definition in text("measures") for measure in MEASURES.values())
    documented = {
        str(tag["id"]) for tag in pages[site / "docs/reference/python.html"].find_all("dt", id=True)
    }
    public = {f"{module}.{name}" for module in MODULES for name in import_module(module).__all__}
    inside = {name for name in public if ismodule(attrgetter(name.removeprefix("weir."))(weir))}
    assert public - documented == {"weir.__version__", *inside}
    assert "weir.Sweep.differences" in documented


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_results_and_shown_with_them(
    notebook: Path, site: Path, pages: dict[Path, BeautifulSoup]
) -> None:
    cells = [cell for cell in json.loads(notebook.read_bytes())["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    page = site / "docs" / "notebooks" / f"{notebook.stem}.html"
    images = [page.parent / str(image["src"]) for image in pages[page].select(".cell_output img")]
    assert len(images) >= 2
    assert "95% confidence intervals" in "".join(image.read_text(encoding="utf-8") for image in images)


@pytest.mark.browser
@pytest.mark.skipif(not PAGE.exists(), reason="the studio is not built: make studio")
@pytest.mark.parametrize("form", ["files", "served"])
def test_every_discipline_has_a_live_figure_that_loads_when_asked_for(
    site: Path, chromium: Browser, form: str
) -> None:
    names = [path.stem for path in (site / "docs/disciplines").glob("*.html") if path.stem != "index"]
    assert len(names) > 20
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        start = f"http://127.0.0.1:{server.server_port}" if form == "served" else site.as_uri()
        for name in names if form == "served" else names[:2]:
            page = patient(chromium.new_page())
            requests: list[str] = []
            page.on("request", lambda request, seen=requests: seen.append(request.url))
            page.goto(f"{start}/docs/disciplines/{name}.html")
            assert not any("studio" in url for url in requests)
            page.get_by_role("button", name="live figure").click()
            figure = page.frame_locator("iframe.live")
            figure.locator("footer .time b", has_text=re.compile(r"^0?[1-9]")).wait_for()
            assert figure.get_by_label("Queue discipline of B").input_value() == name
            assert figure.get_by_role("alert").count() == 0
            to = figure.locator("section[aria-label='Queue B'] .what a").get_attribute("href")
            assert to == f"../docs/disciplines/{name}.html"
            assert all(url.startswith((start, "blob:", "data:")) for url in requests)
            page.close()
        server.shutdown()


@pytest.mark.browser
@pytest.mark.skipif(not PAGE.exists(), reason="the studio is not built: make studio")
def test_the_landing_page_opens_with_a_live_figure(site: Path, chromium: Browser) -> None:
    page = patient(chromium.new_page(viewport={"width": 1280, "height": 800}))
    page.goto((site / "docs/index.html").as_uri())
    box = page.get_by_role("button", name="live figure").bounding_box()
    assert box is not None
    assert box["y"] < 400
    page.get_by_role("button", name="live figure").click()
    figure = page.frame_locator("iframe.live")
    figure.locator("footer .time b", has_text=re.compile(r"^0?[1-9]")).wait_for()
    assert page.locator("article img[src*=live-figure]").count() == 0
    page.close()
    plain = chromium.new_page(java_script_enabled=False)
    plain.goto((site / "docs/index.html").as_uri())
    assert plain.locator("article a[href='how-to/studio.html'] img").is_visible()
    plain.close()


@pytest.mark.browser
def test_a_visit_asks_nothing_of_the_network(site: Path, chromium: Browser) -> None:
    page = patient(chromium.new_page())
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on(
        "console", lambda said: complaints.append(said.text) if said.type in {"error", "warning"} else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    for name in SHOWN:
        page.goto((site / name).as_uri())
    page.goto((site / "index.html").as_uri(), wait_until="commit")
    page.wait_for_url("**/docs/index.html")
    page.goto((site / "search.html").as_uri() + "?q=sojourn")
    page.wait_for_selector("#search-results li a")
    page.close()
    assert complaints == []
    assert len(requests) > 20
    assert [url for url in requests if not url.startswith((site.as_uri(), "data:"))] == []


@pytest.mark.browser
def test_every_result_of_a_search_has_an_excerpt(site: Path, chromium: Browser) -> None:
    page = patient(chromium.new_page())
    page.goto(f"{site.as_uri()}/search.html?q=sojourn+time")
    page.locator("#search-results li").nth(9).wait_for()
    results = page.locator("#search-results li")
    with_text = results.filter(
        has=page.locator("p.excerpt mark", has_text=re.compile("sojourn|time", re.IGNORECASE))
    )
    # A name of the Python package that matches has no section of its own.
    assert with_text.count() >= 10
    assert max(map(len, page.locator("p.excerpt").all_inner_texts())) < 260
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 1920, 390])
def test_the_navigation_holds(site: Path, width: int, chromium: Browser) -> None:
    page = patient(chromium.new_page(viewport={"width": width, "height": 800}))
    for name in SHOWN:
        page.goto((site / name).as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        # One line, and nothing beyond an edge.
        boxes: list[list[float]] = page.evaluate(
            "[...document.querySelectorAll('.bd-header a, .bd-header button')]"
            ".map((one) => one.getBoundingClientRect()).filter((box) => box.width)"
            ".map((box) => [box.left, box.right, box.top])"
        )
        assert len(boxes) >= (9 if width > 1000 else 3), name
        assert all(0 <= left < right <= width for left, right, _ in boxes), name
        assert page.locator(".bd-header").bounding_box() is not None
        assert max(top for *_, top in boxes) - min(top for *_, top in boxes) < 30, name
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(site: Path, scheme: Scheme, chromium: Browser) -> None:
    page = patient(chromium.new_page(color_scheme=scheme))
    for name in SHOWN:
        page.goto((site / name).as_uri())
        assert findings(page) == {}, name
    page.close()
