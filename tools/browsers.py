"""The browser of recordings, measurements and tests."""

import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome")


def program() -> str | None:
    """The path of the browser; None if there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)
