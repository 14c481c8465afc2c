"""Data files of flent, a tool that measures networks under load: read and written."""

from weir.flent._file import PING, SUFFIXES, FlentFile, FlentSeries

__all__ = ["PING", "SUFFIXES", "FlentFile", "FlentSeries"]
