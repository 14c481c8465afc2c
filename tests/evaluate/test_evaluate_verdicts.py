"""Verdicts from values: criteria that hold, criteria that do not, and values that are missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from conftest import Command
from weir.evaluate import ThresholdError, cells, chosen, published, ranks, subjects, with_thresholds
from weir.evaluate._judge import Bench, Judgement, Known

SEEDS = range(10)


def judged(
    values: dict[tuple[str, str, str, str], float], spread: float = 0.01, name: str = "pie"
) -> dict[str, Judgement]:
    """Judgements on a discipline, from the mean of each measure at each place."""
    random = np.random.default_rng(1)
    known: Known = {
        key: {seed: value * float(random.lognormal(0.0, spread)) for seed in SEEDS}
        for key, value in values.items()
    }
    run = chosen("all", list(dict.fromkeys(key[0] for key in values)))
    targets = {(cell, level, discipline): 15.0 for cell, level, discipline, _ in values}
    bench = Bench(known, run, targets, 1)
    return {one.criterion.name: one for one in bench.judge(subjects([name])[0], published(), cells())}


def places(cell: str, level: str, **values: float) -> dict[tuple[str, str, str, str], float]:
    return {(cell, level, "pie", name): value for name, value in values.items()}


def queue(mild: float, heavy: float) -> dict[tuple[str, str, str, str], float]:
    return places("mild", "newreno", delay_p50=mild) | places("heavy", "newreno", delay_p50=heavy)


def test_a_short_queue_is_within_its_threshold_everywhere() -> None:
    # The target is 15 ms: up to 22.5 ms holds, above 45 ms does not.
    assert judged(queue(16.0, 20.0))["short-queue"].verdict == "holds"
    one = judged(queue(16.0, 60.0))["short-queue"]
    assert (one.verdict, one.decisive and one.decisive.cell.name) == ("does not hold", "heavy")
    between = judged(queue(16.0, 30.0))["short-queue"]
    assert between.verdict == "undecided"
    assert between.open_cells == frozenset()
    near = judged(queue(16.0, 22.4), spread=0.2)["short-queue"]
    assert (near.verdict, near.open_cells) == ("undecided", frozenset({"heavy"}))


def gate(goodput: float, tail: float) -> Judgement:
    mine = places("mild", "newreno", goodput_bps=9e6 * goodput, delay_p99=80.0 * tail)
    theirs = {
        ("mild", "newreno", "drop-tail", name): value
        for name, value in (("goodput_bps", 9e6), ("delay_p99", 80.0))
    }
    return judged(mine | theirs)["safe"]


def test_the_gate_falls_only_where_both_are_worse() -> None:
    assert gate(1.0, 0.3).verdict == "holds"
    lost = gate(0.7, 0.3)
    assert lost.verdict == "holds"
    assert [one.test.name for one in lost.alone] == ["safe-goodput"]
    assert gate(0.7, 2.0).verdict == "does not hold"


def test_what_was_not_run_or_has_no_model_never_passes() -> None:
    found = judged(queue(16.0, 20.0))
    assert found["sparse"].verdict == "not available"
    assert "adaptive video" in found["sparse"].reason
    assert found["cost"].verdict == "not available"
    assert found["goodput"].verdict == "not available"
    assert found["short-queue"].missing == ("medium: not run",)


def test_one_place_of_many_must_be_further_off() -> None:
    heavy, mild = (
        places(cell, "newreno", delay_p50=delay) for cell, delay in (("heavy", 46.1), ("mild", 16.0))
    )
    alone = judged(heavy, spread=0.08)["short-queue"]
    # Holm asks for half of it where there are two places.
    assert 0.025 < alone.places[0].p_fail < 0.05
    assert alone.verdict == "does not hold"
    assert judged(heavy | mild, spread=0.08)["short-queue"].verdict == "undecided"


def test_ranks_do_not_name_a_winner_inside_the_noise() -> None:
    def known(*values: tuple[str, float]) -> Known:
        return {
            ("mild", f"{i}", name, "delay_p99"): {1: value * (1.0 + 0.01 * ((i * 7 + len(name)) % 3))}
            for i in range(8)
            for name, value in values
        }

    clear = ranks(known(("a", 1.0), ("bb", 2.0), ("ccc", 4.0)), ["a", "bb", "ccc"], "delay_p99")
    assert clear is not None
    assert clear.mean == {"a": 1.0, "bb": 2.0, "ccc": 3.0}
    # Demsar (2006): q of 2.343 for three, over 8 places.
    assert clear.critical == pytest.approx(2.343 * (3 * 4 / (6 * 8)) ** 0.5, rel=1e-3)
    assert clear.groups() == [["a", "bb"], ["bb", "ccc"]]
    same = ranks(known(("a", 1.0), ("bb", 1.0)), ["a", "bb"], "delay_p99")
    assert same is not None
    assert len(same.groups()) == 1


def test_thresholds_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        'default_target = "10 ms"\n[thresholds]\nshort-queue = { pass = 2.5 }\n', encoding="utf-8"
    )
    found = with_thresholds(file)
    (test,) = next(one for one in found.all if one.name == "short-queue").tests
    assert (test.passing, test.failing, found.default_target_ms) == (2.5, 3.0, 10.0)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "[thresholds]\nshort-quue = { pass = 1 }",
            "thresholds.short-quue: there is no such test",
            "'short-queue'",
        ),
        ("[thresholds]\nshort-queue = { pas = 1 }", "there is no key 'pas'", "pass, fail"),
        ("[thresholds]\nshort-queue = { pass = '1' }", "'1' is no number above zero", "short-queue"),
        ("[thresholds]\nshort-queue = { pass = 4 }", "a value could pass and fail at once", "<"),
        ("[thresholds]\nfair-ratio = { fail = 4 }", "this test has no such bound", "leave it out"),
        ("[limits]\n", "there is no key 'limits'", "[thresholds]"),
        ("default_target = '5 packets'", "is no time", "20 ms"),
        ("thresholds", "mine.toml", "[thresholds]"),
    ],
)
def test_a_bad_file_of_thresholds(tmp_path: Path, text: str, message: str, hint: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ThresholdError) as raised:
        with_thresholds(file)
    assert message in raised.value.message
    assert hint in (raised.value.hint or "")


def test_bad_input_is_refused_before_any_run(weir_command: Command) -> None:
    for arguments, said in (
        (("codell",), "there is no queue discipline 'codell'"),
        (("codel", "--suite", "rfc"), "there is no suite 'rfc'"),
        (("codel", "--cell", "milt"), "did you mean 'mild'?"),
        (("codel", "--cell", "mix"), "adaptive video"),
        (("codel", "--set", "pie.target=5 ms"), "begins with none of the disciplines"),
        (("codel", "--set", "codel.target=fast"), "codel.target"),
        (("codel", "--thresholds", "none.toml"), "none.toml: cannot be read"),
    ):
        done = weir_command("evaluate", *arguments)
        assert done.returncode == 2, arguments
        assert said in done.stderr, done.stderr
