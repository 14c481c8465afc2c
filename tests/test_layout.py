"""Properties of a figure that a user may choose, besides its data."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from conftest import SMALL, Command, command_in
from fake_sweep import SWEEPS, encoded
from weir.plot import figure, save
from weir.run._drawing import draw
from weir.sweep._dimension import ChartError

USERS = SWEEPS["users"]


@pytest.fixture
def drawn_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Images are drawn in this process, not each by a process that has the renderer to start."""

    def run(tasks: Sequence[Sequence[str | Path]]) -> None:
        for task, *paths in tasks:
            draw(str(task), [Path(path) for path in paths])

    monkeypatch.setattr("weir.plot._files._run", run)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with one comparison in its store."""
    made = tmp_path_factory.mktemp("styled")
    (made / "small.toml").write_text(SMALL, encoding="utf-8")
    assert command_in(made)("compare", "small.toml", "-n", "2", "--quiet").returncode == 0
    return made


@pytest.fixture(scope="module")
def plot(directory: Path) -> Command:
    """Command `weir plot 1 ARGUMENTS` in this folder."""
    weir_in = command_in(directory)
    return lambda *arguments: weir_in("plot", "1", *arguments)


@pytest.mark.parametrize(
    ("kind", "size", "root"),
    [
        ("lines", "800x500", ("800", "500")),
        ("tradeoff", "8.4x7cm", ("8.4cm", "7cm")),
        ("over_time", "6.5in x 5in", ("6.5in", "5in")),
        ("heat", "1200×700px", ("1200", "700")),
        ("heat", "210 x 148.5 mm", ("210mm", "148.5mm")),
    ],
)
@pytest.mark.usefixtures("drawn_here")
def test_an_image_is_as_large_as_was_asked_for(
    kind: str, size: str, root: tuple[str, str], tmp_path: Path
) -> None:
    sweep = SWEEPS["two axes"] if kind == "heat" else USERS
    drawn = figure(sweep, kind).styled(size=size, legend="right")
    save(drawn, tmp_path / "a.svg")
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    found = re.search(r'width="([^"]+)" height="([^"]+)" [^>]*viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert found is not None
    assert (found[1], found[2]) == root
    # Letters keep their size: the picture was not scaled.
    per = {"mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}.get(re.sub(r"[\d.]", "", root[0]), 1.0)
    wanted = [float(re.sub(r"[a-z]", "", side)) * per for side in root]
    assert [float(found[3]), float(found[4])] == pytest.approx(wanted, abs=2.0)


@pytest.mark.parametrize(
    ("size", "inches", "pixels"),
    [
        # There are 96 pixels in an inch, and 300 dots per inch in print.
        ("640x400", (640 / 96, 400 / 96), (640, 400)),
        ("8.4x6cm", (8.4 / 2.54, 6 / 2.54), (992, 709)),
        ("3.3x2.5in", (3.3, 2.5), (990, 750)),
        ("84x60mm", (84 / 25.4, 60 / 25.4), (992, 709)),
        ("240X180pt", (240 / 72, 180 / 72), (1000, 750)),
        (None, None, None),
    ],
)
@pytest.mark.usefixtures("drawn_here")
def test_every_image_has_exactly_the_size_that_was_asked_for(
    size: str | None, inches: tuple[float, float] | None, pixels: tuple[int, int] | None, tmp_path: Path
) -> None:
    """Sizes hold in print, too: a program that places a figure takes the size that its file states."""
    drawn = figure(USERS, "lines").styled(size=size)
    for suffix in (".svg", ".pdf", ".png"):
        save(drawn, tmp_path / f"a{suffix}")
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    found = re.search(r'width="([\d.]+)(\w*)" height="([\d.]+)\2"', svg)
    assert found is not None
    per = {"": 96.0, "mm": 25.4, "cm": 2.54, "in": 1.0, "pt": 72.0}[found[2]]
    said = (float(found[1]) / per, float(found[3]) / per)
    # Without a size, the others are as large as the SVG.
    wanted = inches or said
    assert said == pytest.approx(wanted)
    box = re.search(rb"/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]", (tmp_path / "a.pdf").read_bytes())
    assert box is not None
    assert [float(side) / 72.0 for side in box.groups()] == pytest.approx(wanted, abs=1e-4)
    png = (tmp_path / "a.png").read_bytes()
    there = struct.unpack(">II", png[16:24])
    if pixels is not None:
        assert there == pixels
    place = png.index(b"pHYs") + 4
    *per_metre, unit = struct.unpack(">IIB", png[place : place + 9])
    assert unit == 1
    printed = [side / density / 0.0254 for side, density in zip(there, per_metre, strict=True)]
    assert printed == pytest.approx(wanted, abs=1 / 300)


def test_titles_and_legend_are_those_that_were_asked_for() -> None:
    drawn = figure(USERS, "lines").styled(
        title="Mine", x_title="Flows", y_title="Queue (packets)", legend="top"
    )
    assert drawn.captioned["title"]["text"] == ["Mine"]
    assert {side["title"] for side in encoded(drawn, "x") if side.get("title")} == {"Flows"}
    assert {side["title"] for side in encoded(drawn, "y") if side.get("title")} == {"Queue (packets)"}
    assert drawn.bare["config"]["legend"]["orient"] == "top"
    assert figure(USERS, "lines").styled(legend="none").bare["config"]["legend"]["disable"] is True
    # The style of all other figures is what it was.
    assert figure(USERS, "lines").bare["config"]["legend"]["orient"] == "bottom"


def test_a_logarithmic_axis_has_no_zero() -> None:
    drawn = figure(USERS, "lines", measure="loss").styled(log="xy")
    for channel in "xy":
        scales = [side["scale"] for side in encoded(drawn, channel) if "field" in side]
        assert {scale["type"] for scale in scales} == {"log"}
        assert not any("zero" in scale or scale.get("domain", [1])[0] <= 0 for scale in scales)
    assert drawn.rows["low"].min() > 0.0  # type: ignore[operator] # numbers
    with pytest.raises(ChartError, match="nothing on the y axis is above zero"):
        figure(USERS, "lines", measure="mark_fraction").styled(log="y")
    with pytest.raises(ChartError, match="has names, of which there is no logarithm"):
        figure(SWEEPS["no axis"], "lines").styled(log="x")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--size", "8x"), "error: '8x' is no size\nhint: write WIDTHxHEIGHT: 800x500, 84x60mm"),
        (("--size", "8cmx6in"), "error: '8cmx6in' is no size"),
        (("--size", "1.2.3x6"), "error: '1.2.3x6' is no size"),
        (("--size", "8x6"), "error: a side of 8x6 is not between 120 and 10,000 pixels"),
        (("--log", "z"), "error: 'z' is no axis\nhint: write x, y or xy"),
        (("--legend", "middle"), "error: 'middle' is no place of a legend\nhint: there are: top, bottom"),
        (("--title", "a", "--no-title"), "--title or --no-title, not both"),
        (("--size", "800x600", "--out", "a.html"), "a.html: the reader chooses the size of a page"),
    ],
)
def test_what_means_nothing_is_refused(
    arguments: tuple[str, ...], told: str, plot: Command, directory: Path
) -> None:
    done = plot("--kind", "lines", *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(directory.glob("*.svg"))


def test_a_look_belongs_to_one_figure(plot: Command) -> None:
    for option in (("--size", "800x600"), ("--no-title",), ("--legend", "top")):
        assert f"{option[0]} belongs to a kind of figure" in plot(*option).stderr


def test_a_figure_for_a_paper(plot: Command, directory: Path) -> None:
    look = ("--size", "8.4x6cm", "--no-title", "--legend", "right", "--y-title", "Queue (pkt)")
    done = plot("--kind", "lines", *look, "--out", "paper.svg")
    assert done.returncode == 0, done.stderr
    svg = (directory / "paper.svg").read_text(encoding="utf-8")
    assert 'width="8.4cm" height="6cm"' in svg
    assert "Queue (pkt)" in svg
    assert "Time average of" not in svg
    (directory / "paper.svg").unlink()


def test_a_picture_with_no_room_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ChartError, match=r"^120 x 120 has no room") as caught:
        save(figure(USERS, "lines").styled(size="120x120"), tmp_path / "a.svg")
    assert "a larger size" in (caught.value.hint or "")
