"""Scenarios: read, checked, changed. `weir._api` adds the verbs that run them."""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

from weir import _core
from weir._errors import InputError, is_a, listed
from weir._printable import cut
from weir.scenario._toml import Value, printable_toml, to_toml

_BUNDLED = Path(__file__).parents[1] / "scenarios"
_SCENARIOS = "weir.scenarios"
"""Entry points: NAME to a package, whose file `scenarios/FILE.toml` is the scenario NAME/FILE."""


@dataclass(frozen=True)
class Variant:
    """One of the scenarios that a result compares."""

    name: str
    label: str
    scenario: _core.Scenario


class Scenario:
    """A network, its traffic and its measurement. Immutable.

    The core alone checks the values and has their defaults; `to_toml()` shows all of them.
    """

    def __init__(self, core: _core.Scenario) -> None:
        self._core = core

    @classmethod
    def load(
        cls,
        source: str | os.PathLike[str],
        set: Mapping[str, Value] | Sequence[tuple[str, str]] | None = None,
        *,
        python: bool = True,
    ) -> Self:
        """Reads a scenario from a TOML file, or the bundled scenario of that name.

        `set` replaces values by their dotted path: `{"links.bottleneck.rate": "10 Mbit/s"}`; a dictionary
        replaces the whole table there. Pairs hold values as on the command line: TOML, or else text. A
        scenario that names a class of Python runs its file: `python=False` refuses such a scenario. Raises
        ScenarioError, and InputError for a source or a path that is no text.

        Example:
            >>> weir.Scenario.load("web", {"links.bottleneck.rate": "50 Mbit/s"}).groups
            ['long', 'web']
            >>> weir.Scenario.load("web", [("duration", "20 s")]).duration
            20.0
        """
        if set is not None and not isinstance(set, Mapping):
            return cls(_core.Scenario.load(os.fspath(file_of(source)), set, python))
        overrides = _overrides(set)
        with _as_given():
            return cls(_core.Scenario.load(os.fspath(file_of(source)), overrides, python))

    @classmethod
    def loads(cls, text: str, set: Mapping[str, Value] | None = None, *, python: bool = True) -> Self:
        """Reads a scenario from a TOML text. `python` as in `load`. Raises ScenarioError.

        Example:
            >>> text = scenario.to_toml()
            >>> weir.Scenario.loads(text, {"duration": "8 s"}).duration
            8.0
        """
        with _as_given():
            return cls(_core.Scenario.loads(text, overrides=_overrides(set), python=python))

    def replace(self, values: Mapping[str, Value]) -> Self:
        """Returns the scenario with other values, checked anew. Raises ScenarioError.

        Example:
            >>> scenario.replace({"links.bottleneck.buffer": "2 BDP", "seed": 7}).seed
            7
        """
        with _as_given():
            return type(self)(self._core.replace(_overrides(values)))

    def variant(self, name: str) -> Self:
        """Returns the scenario with the values of `[variants.NAME]` and without variants.

        Raises ScenarioError for a name that is none of a variant.

        Example:
            >>> rem = scenario.variant("rem-mark")
            >>> rem.label, rem.variants
            ('REM mark', [])
        """
        if name not in self.variants:
            name = str(name)
            hint = suggestion(name, self.variants) if self.variants else "this scenario has no variants"
            raise scenario_error(f"there is no variant {name!r}", hint, self.name)
        return type(self)(self._core.variant(name))

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def title(self) -> str:
        return self._core.title

    @property
    def label(self) -> str:
        """Name in tables and pictures."""
        return self._core.label

    @property
    def seed(self) -> int:
        """Seed of replication 0; replication r uses `seed + r`."""
        return self._core.seed

    @property
    def duration(self) -> float:
        """Duration of a run in seconds."""
        return self._core.duration

    @property
    def variants(self) -> list[str]:
        return self._core.variants

    @property
    def links(self) -> list[str]:
        return self._core.links

    @property
    def groups(self) -> list[str]:
        """The flow groups."""
        return self._core.groups

    @property
    def hash(self) -> str:
        return self._core.hash

    @property
    def core(self) -> _core.Scenario:
        """The scenario of the core, which the engine runs."""
        return self._core

    @property
    def network(self) -> _core.Network:
        """The resolved network with ports, paths, load over time and the bottleneck. Read-only."""
        return self._core.network

    @property
    def sweep_table(self) -> str | None:
        """The `[sweep]` table of the file as JSON, where there is one."""
        return self._core.sweep

    def to_toml(self) -> str:
        """The whole scenario with every default written out.

        Example:
            >>> [line for line in scenario.to_toml().splitlines() if line.startswith("buffer")]
            ['buffer = "120 packets"', 'buffer_counts = "waiting"', 'buffer = "1000 packets"']
        """
        return printable_toml(self._core.to_toml())

    def with_seed(self, seed: int) -> Self:
        """Returns the scenario with this seed for replication 0.

        Raises ScenarioError for a number that is no seed.

        Example:
            >>> scenario.seed, scenario.with_seed(100).seed
            (1, 100)
        """
        with _as_given():
            return type(self)(self._core.replace([("seed", str(seed))]))

    def chosen(
        self,
        variants: str | Sequence[str] | None = None,
        disciplines: str | Sequence[str] | None = None,
    ) -> list[Variant]:
        """The variants of these names, or one variant for each queue discipline with its defaults.

        Without names: all variants; of a scenario that has none, itself. Raises ScenarioError
        for unknown names, for one that is named twice, and for both at once.

        Example:
            >>> [one.label for one in scenario.chosen(["rem-mark", "drop-tail"])]
            ['REM mark', 'DropTail']
            >>> [one.label for one in scenario.chosen(disciplines=["codel", "pie"])]
            ['codel', 'pie']
        """
        if disciplines is not None and variants is not None:
            raise scenario_error(
                "choose variants or disciplines, not both",
                "leave one of them out: disciplines take the place of the scenario's variants",
                self.name,
            )
        names = listed(self.variants if variants is None else variants)
        if disciplines is not None:
            names = listed(disciplines)
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise scenario_error(f"{twice!r} is named twice", "leave one of them out", self.name)
        if disciplines is not None:
            return self._disciplines(names)
        if not names:
            return [self.itself()]
        found = [self.variant(name) for name in names]
        return [Variant(name, one.label, one.core) for name, one in zip(names, found, strict=True)]

    def itself(self) -> Variant:
        """The scenario without its variants, as the only variant of a result.

        Example:
            >>> scenario.variant("rem-mark").itself().label
            'REM mark'
        """
        return Variant(self.name, self.label, self._core)

    def _disciplines(self, names: Sequence[str]) -> list[Variant]:
        known = _core.disciplines()
        if not names:
            raise scenario_error("no queue discipline is named", f"there are: {', '.join(known)}", self.name)
        bottleneck = self._core.network.bottleneck
        if bottleneck.ambiguity is not None:
            raise scenario_error(
                f"which queue is meant is not clear: {bottleneck.ambiguity}",
                f"name the link: --set measure.bottleneck={bottleneck.name}",
                self.name,
            )
        for name in names:
            if name not in known:
                raise scenario_error(f"there is no queue discipline {name!r}", meant_queue(name), self.name)
        self._check_kept(names, bottleneck)
        found: list[Variant] = []
        for name in names:
            core = self._core.replace([(f"{bottleneck.key}.queue.{name}", "{}")])
            found.append(Variant(name, name, core))
        return found

    def _check_kept(self, names: Sequence[str], port: _core.Bottleneck) -> None:
        """Raises ScenarioError if a change in mid-run puts another queue in the place of one of these."""
        changes: list[dict[str, Any]] = []
        if self._core.has_changes:
            changes = json.loads(self._core.to_json())["changes"]
        for change in changes:
            table: dict[str, Any] = change.get("links", {}).get(port.link, {})
            if port.direction != "forward":
                table = table.get("reverse", {})
            for later in table.get("queue", ()):
                others = [name for name in names if name != later]
                if others and _core.quantity(change["at"])[0] < self.duration:
                    raise scenario_error(
                        f"a change gives {port.key} the queue {later} at {change['at']}: from then on "
                        f"{', '.join(others)} would be {later} under another name",
                        "leave the change out: --set 'changes=[]'; or write variants with their own changes",
                        self.name,
                    )

    def __repr__(self) -> str:
        return f"<weir.Scenario {self.name!r}: {self.title}>"


@contextmanager
def _as_given() -> Generator[None]:
    """Names values in errors as they were given to a function, and not as options of the command line."""
    try:
        yield
    except _core.ScenarioError as error:
        rename(error, "")
        raise


def rename(error: _core.ScenarioError, option: str) -> None:
    """Puts another option, such as `--axis `, in the place of `--set `, which the core names."""
    if error.file.startswith(_SET):
        error.file = option + error.file.removeprefix(_SET)
        error.args = (option + str(error).removeprefix(_SET),)


_SET = "--set "


def bundled() -> dict[str, Path]:
    """The scenarios of Weir and of the installed packages that bring some: name to file."""
    others = {
        f"{entry.name}/{path.stem}": path
        for entry in entry_points(group=_SCENARIOS)
        for path in sorted(Path(str(files(entry.value))).glob("scenarios/*.toml"))
    }
    return dict(sorted({**_own(), **others}.items()))


def _own() -> dict[str, Path]:
    return {
        path.relative_to(_BUNDLED).with_suffix("").as_posix(): path
        for path in sorted(_BUNDLED.rglob("*.toml"))
    }


def scenario_error(message: str, hint: str | None, file: str) -> _core.ScenarioError:
    """Makes an error about a scenario that is found before the core sees it."""
    error = _core.ScenarioError(f"{file}: {message}" + (f"\nhint: {hint}" if hint else ""))
    error.file, error.line, error.path = file, None, None
    error.message, error.hint = message, hint
    return error


def core_of(scenario: object) -> _core.Scenario:
    """The scenario of the core that is meant. Raises InputError for what is no scenario."""
    core = scenario if isinstance(scenario, _core.Scenario) else getattr(scenario, "core", None)
    if isinstance(core, _core.Scenario):
        return core
    hint = "read it first: weir.load takes a name or a file, weir.Scenario.loads a text"
    raise InputError(f"{cut(repr(scenario))} is no scenario", hint)


def file_of(source: str | os.PathLike[str]) -> Path:
    """The file that is meant by a path, or by the name of a bundled scenario. Raises ScenarioError."""
    if not is_a(source, str, os.PathLike):
        hint = "give the name of a bundled scenario or of a file; weir.Scenario.loads reads a text"
        raise InputError(f"{cut(repr(source))} names no scenario", hint)
    path = Path(source)
    name = os.fspath(source)
    try:
        name.encode()
        is_there, is_directory = path.exists(), path.is_dir()
    except OSError as error:
        raise scenario_error(f"cannot be read: {error.strerror}", None, cut(name)) from None
    except (UnicodeEncodeError, ValueError):
        said = "cannot be read: this is no name of a file, or not one in UTF-8"
        raise scenario_error(said, "give the file another name", cut(ascii(name))) from None
    if is_directory:
        files = ", ".join(str(file) for file in sorted(path.glob("*.toml"))[:5])
        hint = f"name a file in it: {files}" if files else "`weir list scenarios` shows what is bundled"
        raise scenario_error("is a directory, not a scenario file", hint, name)
    # The core says what is wrong with what is no plain file.
    if is_there:
        return path
    # Other packages are looked for only where none of Weir's has the name.
    if name in (known := _own()) or name in (known := bundled()):
        return known[name]
    stem = name.removesuffix(path.suffix)
    what = "no such file" if path.suffix else "no such file and no bundled scenario of that name"
    # Without their suffixes, which all have in common.
    meant = {str(file.with_suffix("")): str(file) for file in path.parent.glob("*.toml")} | {
        scenario: scenario for scenario in known
    }
    near = get_close_matches(stem, meant, n=1)
    if near:
        hint = f"did you mean {meant[near[0]]!r}?"
    else:
        # There are too many to name them all.
        hint = "`weir list scenarios` shows what is bundled, `weir init` writes a file to begin with"
    raise scenario_error(f"there is {what}", hint, name)


def _overrides(values: Mapping[str, Value] | None) -> list[tuple[str, str]]:
    for path in values or ():
        if not is_a(path, str):
            raise InputError(f"{path!r} is no path of a value", "write it with dots: 'links.bottleneck.rate'")
    return [(path, to_toml(value)) for path, value in (values or {}).items()]


def flows_at(load: Sequence[_core.LoadChange], at_s: float) -> int:
    """The number of flows at an instant in seconds, by the changes of a port's or a path's load."""
    return next((change.after for change in reversed(load) if change.at_s <= at_s), 0)


def meant_queue(name: str) -> str:
    """The queue discipline that was probably meant, also by its name in another tool, or those there are."""
    return _core.name_of_others("queue", name) or suggestion(name, _core.disciplines())


def suggestion(name: str, known: Sequence[str]) -> str:
    """Suggestion of the name that was probably meant, or the list of all names."""
    close = get_close_matches(name, dict.fromkeys(known), n=3)
    if not close:
        return f"there are: {', '.join(known)}"
    likeness = [SequenceMatcher(None, one, name).ratio() for one in close]
    alike = sorted(one for one, ratio in zip(close, likeness, strict=True) if ratio == likeness[0])
    return f"did you mean {' or '.join(map(repr, alike))}?"
