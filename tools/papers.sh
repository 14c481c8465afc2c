#!/bin/sh
# The five papers on a plain Debian 13: installs what is missing, builds, and runs `make papers` with what it is given.
# `--dry-run` installs, and says what make would do. tools/Containerfile has the same steps.
set -eu
cd "$(dirname "$0")/.."
PATH="$PATH:$HOME/.cargo/bin"

root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo --non-interactive "$@"; fi
}

missing=
command -v make >/dev/null || missing="$missing make"
command -v cc >/dev/null || missing="$missing build-essential"
command -v git >/dev/null || missing="$missing git"
command -v cargo >/dev/null || missing="$missing rustup"
python3 -c 'import venv, ensurepip' 2>/dev/null || missing="$missing python3-venv"
if [ -n "$missing" ]; then
    root apt-get -qq update
    # Words are packages.
    # shellcheck disable=SC2086
    root env DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends ca-certificates $missing
fi
# Debian's rustup brings no compiler of its own.
cargo --version >/dev/null 2>&1 || rustup default stable

exec make papers "$@"
