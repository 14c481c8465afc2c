from __future__ import annotations

import pytest

from weir.stats._grid import Cell, Grid, render_grid


def headline(interval: str = "±0.25") -> Grid:
    columns = [str(users) for users in range(20, 161, 20)]
    return Grid("Goodput", columns, [("RED(20:80) mark", [Cell("98.71", interval)] * 8)] * 7)


@pytest.mark.parametrize("width", [80, 100, 120])
def test_the_headline_fits(width: int) -> None:
    assert max(map(len, render_grid(headline(), width).splitlines())) <= width


def test_intervals_stand_beside_the_means_where_there_is_room() -> None:
    assert "98.71±0.25  98.71±0.25" in render_grid(headline(), 120)


def test_and_below_them_where_there_is_not() -> None:
    lines = render_grid(headline(), 80).splitlines()
    assert lines[2].split() == ["RED(20:80)", "mark", *["98.71"] * 8]
    assert lines[3].split() == ["±0.25"] * 8
    assert [line.rindex("1") for line in lines[2:3]] == [len(lines[2]) - 1]


def test_without_intervals_no_lines_are_empty() -> None:
    assert all(line.strip() for line in render_grid(headline(""), 80).splitlines())


def test_columns_that_do_not_fit_go_into_further_blocks() -> None:
    text = render_grid(headline(), 40)
    assert max(map(len, text.splitlines())) <= 40
    assert text.count("RED(20:80) mark") == 7 * text.count("\n\n") + 7
    assert sum(line.split().count("98.71") for line in text.splitlines()) == 7 * 8


def test_a_terminal_of_no_width_still_gets_everything() -> None:
    assert sum(line.split().count("98.71") for line in render_grid(headline(), 1).splitlines()) == 7 * 8
