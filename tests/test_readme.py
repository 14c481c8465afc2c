"""The snippets of the README work."""

import re
from pathlib import Path

import weir

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_the_scenario_runs_and_is_reported(tmp_path: Path) -> None:
    (text,) = blocks("toml")
    scenario = weir.Scenario.loads(text).replace({"duration": "12 s"})
    result = scenario.compare(replications=2)
    assert result.summary()["variant"].to_list() == scenario.variants
    weir.report.write(result, tmp_path)
    assert (tmp_path / "report.html").exists()


def test_nothing_in_the_scenario_misleads() -> None:
    (text,) = blocks("toml")
    scenario = weir.Scenario.loads(text)
    for one in (scenario, *map(scenario.variant, scenario.variants)):
        assert weir.check.notes(one) == ()


def test_the_python_examples_run() -> None:
    for text in blocks("python"):
        quick = text.replace("replications=20", "replications=2")
        quick = quick.replace('load("rem-wireline")', 'load("rem-wireline", {"duration": "60 s"})')
        exec(quick, {"weir": weir})  # noqa: S102


def test_the_commands_exist() -> None:
    from weir.cli._app import app

    verbs = {command.name for command in (*app.registered_commands, *app.registered_groups)}
    for text in blocks("console"):
        for verb in re.findall(r"^\$ weir (\w+)", text, re.MULTILINE):
            assert verb in verbs


def test_links_lead_somewhere() -> None:
    missing = [
        target
        for target in re.findall(r"\]\(([^)#]+)\)", README)
        if not target.startswith("http") and not (Path(__file__).parents[1] / target).exists()
    ]
    assert missing == []
