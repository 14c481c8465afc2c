"""Equations of the reference as they are typeset: nothing is lost, and fractions are as they are written."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from weir.disciplines import controls, registered
from weir.report.disciplines._equations import cell, formula

EXPLANATIONS = Path(__file__).parents[1] / "docs" / "explanation"
BLOCK = re.compile(r"^```equations\n(.*?)^```", re.MULTILINE | re.DOTALL)
TEXTS = {
    **{one.name: "\n".join(one.equations) for one in (*registered(), *controls())},
    **{
        page.stem: "".join(BLOCK.findall(page.read_text(encoding="utf-8"))) for page in EXPLANATIONS.iterdir()
    },
}


def atoms(text: str) -> str:
    """Letters and digits, in their order."""
    plain = unicodedata.normalize("NFKC", text)
    return re.sub(r"[\W_]", "", plain)


@pytest.mark.parametrize("name", TEXTS)
def test_nothing_is_lost_and_nothing_moves(name: str) -> None:
    for text in re.findall(r"\S+(?: \S+)*", TEXTS[name]):
        shown = BeautifulSoup(cell(text), "html.parser").get_text()
        written = re.sub(r"(?<=\d) x (?=\d)", " × ", text)
        assert atoms(shown.replace("∑", "Σ").replace("∏", "Π")) == atoms(written)


def fractions(text: str) -> list[tuple[str, str]]:
    """Numerator and denominator of every fraction, outer ones first."""
    page = BeautifulSoup(formula(text), "html.parser")
    return [(above.get_text(), below.get_text()) for above, below in (one.children for one in page("mfrac"))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p_b = max_p (avg − min_th) / (max_th − min_th)", [("maxp(avg−minth)", "maxth−minth")]),
        ("K = S / (C RTT)² (2 + g) / (1 + g)", [("S", "(CRTT)2"), ("2+g", "1+g")]),
        ("rate += n MTU / V / ceil(rate V)", [("nMTUV", "ceil(rateV)"), ("nMTU", "V")]),
        ("a = K (1/z + T/2)", [("1", "z"), ("T", "2")]),
        ("x = 3/4 cwnd", [("3", "4")]),
        ("K > C·RTT/7", [("RTT", "7")]),
        ("W' = a/R(t) − b W(t) W(t−R)/R(t−R) p", [("a", "R(t)"), ("W(t−R)", "R(t−R)")]),
        ("now + interval / √count", [("interval", "count")]),
    ],
)
def test_a_fraction_divides_what_the_text_divides(text: str, expected: list[tuple[str, str]]) -> None:
    assert fractions(text) == expected


def test_an_argument_after_a_power_belongs_to_its_base() -> None:
    assert "<msup><mrow><mi>p</mi></mrow><mrow><mi>s</mi></mrow></msup>" in formula("x = p^s(t)")


def test_what_is_no_formula_is_refused() -> None:
    for text in ("a = (b", "a + / b", "x = ?"):
        with pytest.raises(ValueError, match="cannot be typeset"):
            formula(text)
