"""Errors for people: what is wrong, and what to do about it."""

from __future__ import annotations

import os
from collections.abc import Iterable


class WeirError(Exception):
    """Error that the user can correct. Errors in a scenario are a `ScenarioError`."""

    exit_code = 2
    """Exit code of a command that ends with this error. The code 2 is bad input."""

    def __init__(self, message: str, hint: str | None = None, path: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.path = path
        """Path of the value in a scenario that the error is about."""

    def __reduce__(self) -> tuple[object, ...]:
        # Whole, also from one process to another.
        return type(self), (self.message, self.hint, self.path)

    @property
    def told(self) -> str:
        """The message, after the path of the value in the scenario, if there is one."""
        return self.message if self.path is None else f"{self.path}: {self.message}"

    def __str__(self) -> str:
        return self.told if self.hint is None else f"{self.told}; hint: {self.hint}"


class InputError(WeirError, ValueError):
    """Error about an argument that a function cannot take. A handler of ValueError catches it too."""


class AqmFailedError(WeirError):
    """An AQM in Python raised an exception, maybe in another process: the message is its traceback."""

    exit_code = 1


def require(
    holds: bool,  # noqa: FBT001 - as in `assert`
    message: str,
    hint: str | None = None,
    error: type[WeirError] = InputError,
    path: str | None = None,
) -> None:
    """Raises `error` unless this holds."""
    if not holds:
        raise error(message, hint, path)


def is_a(value: object, *kinds: type) -> bool:
    """Returns true for a value of one of these types: callers without a type checker give others."""
    return isinstance(value, kinds)


def listed(asked: str | Iterable[str]) -> list[str]:
    """Names or texts as a list. A single text is a list of one, and not its letters."""
    return [asked] if isinstance(asked, str) else list(asked)


def reason_of(error: OSError) -> str:
    """Reason of an error as the system says it, with the file; or as we say it in its place."""
    place = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    return f"{place}{error.strerror}" if error.strerror else str(error)
