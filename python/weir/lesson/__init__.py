"""Lessons: a Markdown file with a scenario, a question, and answers that a simulation decides.

The format is read in the core (`weir-lesson`), for the page of the studio and for this room alike.
"""

from weir.lesson._lesson import (
    Answer,
    Claim,
    Lesson,
    Outcome,
    Quantity,
    Said,
    bundled_lessons,
    read_lesson,
)

__all__ = ["Answer", "Claim", "Lesson", "Outcome", "Quantity", "Said", "bundled_lessons", "read_lesson"]
