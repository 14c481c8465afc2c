"""Services for every verb: output, errors and exit codes, the store, files that the user names.

Nothing that takes long to import: `weir --help` must be quick.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO, cast

import typer
from typer._click.exceptions import UsageError  # exported by typer as its subclass BadParameter alone

from weir._core import ScenarioError
from weir._errors import AqmFailedError, WeirError, reason_of
from weir._printable import cut, printable, printable_json, shortened

if TYPE_CHECKING:
    from weir.check import Repeated
    from weir.plot import Figure
    from weir.store import Record, Store
    from weir.sweep import Sweep

BAD_INPUT = 2

INTERRUPTED = 130
_STOPPED = "interrupted; finished runs are safe"
_ANOTHER_FILE = "name another file"


def print_text(text: str) -> None:
    """Prints data to stdout."""
    sys.stdout.write(printable(text).rstrip("\n") + "\n")


class _Printed:
    """State of this process's output."""

    documents = 0
    to: TextIO | None = None
    """Stdout while everything else that is printed goes to stderr."""


@contextmanager
def only_documents() -> Generator[None]:
    """Keeps stdout for `print_json`, as a class in Python may print and a program reads stdout."""
    _Printed.to, sys.stdout = sys.stdout, sys.stderr
    try:
        yield
    finally:
        sys.stdout, _Printed.to = _Printed.to, None


def print_json(document: object) -> None:
    """Prints a document for programs to stdout."""
    _Printed.documents += 1
    # Line ends between values are our own, those within texts are written out already.
    (_Printed.to or sys.stdout).write(printable_json(_json(document)) + "\n")


def flush() -> None:
    """Flushes stdout, so that a reader sees everything printed so far."""
    (_Printed.to or sys.stdout).flush()


def _json(value: object, indent: str = "") -> str:
    """JSON with a line for each key of an object and each row of a table. Breaking the rows too would take
    ten times as long."""
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    inner = f"\n{indent}  "
    if isinstance(value, dict) and value:
        items = cast("dict[object, object]", value).items()
        parts, (begin, end) = [f"{encode(str(key))}: {_json(one, inner[1:])}" for key, one in items], "{}"
    elif isinstance(value, list) and value and isinstance(value[0], dict | list):
        parts, (begin, end) = list(map(encode, cast("list[object]", value))), "[]"
    else:
        return encode(value)
    return f"{begin}{inner}{f',{inner}'.join(parts)}\n{indent}{end}"


def require(module: str, what: str, systems: str) -> None:
    """Ends the program where the system lacks this module of Python's own."""
    if find_spec(module) is None:
        refuse(f"{what} needs {systems}", "on Windows: WSL 2, which is Linux; see Limits in the README")


def note(text: str) -> None:
    """Prints a message to stderr, as long as stderr can be written."""
    try:
        sys.stderr.write(f"{printable(text)}\n")
    except OSError:
        _drop(2)


def unwritable(error: OSError) -> NoReturn:
    """Stdout takes no more: ends the program."""
    _drop(1)
    # Whoever closes a pipe knows.
    if not isinstance(error, BrokenPipeError):
        print_error(f"stdout cannot be written: {error.strerror}")
    sys.exit(1)


def _drop(descriptor: int) -> None:
    """Discards all further output to a descriptor, also at the end of the process."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def print_notes(notes: Iterable[Repeated]) -> None:
    """Prints notes on a scenario to stderr, one line each."""
    for one in notes:
        note(shortened(str(one)))


def print_error(message: str, hint: str | None = None) -> None:
    """Prints an error and its hint to stderr."""
    note(f"error: {shortened(message)}")
    if hint:
        note(f"hint: {shortened(hint)}")


def print_scenario_error(error: ScenarioError) -> None:
    """Prints an error in a scenario: `file:line: path: message`, and the hint."""
    file = cut(error.file, 160)
    place = file if error.line is None else f"{file}:{error.line}"
    path = cut(error.path, 160) if error.path else ""
    note(": ".join(part for part in (place, path, shortened(error.message)) if part))
    if error.hint:
        note(f"hint: {shortened(error.hint)}")


_DOCUMENT = ("file", "line", "path", "message", "hint")


class _Refused(typer.Exit):
    """Exit after an input that cannot be used, when the error has been printed."""

    def __init__(self, message: str, hint: str | None) -> None:
        super().__init__(BAD_INPUT)
        self.message, self.hint = message, hint


def _wants_json(error: UsageError) -> bool:
    """Returns true if a command line that could not be read has `--json`, and its command has that option. A
    group has no such option, but one of its commands may."""
    options = sys.argv[1 : sys.argv.index("--")] if "--" in sys.argv else sys.argv[1:]
    command = None if error.ctx is None else error.ctx.command
    return "--json" in options and (
        command is None or hasattr(command, "commands") or any("--json" in one.opts for one in command.params)
    )


@contextmanager
def guarded() -> Generator[None]:
    """Turns mistakes of the user, and Ctrl-C, into a message and an exit code. With `--json` the error is a
    document on stdout, too, unless the document of the command is there."""
    printed = _Printed.documents
    try:
        yield
    except KeyboardInterrupt:
        note(_STOPPED)
        raise typer.Exit(INTERRUPTED) from None
    except Exception as error:
        found = _document_of(error)
        wanted = _Printed.to is not None or (isinstance(error, UsageError) and _wants_json(error))
        if found is not None and wanted and printed == _Printed.documents:
            print_json(found)
        _told(error)
        raise
    except BaseException as error:
        _end_of(error)
        raise


def _document_of(error: Exception) -> dict[str, Any] | None:
    """The document of an error, with null for what it does not have; None if it is no mistake of the user."""
    if isinstance(error, (ScenarioError, WeirError)):
        return {name: getattr(error, name, None) for name in _DOCUMENT}
    parts: dict[str, Any] = {}
    if isinstance(error, UsageError):
        context = error.ctx
        hint = None if context is None else f"{context.command_path} -h shows what there is"
        parts = {"message": shortened(printable(error.format_message())), "hint": hint}
    elif isinstance(error, _Refused):
        parts = {"message": error.message, "hint": error.hint}
    elif isinstance(error, OSError) and error.filename is not None:
        parts = {"file": os.fsdecode(error.filename), "message": error.strerror or str(error)}
        parts["hint"] = _ANOTHER_FILE
    return {**dict.fromkeys(_DOCUMENT), **parts} if parts else None


def _told(error: Exception) -> None:
    """Prints a mistake of the user, and ends the command. Returns for other errors, and for those that print
    themselves."""
    if isinstance(error, ScenarioError):
        print_scenario_error(error)
        raise typer.Exit(BAD_INPUT) from None
    if isinstance(error, WeirError):
        if isinstance(error, AqmFailedError):
            note(error.message)
        else:
            print_error(error.told, error.hint)
        raise typer.Exit(error.exit_code) from None
    if isinstance(error, UsageError):
        error.message = shortened(printable(error.message))
        return
    if isinstance(error, typer.Exit):
        return
    _end_of(error)
    # Without a name it is of stdout. Such a name is too long, in a loop of links, or no longer there.
    if isinstance(error, OSError) and error.filename is not None:
        print_error(reason_of(error), _ANOTHER_FILE)
        raise typer.Exit(BAD_INPUT) from None


def _end_of(error: BaseException) -> None:
    """Ends the command for an error of a user's code, and for one that a library made of Ctrl-C."""
    told = getattr(error, "weir_traceback", None)
    if told is not None:
        note(told.rstrip())
        raise typer.Exit(AqmFailedError.exit_code) from None
    if "raise KeyboardInterrupt" in str(error):
        note(_STOPPED)
        raise typer.Exit(INTERRUPTED) from None


def refuse(message: str, hint: str | None = None) -> NoReturn:
    """Ends the command, because the input cannot be used."""
    print_error(message, hint)
    raise _Refused(message, hint)


def target(out: Path) -> Path:
    """A directory of pages that the user named, checked before anything runs."""
    from weir.report import check_writable

    try:
        check_writable(out)
    except OSError as error:
        refuse(reason_of(error), "name another directory: --out DIR")
    return out


@contextmanager
def opened(place: Path | None, *, create: bool = False, quiet: bool, kept: bool = True) -> Generator[Store]:
    """The store, results/store if None; what had to be mended in it is said. One that cannot be written is
    opened to be read, unless it was to be made. Not `kept`: one beside it for this command. Raises
    StoreError."""
    from weir.store import DEFAULT, Store, UnwritableStoreError

    if not kept:
        with Store.unkept((place or DEFAULT).parent) as store:
            yield store
        return
    try:
        found = Store.open(place or DEFAULT, create=create)
    except UnwritableStoreError:
        if create:
            raise
        found = Store.open(place or DEFAULT, read_only=True)
    with found as store:
        for repair in store.repairs:
            if not quiet:
                note(f"store: {repair}")
        try:
            yield store
        except Exception as error:
            # Rows of others may have any columns. Of those that a run has just made it would be our mistake.
            if create or not type(error).__module__.startswith("polars"):
                raise
            said = f"{type(error).__name__}: {next(iter(str(error).splitlines()), '')}"
            refuse(
                f"the tables of {store.path} are not as this Weir writes them: {said}",
                f"`weir results --verify --store {store.path}` says what is damaged",
            )


def report(
    sweep: Sweep,
    out: Path | None = None,
    images: Sequence[str] = (),
    *,
    theory: bool = False,
    quiet: bool,
) -> Path:
    """Writes the page of a sweep into `out`, or its own directory, its figures in these forms beside it;
    returns the page."""
    from weir.report import write

    def written(place: Path) -> None:
        write(sweep, place, images, theory=theory)

    return write_page(sweep.store, sweep.record, written, out, quiet=quiet)


def write_page(
    store: Store, record: Record, write: Callable[[Path], object], out: Path | None = None, *, quiet: bool
) -> Path:
    """Has the page of a result written into `out`, or its own directory; returns the page."""
    from weir import __version__
    from weir.report import REPORT, replacing, write_into, write_manifest

    if not quiet:
        flush()
        note("writing the page ...")
    directory = store.directory(record) if out is None else target(out)
    with writing_pages():
        if out is None:
            store.claim_directory(record)
            write_into(directory, write)
        else:
            with replacing(out) as place:
                write(place)
                write_manifest(place, {"weir": __version__, "sweep": record.name})
    return directory / REPORT


def say_page(page: Path, *, opens: bool, quiet: bool) -> None:
    """Says where a page is, and opens it if that is wanted."""
    if not quiet:
        note(f"report: {page}")
    if opens:
        open_in_browser(page)


def open_in_browser(page: Path | str) -> None:
    """Opens a page or a figure, or an address, in the user's browser; where there is none, says so."""
    import webbrowser

    if not webbrowser.open(page if isinstance(page, str) else page.resolve().as_uri()):
        note(f"no browser could be started: open {page} yourself, or name one in BROWSER")


@contextmanager
def writing_pages() -> Generator[None]:
    """Refuses where a page cannot be written."""
    try:
        yield
    except OSError as error:
        said = f"the page cannot be written: {reason_of(error)}"
        refuse(said, "the runs are in the store: the same command goes on")


def write_file(path: Path, content: str | Figure, *, caption: bool = True) -> None:
    """Writes a file that the user named, whole or not at all; a figure with its title and caption, unless
    `caption` is False. Raises ChartError for a form that there is not."""
    try:
        if isinstance(content, str):
            from weir.store import write_whole

            write_whole(path, lambda place: place.write_text(content, encoding="utf-8"))
        else:
            from weir.plot import save

            save(content, path, caption=caption)
    except OSError as error:
        refuse(f"{path} cannot be written: {error.strerror or error}")


@contextmanager
def all_or_none(paths: Iterable[Path]) -> Generator[None]:
    """Within it, files are written. If it fails, they are as they were before."""
    former = {path: path.read_bytes() if path.is_file() else None for path in paths}
    try:
        yield
    except BaseException:
        for path, content in former.items():
            if content is not None:
                path.write_bytes(content)
            elif path.is_file():
                path.unlink()
        raise


def check_file(path: Path | None, option: str) -> None:
    """Refuses a file that the user named where it cannot be, before anything runs."""
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        refuse(f"{path} cannot be written", f"name a file in a folder that is there: {option} FILE")


def where_it_is(number: int | None, store: Path | None, *, page: bool = True) -> str:
    """Hint on how to open a result."""
    rest = f"{number}" if store is None else f"{number} --store {store}"
    report = f"weir report {rest} writes its page, " if page else ""
    return f"result {number}: {report}weir results {rest} shows it again"


def command_line() -> str:
    """The command as it was typed, to be typed again."""
    return shlex.join(["weir", *sys.argv[1:]])
