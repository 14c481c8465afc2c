"""The snippets of the README work."""

import re
from pathlib import Path

from PIL import Image

import weir

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_nothing_in_the_scenario_misleads() -> None:
    (text,) = blocks("toml")
    scenario = weir.Scenario.loads(text)
    for one in (scenario, *map(scenario.variant, scenario.variants)):
        assert weir.check.notes(one) == ()


def test_links_lead_somewhere() -> None:
    missing = [
        target
        for target in re.findall(r"\]\(([^)#]+)\)", README)
        if not target.startswith("http") and not (Path(__file__).parents[1] / target).exists()
    ]
    assert missing == []


def test_the_recording_moves_and_is_small() -> None:
    (path,) = re.findall(r"\]\((docs/images/\S+\.webp)\)", README)
    recording = Path(__file__).parents[1] / path
    assert recording.stat().st_size <= 700_000
    with Image.open(recording) as image:
        image.seek(50)  # raises EOFError if there are fewer pictures
