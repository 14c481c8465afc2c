#!/bin/sh
# Pins the Python packages, from pyproject.toml: requirements/run.txt (what Weir needs to be built and to run),
# and besides, requirements/docs.txt (what the site of the documentation needs) and requirements/dev.txt (what
# tests and lints need).
set -eu
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
.venv/bin/python -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --upgrade pip # dependency groups need a newer one than Python 3.11's

resolve() {
    "$work/venv/bin/pip" install --quiet --dry-run --ignore-installed --report "$@"
}
resolve "$work/run.json" ".[all]" maturin
resolve "$work/docs.json" ".[all]" maturin --group docs
resolve "$work/dev.json" ".[all]" maturin --group docs --group dev

"$work/venv/bin/python" - "$work" <<'PYTHON'
import json, pathlib, sys

work = pathlib.Path(sys.argv[1])


def pins(name):
    report = json.loads((work / f"{name}.json").read_text())
    packages = (item["metadata"] for item in report["install"])
    return {f"{p['name'].lower()}=={p['version']}" for p in packages if p["name"] != "weir-aqm"}


def write(name, lines):
    head = "# Written by `make lock` from pyproject.toml.\n"
    path = pathlib.Path("requirements", f"{name}.txt")
    path.parent.mkdir(exist_ok=True)
    path.write_text(head + "\n".join(sorted(lines)) + "\n")
    print(f"{path}: {len(lines)} packages")


run = pins("run")
docs = pins("docs")
write("run", run)
write("docs", docs - run)
write("dev", pins("dev") - docs - run)
PYTHON
