"""Work of `weir reproduce` between reading its options and printing."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import typer

from weir.cli import (
    INTERRUPTED,
    command_line,
    following,
    note,
    opened,
    print_json,
    print_text,
    refuse,
    target,
    writing_pages,
)
from weir.sweep import chosen_workers
from weir_papers.again import Again
from weir_papers.archive import Archive
from weir_papers.groups import in_words
from weir_papers.pages import counted, said, write_index, write_markdown, write_reproduction
from weir_papers.registry import KEYS, paper
from weir_papers.reproduce import Planned, Reproduction, reproduce, summary

if TYPE_CHECKING:
    from weir.sweep import OnProgress, Plan
    from weir_papers.paper import Experiment


@dataclass(frozen=True)
class Options:
    """Options of `weir reproduce`."""

    quick: bool
    replications: int | None
    seed: int | None
    store: Path
    workers: Mapping[str, Any]
    """Options of `chosen_workers`."""
    out: Path | None
    """Directory of the reports; None: no reports."""
    pages: Path | None
    against: Path | None
    """File with the claims of another full set, for the index."""
    archive: Path | None
    """File that gets the whole set."""
    json: bool
    quiet: bool


def show_papers(*, as_json: bool) -> None:
    """Prints the papers that can be reproduced."""
    known = [paper(key) for key in KEYS]
    if as_json:
        print_json(
            [
                {
                    "paper": one.key,
                    "title": one.title,
                    "authors": one.authors,
                    "published": one.published,
                    "experiments": {e.name: e.about for e in one.experiments},
                    "claims": {claim.id: claim.text for claim in one.claims},
                }
                for one in known
            ]
        )
        return
    for one in known:
        print_text(f"{one.key}\n  {one.title}\n  {one.authors}, {one.published}")
        print_text(
            f"  {len(one.claims)} claims, {len(one.plots) + len(one.maps)} figures; experiments: "
            + ", ".join(experiment.name for experiment in one.experiments)
        )


def reproduce_all(keys: Sequence[str], options: Options) -> None:
    """Reproduces papers, prints verdicts and writes reports. Everything is checked before the first run."""
    # Plans take long: what is wrong with a path is said before.
    targets = {key: target(options.out / key) for key in keys} if options.out else {}
    if options.pages is not None and not options.pages.is_dir():
        refuse(f"there is no directory {options.pages}", "make it first; pages are written into it")
    again = _again(options.against)
    planned = [
        Planned.of(paper(key), quick=options.quick, replications=options.replications, seed=options.seed)
        for key in keys
    ]
    outcomes: list[Reproduction] = []
    entries: list[dict[str, Any]] = []
    try:
        with (
            _archived(options) as archive,
            opened(options.store, create=True, quiet=options.quiet) as store,
        ):
            for index, one in enumerate(planned):
                before = _user_s()
                with chosen_workers(**options.workers) as workers:
                    follow = _Follow(one, workers.what, f"{index + 1} of {len(planned)}", quiet=options.quiet)
                    outcome = reproduce(one, store, workers, follow.follow, command_line())
                outcomes.append(outcome)
                # Judged while the store is open: a claim may look at values over time.
                entries += outcome.to_json()
                if not options.json:
                    print_text(text_of(outcome))
                if outcome.paper.key in targets:
                    _write(outcome, targets[outcome.paper.key], options)
                if archive is not None:
                    archive.add(outcome, _user_s() - before)
                _say(f"{one.paper.key}: {_user_s() - before:.0f} s of user CPU now; its runs, whenever they "
                     f"were done, {outcome.cpu_s:.0f} s", options)  # fmt: skip
    except KeyboardInterrupt:
        note("interrupted; what is finished is safe: the same command does the rest")
        raise typer.Exit(INTERRUPTED) from None
    if options.pages is not None and len(outcomes) == len(KEYS):
        _say(f"page: {write_index(outcomes, options.pages, again)}", options)
    if options.json:
        print_json(entries)
    _say(f"{in_words(summary(outcomes))}; {_user_s():.0f} s of user CPU in all", options)


def _again(path: Path | None) -> Again | None:
    """The other full set. Ends the command where the file is none, or is not of the claims as they are."""
    if path is None:
        return None
    try:
        return Again.read(path, map(paper, KEYS))
    except OSError as error:
        refuse(f"{path} cannot be read: {error.strerror}")
    except ValueError as error:
        refuse(f"{path}: {error}", "weir reproduce all --seed 1 --json prints what is asked for")


@contextmanager
def _archived(options: Options) -> Generator[Archive | None]:
    """The archive, if one is asked for: there when all is done, and not before."""
    if options.archive is None:
        yield None
        return
    try:
        archive = Archive.at(options.archive)
    except OSError as error:
        refuse(f"{options.archive} cannot be written: {error.strerror}")
    try:
        yield archive
    except BaseException:
        archive.give_up()
        raise
    _say(f"archive: {archive.finish()}", options)


def text_of(outcome: Reproduction) -> str:
    """Text of a paper's verdicts."""
    width = get_terminal_size().columns
    counts = f"{in_words(outcome.counts)}; {outcome.replications} replications"
    lines = [f"{outcome.paper.key}: {outcome.paper.title}", counts]
    if not outcome.is_full:
        less = f"too few runs for a group; shortened: {'; '.join(outcome.planned.shortened)}"
        lines += wrap(less, width)
    lines.append("")
    for one in outcome.judgements:
        check = one.decisive
        where = f"{check.title}, {check.place}" if check.place else check.title
        decided = f"{where}: {said(check)}, expected {check.expected_text}"
        of = f" ({counted(one)} checks)" if counted(one) else ""
        lines.append(f"{one.claim.id:<7} {one.verdict.upper()}{of}")
        lines += wrap(one.claim.text, width, initial_indent=" " * 8, subsequent_indent=" " * 8)
        lines += wrap(decided, width, initial_indent=" " * 8, subsequent_indent=" " * 8)
    return "\n".join([*lines, ""])


def _write(outcome: Reproduction, directory: Path, options: Options) -> None:
    _say("drawing the figures ...", options)
    with writing_pages():
        report = write_reproduction(outcome, directory)
    _say(f"report: {report}", options)
    if options.pages is not None:
        page = write_markdown(outcome, report, options.pages)
        _say(f"page: {page}", options)


def _say(text: str, options: Options) -> None:
    if not options.quiet:
        note(text)


def _user_s() -> float:
    """User CPU of this process and of those that it has waited for."""
    spent = os.times()
    return spent.user + spent.children_user


class _Follow:
    """Output of the experiment that is under way."""

    def __init__(self, planned: Planned, workers: str, place: str, *, quiet: bool) -> None:
        self._planned, self._workers, self._place, self._quiet = planned, workers, place, quiet
        self._done = 0

    @contextmanager
    def follow(self, experiment: Experiment, plan: Plan) -> Generator[OnProgress | None]:
        self._done += 1
        if not self._quiet:
            count = f"experiment {self._done} of {len(self._planned.plans)}"
            paper = (
                f"{self._planned.paper.key} ({self._place})"
                if self._place != "1 of 1"
                else self._planned.paper.key
            )
            note(f"{paper}, {count}, {experiment.name}: {experiment.about}")
        with following(plan, self._workers, quiet=self._quiet) as show:
            yield show
