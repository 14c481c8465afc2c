#!/bin/sh
# Builds the wheel into dist/, guided by a profile: built once to count what runs, tried with tools/train.py,
# and built again for what runs most. Results are the same as without.
set -eu
cd "$(dirname "$0")/.."

PATH=$PATH:${HOME:-}/.cargo/bin
python=$PWD/.venv/bin/python
host=$(rustc --print host-tuple)
profdata=$(rustc --print sysroot)/lib/rustlib/$host/bin/llvm-profdata
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build FLAGS FOLDER. With --target, the flags are not those of macros and build scripts, which run now.
build() {
    RUSTFLAGS="${RUSTFLAGS:-} $1" .venv/bin/maturin build --release --target "$host" \
        --interpreter "$python" --out "$2"
}

[ -x "$profdata" ] || rustup component add llvm-tools || true
if [ -x "$profdata" ]; then
    echo '==> Building a wheel that counts'
    build "-Cprofile-generate=$work/counts" "$work"
    "$python" -m zipfile -e "$work"/*.whl "$work/site"
    echo '==> Running tools/train.py'
    PYTHONPATH=$work/site "$python" tools/train.py
    "$profdata" merge --output "$work/profile" "$work/counts"
    echo '==> Building the wheel'
    build "-Cprofile-use=$work/profile" dist
else
    echo '==> Building the wheel without a profile: this Rust has no llvm-tools'
    build '' dist
fi
