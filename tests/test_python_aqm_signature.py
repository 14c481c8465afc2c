"""What a class of an AQM in Python takes: the link first, then what the scenario gives or a default."""

import pytest

import weir
from conftest import Lab
from python_aqms import scenario

QUEUE = "links.bottleneck.queue.python"

CLASS = """
    from weir.aqm import Controller

    class Mine(Controller):
        period = 0.01

        def __init__(self, {signature}) -> None:
            pass

        def update(self, seen) -> float:
            return 0.0
"""


@pytest.mark.parametrize(
    ("signature", "parameters", "message", "hint"),
    [
        ("target", {}, "is the link, and the class calls it 'target'", "def __init__(self, link, target)"),
        ("target: float = 20", {}, "is the link", "def __init__(self, link, target)"),
        ("target", {"target": 20}, "is the link", "parameters = { target = 20 }"),
        ("link, target", {}, "Mine needs target", "parameters = { target = 20 }"),
        ("link, target, gain", {"gain": 1.0}, "Mine needs target", "def __init__(self, link, target=20)"),
        ("link, *, target, gain", {}, "Mine needs target and gain", "target = 20, gain = 20"),
        ("link, target=20", {"aim": 5}, "no parameter 'aim'", "target"),
        ("*, target", {}, "does not take the link", "def __init__(self, link)"),
    ],
)
def test_a_class_that_cannot_be_made(
    signature: str, parameters: dict[str, float], message: str, hint: str, lab: Lab
) -> None:
    with pytest.raises(weir.ScenarioError) as caught:
        scenario(f"{lab(CLASS.format(signature=signature))}:Mine", {f"{QUEUE}.parameters": parameters})
    assert message in caught.value.message
    assert hint in str(caught.value.hint)


@pytest.mark.parametrize("signature", ["link, target=20", "_link", "the_link", "*arguments", "where: object"])
def test_a_class_that_can(signature: str, lab: Lab) -> None:
    scenario(f"{lab(CLASS.format(signature=signature))}:Mine")
