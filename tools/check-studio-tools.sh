#!/bin/sh
# Are the tools here that the studio's page is built with? Nothing on success; otherwise one line that says
# what is missing and how to get it. Using Weir needs none of them.
set -eu

PATH=$PATH:${HOME:-}/.cargo/bin

fail() {
    echo "$*" >&2
    exit 1
}

node=$(node --version 2>/dev/null | sed 's/^v//') || true
[ -n "$node" ] || fail "Node is missing; the studio is built with Node 20.19 or newer: get it from https://nodejs.org"
major=${node%%.*}
minor=${node#*.}
minor=${minor%%.*}
[ "$major" -gt 20 ] || { [ "$major" -eq 20 ] && [ "$minor" -ge 19 ]; } ||
    fail "Node is $node; the studio is built with Node 20.19 or newer: get it from https://nodejs.org"
command -v npm >/dev/null || fail "npm is missing, which comes with Node: get it from https://nodejs.org"
[ -d "$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown" ] ||
    rustup target add wasm32-unknown-unknown >/dev/null 2>&1 ||
    fail "Rust cannot compile for browsers: rustup target add wasm32-unknown-unknown"
