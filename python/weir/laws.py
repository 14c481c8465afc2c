"""Laws of your own, in Python.

A **controller** says some times a second with which probability packets are signalled; the packets
are drawn for in the core, so it costs next to nothing. A **law** decides on every packet itself,
which costs about half a microsecond a call. Either is a class in a file of yours:

    # lab/leaky.py
    from weir.laws import Controller, Link, Seen

    class Leaky(Controller):
        period = 0.01
        variables = ("level",)

        def __init__(self, link: Link, target: float = 20, gain: float = 1e-4) -> None:
            self.target, self.gain, self.level = target, gain, 0.0

        def update(self, seen: Seen) -> float:
            self.level = 0.99 * self.level + self.gain * (seen.packets - self.target)
            self.level = min(max(self.level, 0.0), 1.0)
            return self.level

A scenario names it by its import path, as `weir.Queue` does:

    aqm.python = { class = "lab.leaky:Leaky", parameters = { target = 30 } }

It is looked for where Python looks, in the current folder and in the scenario file's. What is in
its file counts: runs of another text are other runs.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import random
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, ClassVar, Literal, cast
from weakref import WeakKeyDictionary

from weir._core import Backlog, Link, Packet, Seen

__all__ = ["Backlog", "Controller", "Law", "Link", "Packet", "Seen", "Verdict"]

Verdict = Literal["pass", "mark", "drop"]
"""What becomes of a packet. Without `ecn = true` in the scenario, and for packets that are not
ECN-capable, a mark is a drop."""


class _Either:
    random: random.Random
    """Random numbers of this law alone: the same in every run with the same seed."""

    variables: ClassVar[tuple[str, ...]] = ()
    """Names of attributes, numbers, that are recorded as time series where a scenario asks for
    them."""

    def __init__(self, link: Link) -> None:
        """The link it stands before, and by name whatever `parameters` in the scenario say."""


class Controller(_Either):
    """A law that sets a probability some times a second."""

    period: float = 0.01
    """Seconds between updates."""

    def update(self, seen: Seen) -> float:
        """The probability, from 0 to 1, with which arriving packets are signalled until the next
        update. The first is one period after the start; before it, nothing is signalled."""
        raise NotImplementedError


class Law(_Either):
    """A law that decides on every packet. What it does not define is not called, and passes.

    Times are seconds from the start.
    """

    period: float | None = None
    """Seconds between calls of `update`; none if None."""

    def on_enqueue(self, packet: Packet, queue: Backlog, now: float) -> Verdict | None:
        """A packet has arrived; it is not yet counted in `queue`. None lets it in. Whatever the
        verdict, a packet for which there is no room is dropped."""

    def on_dequeue(self, packet: Packet, sojourn: float, queue: Backlog, now: float) -> Verdict | None:
        """A packet has come to the head after `sojourn` seconds and is no longer counted in
        `queue`. None lets it go."""

    def on_idle(self, now: float) -> None:
        """The link asked for a packet, and nothing waited."""

    def on_overflow(self, packets: int, now: float) -> None:
        """So many waiting packets were dropped for want of room, by fair queueing."""

    def on_rate(self, rate: int, now: float) -> None:
        """The link has so many bits per second from now on."""

    def update(self, queue: Backlog, now: float) -> None:
        """Periodic work."""


_HOOKS = ("on_enqueue", "on_dequeue", "on_idle", "on_overflow", "on_rate", "update")


class NotFoundError(Exception):
    """A class that cannot be used. The core makes an error of the scenario of it."""

    def __init__(self, key: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.key = key
        """The parameter of `python` that is to blame."""
        self.message = message
        self.hint = hint


@dataclass(frozen=True)
class Found:
    """A class that can be used."""

    cls: type[Controller | Law]
    is_controller: bool
    hooks: frozenset[str]
    """That it defines."""
    source: str
    """A digest of its file."""


def tell(error: BaseException, frames: TracebackType | None, place: str) -> BaseException:
    """Notes on an exception of a law where it came from, and keeps its traceback as it is now: that
    of the law alone.

    Returns what ends the run: the exception, but for one that would end the program.
    """
    ends = error
    if not isinstance(error, (Exception, KeyboardInterrupt)):
        ends = RuntimeError(f"a law raised {type(error).__name__}: {error}")
        ends.__cause__ = error
        ends.add_note(place)
    error.add_note(place)
    text = "".join(traceback.format_exception(type(error), error, frames))
    ends.weir_traceback = text  # type: ignore[attr-defined]
    return ends


SHORTEST_PERIOD = 1e-5
LONGEST_PERIOD = 1e6
"""Seconds; as for the laws of the core."""


def period_of(law: Controller | Law | type[Controller | Law]) -> float | None:
    """Its period, if it is one. Raises TypeError or ValueError."""
    period: object = law.period
    if period is None:
        return None
    # Numbers of numpy are numbers.
    if isinstance(period, (bool, str)) or not hasattr(type(period), "__float__"):
        raise TypeError(f"period is {period!r}, no number of seconds: write 0.01 for 10 ms")
    seconds = float(period)  # type: ignore[arg-type]
    if not SHORTEST_PERIOD <= seconds <= LONGEST_PERIOD:
        raise ValueError(
            f"a period of {seconds} s: "
            f"write {SHORTEST_PERIOD} to {LONGEST_PERIOD:.0f} seconds between updates"
        )
    return seconds


def variables_of(law: Controller | Law | type[Controller | Law]) -> list[str]:
    """Names of its variables, if they are names. Raises TypeError."""
    return _names(law.variables)


def _names(value: object) -> list[str]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        example = value if isinstance(value, str) else "name"
        raise TypeError(f'variables is {value!r}, no tuple of names: write ("{example}",)')
    names: list[str] = []
    for name in cast("Sequence[object]", value):
        if not isinstance(name, str):
            raise TypeError(f'{name!r} in variables is no name of an attribute: write "name"')
        names.append(name)
    return names


_sources: WeakKeyDictionary[type, str] = WeakKeyDictionary()
"""By class: what its file held when the class was first seen. The file may change later, and the
class does not."""


def find(path: str, folder: str, parameters: Mapping[str, Any], source: str | None) -> Found:
    """The class at the import path, ready for these parameters.

    Args:
        path: `package.module:Class`.
        folder: where else to look: that of the scenario file.
        parameters: what it is going to be given by name.
        source: what the digest of its file is to be; None for any.

    Raises NotFoundError.
    """
    name, _, attribute = path.partition(":")
    module = _module(name, folder)
    cls = _class(module, attribute)
    _check_attributes(cls)
    _check_parameters(cls, parameters)
    digest = _digest(cls, module)
    if source is not None and source != digest:
        raise NotFoundError(
            "source",
            f"the file of {path} is not what it was: its digest is {digest}",
            "take back what has changed in it, or take `source` out to run it as it is now",
        )
    base = Controller if issubclass(cls, Controller) else Law
    hooks = frozenset(hook for hook in _HOOKS if getattr(cls, hook, None) is not getattr(base, hook, None))
    _check_hooks(cls, is_controller=base is Controller)
    if not hooks:
        raise NotFoundError(
            "class",
            f"{path} decides nothing",
            "define update(self, seen) in a Controller, on_enqueue or on_dequeue in a Law",
        )
    return Found(cls, base is Controller, hooks, digest)


def _module(name: str, folder: str) -> ModuleType:
    for place in (str(Path.cwd()), str(Path(folder).resolve())):
        if place not in sys.path:
            # Last: a file of one's own never hides one of somebody else's.
            sys.path.append(place)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise NotFoundError(
                "class",
                f"there is no module {error.name!r}",
                f"looked in {Path.cwd()}, in the scenario file's folder and where Python looks; "
                "PYTHONPATH adds to it, for workers too",
            ) from None
        raise _broken(name, error) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _broken(name, error) from error


def _broken(name: str, error: BaseException) -> NotFoundError:
    return NotFoundError(
        "class",
        f"importing {name} failed: {type(error).__name__}: {error}",
        f"python -c 'import {name}' shows where",
    )


def _class(module: ModuleType, name: str) -> type[Controller | Law]:
    found = getattr(module, name, None)
    if isinstance(found, type) and issubclass(found, (Controller, Law)):
        return found
    of_ours = [
        key for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, (Controller, Law)) and value not in (Controller, Law)
    ]  # fmt: skip
    if found is not None:
        message = f"{module.__name__}:{name} is neither a weir.laws.Controller nor a weir.laws.Law"
    else:
        message = f"there is no class {name!r} in {module.__name__}"
    raise NotFoundError("class", message, _known(name, of_ours, "derive it from one of them"))


def _known(name: str, names: list[str], otherwise: str) -> str:
    near = get_close_matches(name, names, 1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known: {', '.join(names)}" if names else otherwise


def _check_attributes(cls: type[Controller | Law]) -> None:
    for name, read in (("period", period_of), ("variables", variables_of)):
        # What an object computes is seen when there is one.
        value: object = getattr(cls, name)
        if hasattr(value, "__get__"):
            continue
        try:
            read(cls)
        except (TypeError, ValueError) as error:
            message, _, hint = str(error).rpartition(": ")
            raise NotFoundError("class", f"{cls.__name__}: {message}", hint) from None


def _check_hooks(cls: type[Controller | Law], *, is_controller: bool) -> None:
    """What looks like a hook is one, or nobody would ever call it."""
    named = [name for name in dir(cls) if name.startswith("on_") and callable(getattr(cls, name))]
    if is_controller and named:
        raise NotFoundError(
            "class",
            f"{cls.__name__} is a Controller, and {named[0]} of a Controller is never called",
            "a Controller has update alone; derive it from Law to decide on every packet",
        )
    for name in named:
        if name not in _HOOKS:
            raise NotFoundError(
                "class",
                f"{cls.__name__} has no hook {name!r}, so it is never called",
                _known(name, [hook for hook in _HOOKS if hook != "update"], ""),
            )


def _check_parameters(cls: type[Controller | Law], parameters: Mapping[str, Any]) -> None:
    signature = inspect.signature(cls)
    try:
        signature.bind_partial(None)
    except TypeError:
        raise NotFoundError(
            "class",
            f"the __init__ of {cls.__name__} does not take the link",
            "write def __init__(self, link), and after link what parameters name",
        ) from None
    try:
        signature.bind(None, **parameters)
    except TypeError as error:
        names = list(signature.parameters)[1:]
        unknown = next((name for name in parameters if name not in names), None)
        if unknown is None:
            raise NotFoundError(
                "parameters", f"{cls.__name__}: {error}", "give it a value in parameters = { ... }"
            ) from None
        raise NotFoundError(
            f"parameters.{unknown}",
            f"{cls.__name__} has no parameter {unknown!r}",
            _known(unknown, names, "its __init__(self, link) takes none"),
        ) from None


def _digest(cls: type, module: ModuleType) -> str:
    if cls not in _sources:
        try:
            text = inspect.getsource(module)
        except (OSError, TypeError):
            raise NotFoundError(
                "class",
                f"the text of {module.__name__} cannot be read, so nobody could tell later what was run",
                "put the class into a file",
            ) from None
        _sources[cls] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return _sources[cls]
