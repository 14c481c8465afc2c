#!/bin/sh
# Makes the virtual environment .venv, unless the one that is there will do: made in this
# folder, and of the version of $PYTHON if that is set.
set -eu
cd "$(dirname "$0")/.."

version() {
    "$1" -c 'import sys; print(*sys.version_info[:2])'
}

if [ -x .venv/bin/python ] && [ "$(cat .venv/.made 2>/dev/null)" = "$PWD" ]; then
    [ -n "${PYTHON:-}" ] || exit 0
    python=$(tools/check-tools.sh)
    [ "$(version "$python")" != "$(version .venv/bin/python)" ] || exit 0
fi

python=$(tools/check-tools.sh)
echo "==> Making .venv with $("$python" --version)"
rm -rf .venv
"$python" -m venv .venv
echo "$PWD" >.venv/.made
