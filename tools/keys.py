"""Prints docs/reference/keys.md: `python tools/keys.py schema/scenario.schema.json`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

_HEAD = """\
# Keys of a scenario file

Written by `make schema`. Upper-case words stand for names that you choose. Parameters of queue disciplines
are on [their pages](../disciplines/index.md). Quantities carry a unit:

| quantity | written |
| --- | --- |
"""

_RULE = """
## Setting values

Variants, `--set`, `[[changes]]` and dictionaries in Python have one rule. A dotted key sets one value, and
the others of its table stay. A table that is written as such, in braces or under its own header, replaces the
whole table at its path. Another queue discipline or congestion control drops what belonged to the former.
`--set`, `--axis` and Python also take the name of a choice for its table with the defaults,
`--set links.l.queue=codel`, and semicolons between values: `--set "links.l.rate=5 Mbit/s; flows.f.count=3"`.

A queue length (RED's thresholds, REM's target) is packets, bytes or a time: `min_th = "5 ms"` is what the
link sends in 5 ms at its rate at the start. A buffer in time is the same, but rounded to packets.

```toml
[variants.dotted]
links.l.queue.red.min_th = "5 packets"              # the other parameters of RED stay

[variants.whole]
links.l.queue.red = { min_th = "5 packets" }        # the others have their defaults
flows.f.tcp = { recovery.sack = {} }                # no preset, no ECN: defaults, with SACK
```
"""

_QUEUE = "QueueConfig"
"""Definition that has pages of its own."""

_NAMES = {"links": "LINK", "flows": "GROUP", "variants": "VARIANT"}
"""Placeholders for the keys of a map."""


def page(schema: Mapping[str, Any]) -> str:
    """The page for a JSON schema of scenario files."""
    return _Page(schema).text()


class _Page:
    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.root = schema
        self.definitions: Mapping[str, Any] = schema["$defs"]
        self.sections: dict[str, str] = {}
        """Definition to the anchor of its section, as GitHub forms it."""
        self.pending: list[tuple[str, Mapping[str, Any]]] = [("", schema)]
        self.quantities: dict[str, str] = {}

    def text(self) -> str:
        tables: list[str] = []
        while self.pending:
            (path, definition), *rest = self.pending
            self.pending = []
            tables += self._table(path, definition)
            self.pending += rest
        quantities = [f"| {name} | {_cell(text)} |\n" for name, text in sorted(self.quantities.items())]
        return _HEAD + "".join(quantities) + _RULE + "".join(tables)

    def _table(self, path: str, definition: Mapping[str, Any]) -> Iterator[str]:
        title = f"`{path}`" if path else "The file"
        yield f"\n## {title}\n\n"
        if path:
            yield f"{_cell(definition.get('description', ''))}\n\n"
        yield "| key | is | meaning |\n| --- | --- | --- |\n"
        required = definition.get("required", ())
        for key, declared in definition["properties"].items():
            kind, words = self._kind(f"{path}.{key}".lstrip("."), declared)
            default = "Required." if key in required else _default(declared)
            meaning = f"{_cell(declared.get('description', ''))} {default}".strip()
            yield f"| `{key}` | {kind} | {'<br>'.join((meaning, *words))} |\n"

    def _kind(self, path: str, declared: Mapping[str, Any]) -> tuple[str, list[str]]:
        """Kind of a value in words, and the meanings of the words that it may be."""
        kinds: list[str] = []
        words: list[str] = []
        for one in declared.get("anyOf", (declared,)):
            kind, more = self._one(path, one)
            kinds += [kind] if kind and kind not in kinds else []
            words += more
        return " or ".join(kinds), words

    def _one(self, path: str, declared: Mapping[str, Any]) -> tuple[str, list[str]]:
        if "$ref" in declared:
            return self._reference(path, str(declared["$ref"]).removeprefix("#/$defs/"))
        if "items" in declared:
            kind, words = self._kind(f"{path}[]", declared["items"])
            return f"list of {kind}", words
        inner = declared.get("additionalProperties")
        if isinstance(inner, dict) and "$ref" in (more := cast("dict[str, Any]", inner)):
            return self._kind(f"{path}.{_NAMES.get(path, 'NAME')}", more)
        types = declared.get("type", "table")
        types = [types] if isinstance(types, str) else [kind for kind in types if kind != "null"]
        plain = {"boolean": "true or false", "string": "text", "object": "table", "array": "list", "null": ""}
        return " or ".join(plain.get(kind, kind) for kind in types), []

    def _reference(self, path: str, name: str) -> tuple[str, list[str]]:
        definition = self.definitions[name]
        if name == _QUEUE:
            return "[queue discipline](../disciplines/index.md)", []
        if "properties" in definition:
            return self._section(path, name), []
        options = definition.get("oneOf", definition.get("anyOf", ()))
        words = [self._word(path, option) for option in options]
        if any(words):
            return "choice", [word for word in words if word]
        meaning = str(definition.get("description", ""))
        if options or "unit" not in meaning:
            return self._kind(path, definition)
        self.quantities[_words(name)] = meaning
        return _words(name), []

    def _section(self, path: str, name: str) -> str:
        if name not in self.sections:
            anchor = re.sub(r"[^a-z0-9_-]", "", path.lower())
            same = sum(re.sub(r"-\d+$", "", known) == anchor for known in self.sections.values())
            self.sections[name] = f"{anchor}-{same}" if same else anchor
            self.pending.append((path, self.definitions[name]))
        return f"[table](#{self.sections[name]})"

    def _word(self, path: str, option: Mapping[str, Any]) -> str:
        """One of several words or tables, with its meaning; empty if it is neither."""
        meaning = _cell(option.get("description", ""))
        if "const" in option:
            return f"`{option['const']}`: {meaning}"
        if len(option.get("properties", ())) != 1:
            return ""
        ((name, declared),) = option["properties"].items()
        kind, _ = self._kind(f"{path}.{name}", declared)
        return f"{re.sub(r'^.table.', f'[`{name}`]', kind) if '(#' in kind else f'`{name}`'}: {meaning}"


def _default(declared: Mapping[str, Any]) -> str:
    """The default, where the description does not state it."""
    source = declared.get("x-default-source")
    value = declared.get("x-default", declared.get("default"))
    stated = "efault" in str(declared.get("description", ""))
    if stated or isinstance(value, (dict, list)) or value in {None, ""}:
        return f"Default: {source}." if source else ""
    text = value if isinstance(value, str) else json.dumps(value)
    return f"Default: {text} ({source})." if source else f"Default: {text}."


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _words(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


if __name__ == "__main__":
    sys.stdout.write(page(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
