"""Records the studio: Chromium plays the page, and its pictures become one moving picture for the README.
A still of its compact form stands in the documentation until a reader asks for the live figure.

.venv/bin/python tools/recording.py docs/images/studio.webp docs/images/live-figure.webp
"""

from __future__ import annotations

import io
import sys
from collections.abc import Generator
from contextlib import contextmanager
from math import log10
from pathlib import Path

from browsers import NAMES, program
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from weir import studio

VIEW = (1080, 648)
"""Size of the page in CSS pixels."""
SIZE = (900, 540)
"""Size of the moving picture in pixels."""
EVERY_MS = 150
"""Time for which a picture is shown."""
STEPS = 5
"""Steps of the page's clock from one picture to the next."""
LAST_MS = 2500
"""Time for which the last picture is shown."""
LARGEST = 700_000
"""Largest size of the file in bytes."""
STILL = (860, 640)
"""Size of the still in CSS pixels: as wide as the text of a page."""


_POINTER = """
const pointer = document.createElement("div");
pointer.style.cssText = "position:fixed;z-index:99;width:22px;height:22px;margin:-11px;border-radius:50%;"
  + "background:#d55e0066;border:2px solid #d55e00;pointer-events:none;left:-99px";
document.body.append(pointer);
addEventListener("pointermove", (event) => {
  pointer.style.left = event.clientX + "px";
  pointer.style.top = event.clientY + "px";
}, true);
"""
"""Script that shows where the mouse is."""


_TURN = """
new Promise((done) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = done;
  port2.postMessage(0);
})
"""
"""Script that waits for a turn of the page's event loop."""


class Player:
    """Plays the page, picture by picture. Its clock stands still between them."""

    def __init__(self, page: Page, form: str = "") -> None:
        self.page = page
        self.taken: list[bytes] = []
        page.clock.install()
        page.goto(studio.PAGE.as_uri() + form)
        page.locator("footer .time").wait_for()
        page.evaluate(_POINTER)
        page.clock.pause_at(page.evaluate("Date.now() + 100"))

    def play(self, pictures: int) -> None:
        """Plays this number of pictures."""
        for _ in range(pictures):
            for _ in range(STEPS):
                self.page.clock.run_for(EVERY_MS // STEPS)
                # The simulators answer in real time.
                self.page.evaluate(_TURN)
            self.taken.append(self.page.screenshot())

    def at_speed(self, times: float) -> None:
        """Moves the slider of the speed, whose scale has 40 steps for each factor of ten, from 0.01 on."""
        self.page.get_by_label("Speed").fill(str(round(40 * log10(times / 0.01))))

    def drag(self, label: str, part: float, pictures: int) -> None:
        """Drags a slider to this part of its scale."""
        slider = self.page.get_by_role("slider", name=label, exact=True)
        box = slider.bounding_box()
        assert box is not None
        low, high = (float(slider.get_attribute(name) or 0) for name in ("min", "max"))
        now = (float(slider.input_value()) - low) / (high - low)
        # The middle of the knob is never at the edge.
        place = [box["x"] + 8 + (box["width"] - 16) * at for at in (now, part)]
        y = box["y"] + box["height"] / 2
        mouse = self.page.mouse
        mouse.move(place[0], y)
        self.play(3)
        mouse.down()
        for step in range(1, pictures + 1):
            mouse.move(place[0] + (place[1] - place[0]) * step / pictures, y)
            self.play(1)
        mouse.up()
        self.play(2)


def scenes(player: Player) -> None:
    """Actions in the page that are recorded."""
    # The queues as they settle, and packets one by one.
    player.at_speed(5.0)
    player.play(16)
    player.at_speed(0.02)
    player.play(22)
    player.at_speed(5.0)
    player.play(6)
    # Half the rate, then a third queue.
    player.drag("Rate", 1 / 3, 6)
    player.play(10)
    player.page.get_by_label("Add a queue to compare").select_option(label="PIE")
    player.play(18)


@contextmanager
def playing(size: tuple[int, int], form: str = "") -> Generator[Player]:
    """The page in a window of this size."""
    found = program()
    if found is None:
        sys.exit(f"there is no browser to record: install Chromium, as one of {', '.join(NAMES)}")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        page = chromium.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme="light")
        yield Player(page, form)
        chromium.close()


def record() -> list[Image.Image]:
    """All pictures."""
    with playing(VIEW) as player:
        scenes(player)
    pictures = (Image.open(io.BytesIO(one)).convert("RGB") for one in player.taken)
    return [picture.resize(SIZE, Image.Resampling.LANCZOS) for picture in pictures]


def still() -> Image.Image:
    """The compact form after ten seconds of simulated time, as the landing page of the site opens it."""
    with playing(STILL, "?compact#start") as player:
        player.play(14)
    return Image.open(io.BytesIO(player.taken[-1])).convert("RGB")


def main() -> None:
    """Writes the still, then the moving picture, as fine as the size allows."""
    target, other = map(Path, sys.argv[1:])
    still().save(other, "WEBP", quality=80, method=6)
    first, *others = record()
    lengths = [EVERY_MS] * len(others) + [LAST_MS]
    for quality in (70, 60, 50, 40, 30):
        file = io.BytesIO()
        first.save(
            file, "WEBP", save_all=True, append_images=others, duration=lengths, loop=0,
            quality=quality, method=4, kmin=len(lengths), kmax=len(lengths) + 1,
        )  # fmt: skip
        if file.tell() <= LARGEST:
            target.write_bytes(file.getvalue())
            return
    sys.exit(f"even at the lowest quality it has {file.tell()} bytes, more than {LARGEST}")


if __name__ == "__main__":
    main()
