"""Arguments of a class of an AQM in Python: the link first, then values of the scenario or defaults."""

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


@pytest.mark.parametrize("init", ["def __init__(): pass", "def __init__(*, self): pass", "__init__ = 5"])
def test_an_init_that_is_none(init: str, lab: Lab) -> None:
    whole = CLASS.replace("def __init__(self, {signature}) -> None:\n            pass", init)
    with pytest.raises(weir.ScenarioError, match="the __init__ of Mine"):
        scenario(f"{lab(whole)}:Mine")


@pytest.mark.parametrize("signature", ["link, target=20", "_link", "the_link", "*arguments", "where: object"])
def test_a_class_that_can(signature: str, lab: Lab) -> None:
    scenario(f"{lab(CLASS.format(signature=signature))}:Mine")


@pytest.mark.parametrize(
    ("base", "hook", "wanted"),
    [
        ("Controller", "update(self)", "update(self, seen)"),
        ("Controller", "update(self, seen, now)", "update(self, seen)"),
        ("Controller", "update()", "update(self, seen)"),
        ("Aqm", "update(self, seen)", "update(self, queue, now)"),
        ("Aqm", "on_enqueue(self, packet, now)", "on_enqueue(self, packet, queue, now)"),
        ("Aqm", "on_dequeue(self, packet, *, sojourn, queue, now)", "packet, sojourn, queue, now)"),
    ],
)
def test_a_method_that_cannot_be_called(base: str, hook: str, wanted: str, lab: Lab) -> None:
    module = lab(f"from weir.aqm import *\nclass Mine({base}):\n    period = 0.01\n    def {hook}: return 0")
    with pytest.raises(weir.ScenarioError) as caught:
        scenario(f"{module}:Mine")
    assert wanted in str(caught.value.hint)


@pytest.mark.parametrize(
    "hook", ["def update(self, *seen)", "def update(_, seen, more=1)", "@staticmethod\n    def update(seen)"]
)
def test_a_method_that_can(hook: str, lab: Lab) -> None:
    module = lab(f"from weir.aqm import *\nclass Mine(Controller):\n    {hook}: return 0.0")
    scenario(f"{module}:Mine")
