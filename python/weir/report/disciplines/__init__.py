"""The reference pages of the disciplines: Markdown with a figure each, for docs/disciplines."""
