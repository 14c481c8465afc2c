"""`weir live`: what cannot be used is said in a line, before anything starts."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from sessions import SCENARIO, needs_linux, needs_namespaces

from conftest import Command
from weir.live import _namespaces as namespaces

pytestmark = needs_linux


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--", "no-such-command"], "error: the command 'no-such-command' is not installed"),
        (["--", "./no/such"], "error: the command './no/such' is not an executable file"),
        (["--far", "no-such-server", "--", "true"], "error: the command 'no-such-server' is not installed"),
        (["--far", "sh -c 'echo", "--", "true"], "error: --far: No closing quotation"),
        (["--far", " ", "--", "true"], "error: --far: no command is named"),
        ([], "error: say one thing that runs at the near end: a command, --shell, --against"),
        (
            ["--shell", "--", "true"],
            "error: say one thing that runs at the near end: a command, --shell, --against",
        ),
        (["--forward", "http", "--", "true"], "error: 'http' is not a port"),
        (["--forward", "53/sctp", "--", "true"], "error: '53/sctp' is not a port"),
        (["--forward", "53/", "--", "true"], "error: '53/' is not a port"),
        (["--forward", "0", "--", "true"], "error: 0 is not a port"),
        (["--forward", "1:65536", "--", "true"], "error: 65536 is not a port"),
        (
            ["--forward", "80:1", "--forward", "80:2", "--", "true"],
            "error: port 80 of the far end is forwarded twice",
        ),
        (["--internet", "web", "--", "true"], "error: 'web' are no ports"),
        (["--internet", "80,0", "--", "true"], "error: 0 is not a port"),
        (["--internet", "", "--", "true"], "error: '' are no ports"),
        (["--duration", "5", "--", "true"], 'error: --duration: "5" is not a quantity'),
        (["--duration", "5 Mbit/s", "--", "true"], "error: --duration: '5 Mbit/s' is not a duration"),
        (["--rtt", "fast", "--", "true"], 'error: --rtt: "fast" is not a quantity'),
        (["--group", "dat", "--", "true"], 'access.toml: there is no group of flows "dat"'),
        (["--watch", "--", "true"], "error: --watch needs a terminal that nothing else uses"),
        (["--capture", "no/such/file", "--", "true"], "error: no/such/file cannot be written"),
        (
            ["--set", "links.bottleneck.rate=fast", "--", "true"],
            "--set links.bottleneck.rate=fast: links.bottleneck.rate",
        ),
        (["--warm-up", "x", "--", "true"], "measure.warm_up"),
        pytest.param(
            ["--congestion", "no-such", "--", "true"],
            "error: the kernel has no congestion control 'no-such'",
            marks=needs_namespaces,
        ),
    ],
)
def test_what_cannot_be_used_is_said_in_a_line(
    weir_command: Command, tmp_path: Path, arguments: list[str], said: str
) -> None:
    (tmp_path / "access.toml").write_text(SCENARIO)
    ended = weir_command("live", "access.toml", *arguments)
    assert ended.returncode == 2
    first, *rest = ended.stderr.splitlines()
    assert said in first
    assert all(line.startswith("hint: ") for line in rest)
    assert len(rest) <= 1
    assert ended.stdout == ""


@pytest.mark.parametrize(
    ("code", "settings", "hint"),
    [
        (
            errno.EPERM,
            {"kernel/unprivileged_userns_clone": "0"},
            "sysctl -w kernel.unprivileged_userns_clone=1",
        ),
        (
            errno.EACCES,
            {"kernel/apparmor_restrict_unprivileged_userns": "1"},
            "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        (errno.ENOSPC, {"user/max_user_namespaces": "0"}, "sysctl -w user.max_user_namespaces=10000"),
        (errno.EINVAL, {}, "the kernel needs CONFIG_USER_NS"),
        (errno.EPERM, {"user/max_user_namespaces": "1000"}, "in a container, allow them: docker run"),
    ],
)
def test_where_no_namespace_can_be_made_it_is_said_what_to_change(
    code: int, settings: dict[str, str], hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in settings.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{value}\n")
    monkeypatch.setattr(namespaces, "SETTINGS", tmp_path)
    found = namespaces.failure({"failed": "namespaces", "errno": code}, {})
    assert found.message == f"no user and network namespaces can be made here: {os.strerror(code)}"
    assert hint in (found.hint or "")
