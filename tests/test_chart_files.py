"""Figures as files: each suffix, captions, and what becomes of an earlier file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import vl_convert

from fake_sweep import ONE_AXIS, SWEEPS, THREE_AXES
from full_disk import files_up_to
from weir.plot import figure, figures_of, save
from weir.run._drawing import draw
from weir.sweep._dimension import ChartError


@pytest.mark.parametrize(
    ("suffix", "start"),
    [
        (".svg", b"<svg"),
        (".pdf", b"%PDF"),
        (".png", b"\x89PNG"),
        (".html", b"<!doctype html>"),
        (".json", b"{"),
    ],
)
def test_a_figure_is_written_as_its_suffix_says(suffix: str, start: bytes, tmp_path: Path) -> None:
    path = tmp_path / "new" / f"figure{suffix.upper() if suffix == '.svg' else suffix}"
    save(figure(ONE_AXIS, "lines"), path)
    assert path.read_bytes().startswith(start)
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_file_in_the_place_of_a_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError, match="Not a directory"):
        save(figure(ONE_AXIS, "lines"), tmp_path / "file" / "figure.svg")


@pytest.mark.parametrize("suffix", [".svg", ".html"])
def test_a_file_says_what_it_shows_unless_asked_not_to(suffix: str, tmp_path: Path) -> None:
    drawn = figure(THREE_AXES, "over_time", where={"rate": 10})
    save(drawn, tmp_path / f"with{suffix}")
    save(drawn, tmp_path / f"without{suffix}", caption=False)
    text, bare = ((tmp_path / f"{name}{suffix}").read_text(encoding="utf-8") for name in ("with", "without"))
    # A page has the caption as data too.
    text, bare = (each.partition('<script type="application/json"')[0] for each in (text, bare))
    assert drawn.title in text
    assert "Each slot of 0.25 s" in text
    assert "buffer 50 packets." in text
    assert "Each slot" not in bare


@pytest.mark.parametrize("name", ["three axes", "morris"])
def test_every_figure_can_carry_its_caption(name: str) -> None:
    for drawn in figures_of(SWEEPS[name]):
        title = drawn.captioned["title"]
        assert " ".join(title["text"]) == drawn.title
        assert " ".join(title["subtitle"]) == drawn.caption
        assert max(map(len, title["subtitle"])) <= 96
        assert vl_convert.vegalite_to_vega(drawn.captioned)["title"]["text"] == title["text"]
        assert "title" not in drawn.specification


def test_a_vega_lite_file_is_the_chart_alone(tmp_path: Path) -> None:
    drawn = figure(ONE_AXIS, "lines")
    save(drawn, tmp_path / "figure.json")
    assert json.loads((tmp_path / "figure.json").read_text(encoding="utf-8")) == drawn.specification


def test_an_image_does_not_depend_on_those_drawn_before(tmp_path: Path) -> None:
    figures = [drawn for drawn in figures_of(SWEEPS["lhs"]) if "over rate and rtt" in drawn.title][:2]
    sources = [tmp_path / f"{number}.vl.json" for number in range(len(figures))]
    for drawn, source in zip(figures, sources, strict=True):
        source.write_text(json.dumps(drawn.specification), encoding="utf-8")

    def images(order: list[Path]) -> list[str]:
        draw(".svg", order)
        return [(tmp_path / f"{number}.svg").read_text(encoding="utf-8") for number in range(len(figures))]

    one, other = images(sources)
    assert images(sources[::-1]) == [one, other]
    # Side by side on a page each has its own parts.
    names, others = (set(re.findall(r' id="([^"]+)"', text)) for text in (one, other))
    assert names
    assert names.isdisjoint(others)
    assert set(re.findall(r"url\(#([^)]+)", one)) <= names


def test_an_earlier_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "figure.json"
    path.write_text("earlier", encoding="utf-8")
    with path.open(encoding="utf-8") as earlier:
        save(figure(ONE_AXIS, "lines"), path)
        # Not cut off and written over: who has it open can still read it.
        assert earlier.read() == "earlier"
    assert path.read_text(encoding="utf-8").startswith("{")
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_full_disk_is_said_in_a_sentence_and_spares_the_earlier_file(tmp_path: Path) -> None:
    path = tmp_path / "figure.png"
    path.write_text("earlier", encoding="utf-8")
    drawn = figure(ONE_AXIS, "lines")
    with (
        files_up_to(15_000),
        pytest.raises(OSError, match=r"^the process that draws has failed: .*too large") as failed,
    ):
        save(drawn, path)
    assert "\n" not in str(failed.value)
    assert path.read_text(encoding="utf-8") == "earlier"


@pytest.mark.parametrize("name", ["figure.gif", "figure"])
def test_another_suffix_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ChartError, match=r"ends in \.svg, \.pdf, \.png, \.html or \.json"):
        save(figure(ONE_AXIS, "lines"), tmp_path / name)
    assert list(tmp_path.iterdir()) == []
