#!/bin/sh
# Are the tools here that a build needs? On success prints the Python interpreter to use;
# otherwise one line on stderr that says what is missing and how to get it.
#
# PYTHON=python3.12 names the interpreter; without it the first of python3, python3.14 ...
# python3.11 on PATH that is new enough is taken.
set -eu
cd "$(dirname "$0")/.."

# A shell opened before Rust was installed does not have it on its PATH.
PATH=$PATH:${HOME:-}/.cargo/bin

python_wanted=3.11
rust_wanted=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)

fail() {
    echo "$*" >&2
    exit 1
}

# newer_or_equal 1.95.0 1.88: compares major and minor.
newer_or_equal() {
    [ "${1%%.*}" -gt "${2%%.*}" ] && return 0
    [ "${1%%.*}" -eq "${2%%.*}" ] || return 1
    minor=${1#*.}
    [ "${minor%%.*}" -ge "${2#*.}" ]
}

# The version a Rust tool reports, or nothing when it is missing or cannot run.
rust_version() {
    "$1" --version 2>/dev/null | sed -n 's/^[a-z]* \([0-9][0-9.]*\).*/\1/p'
}

for tool in rustc cargo; do
    found=$(rust_version "$tool")
    get="get it from https://rustup.rs and open a new shell"
    [ -n "$found" ] || fail "$tool is missing, $rust_wanted or newer is needed: $get"
    newer_or_equal "$found" "$rust_wanted" ||
        fail "$tool is $found ($(command -v "$tool")), $rust_wanted or newer is needed: $get"
done

linker=
for tool in cc gcc clang; do
    if command -v "$tool" >/dev/null 2>&1; then
        linker=$tool
        break
    fi
done
[ -n "$linker" ] || fail "a C linker (cc) is missing: on Debian, apt install build-essential; on macOS, xcode-select --install"

# The version an interpreter reports, or nothing when it is missing or cannot run.
python_version() {
    "$1" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null || true
}

get_python="on Debian 12 or Ubuntu 24.04, apt install python3 python3-venv; elsewhere see https://www.python.org/downloads"
if [ -n "${PYTHON:-}" ]; then
    python=$PYTHON
    found=$(python_version "$python")
    [ -n "$found" ] || fail "PYTHON=$PYTHON does not run, Python $python_wanted or newer is needed: $get_python"
    newer_or_equal "$found" "$python_wanted" ||
        fail "PYTHON=$PYTHON is Python $found, $python_wanted or newer is needed: $get_python"
else
    python= oldest=
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        found=$(python_version "$candidate")
        [ -n "$found" ] || continue
        if newer_or_equal "$found" "$python_wanted"; then
            python=$candidate
            break
        fi
        oldest=${oldest:-$found}
    done
    if [ -z "$python" ]; then
        [ -n "$oldest" ] ||
            fail "python3 is missing, $python_wanted or newer is needed: $get_python"
        fail "python3 is $oldest ($(command -v python3)), $python_wanted or newer is needed: $get_python; then make PYTHON=python$python_wanted"
    fi
fi

# Debian splits the venv module off: there "import venv" works and ensurepip is missing.
"$python" -c 'import venv, ensurepip' 2>/dev/null ||
    fail "$python ($found) has no venv module: on Debian, apt install python3-venv"

command -v "$python"
