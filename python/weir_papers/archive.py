"""The full set as one file that a DOI can be given to: claims, the rows that judge them, scenarios, cost."""

from __future__ import annotations

import io
import json
import os
import platform
import subprocess
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir import __version__
from weir.run import TABLES
from weir.store import RESULTS_VERSION

if TYPE_CHECKING:
    import polars as pl

    from weir_papers.reproduce import Reproduction

_BEGIN = (1980, 1, 1, 0, 0, 0)
"""The time of every file within, the first that the format has: the same set makes the same bytes."""

_README = """# Five papers on active queue management, simulated again with Weir

The full set of {papers}, by `weir reproduce`.

- `about.json`: versions, commit, machine; of each paper what is registered, first seed, user CPU, groups
- `PAPER/claims.json`: every claim with its checks, verdict and group
- `PAPER/EXPERIMENT/runs.parquet`: runs by variant, replication and axes; `run` is the key of all tables
- `PAPER/EXPERIMENT/TABLE.parquet`: what was measured; docs/reference/results.md of Weir has every column
- `PAPER/EXPERIMENT/VARIANT.toml`: the scenario, with every default written out, before the axes are set

`weir reproduce PAPER` of the same commit makes the same tables.
"""


@dataclass
class Archive:
    """A zip file that grows paper by paper, and has its name when it is whole."""

    path: Path
    _file: zipfile.ZipFile
    _papers: dict[str, Any]

    @classmethod
    def at(cls, path: Path) -> Archive:
        """Begins the archive beside its place. Raises OSError where nothing can be written."""
        # Parquet is compressed.
        return cls(path, zipfile.ZipFile(_part(path), "w", zipfile.ZIP_STORED), {})

    def add(self, outcome: Reproduction, user_s: float) -> None:
        """Adds a paper: claims, rows and scenarios of its experiments. `user_s`: user CPU that it took."""
        key = outcome.paper.key
        self._write(f"{key}/claims.json", _json(outcome.to_json()))
        for name, content in _contents(outcome):
            self._write(f"{key}/{name}", content)
        self._papers[key] = {
            "title": outcome.paper.title,
            "registered": outcome.paper.digest,
            "first_seed": outcome.planned.seed,
            "claims": len(outcome.paper.claims),
            "groups": outcome.counts,
            "user_s": round(user_s, 1),
            "cpu_s_of_runs": round(outcome.cpu_s, 1),
        }

    def finish(self) -> Path:
        """Says what is within, and gives the file its name."""
        about = {
            "weir": __version__,
            "results_version": RESULTS_VERSION,
            "commit": _commit(),
            "machine": _machine(),
            "papers": self._papers,
        }
        self._write("about.json", _json(about))
        self._write("README.md", _README.format(papers=", ".join(self._papers)).encode())
        self._file.close()
        _part(self.path).replace(self.path)
        return self.path

    def give_up(self) -> None:
        """Removes what was written."""
        self._file.close()
        _part(self.path).unlink(missing_ok=True)

    def _write(self, name: str, content: bytes) -> None:
        self._file.writestr(zipfile.ZipInfo(name, _BEGIN), content)


def _contents(outcome: Reproduction) -> Iterator[tuple[str, bytes]]:
    for one in outcome.spent:
        folder, data = one.experiment.name, outcome.study[one.experiment.name]
        yield f"{folder}/runs.parquet", _parquet(data.runs)
        # The runs are there with their variants and axes.
        for name in TABLES:
            if name != "runs" and not (rows := data.read(name)).is_empty():
                yield f"{folder}/{name}.parquet", _parquet(rows)
        for variant, text in data.resolved.items():
            yield f"{folder}/{variant}.toml", text.encode()


def _parquet(rows: pl.DataFrame) -> bytes:
    written = io.BytesIO()
    rows.write_parquet(written, compression="zstd")
    return written.getvalue()


def _json(value: Mapping[str, Any] | Sequence[Any]) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def _part(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")


def _commit() -> str | None:
    """Commit of the checkout with this package, with a plus where it was changed; None outside of one."""
    place = Path(__file__).parent
    said = [
        subprocess.run(("git", "-C", place, *words), capture_output=True, text=True, check=False)  # noqa: S603, S607
        for words in (
            ("rev-parse", "HEAD"),
            ("status", "--porcelain", "--untracked-files=no", str(place.parent)),
        )
    ]
    if any(one.returncode for one in said):
        return None
    return said[0].stdout.strip() + ("+" if said[1].stdout.strip() else "")


def _machine() -> dict[str, Any]:
    return {
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
