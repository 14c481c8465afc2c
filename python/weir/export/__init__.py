"""A setting as a line an operator can use: tc scripts, OpenWrt and router configuration, scenarios.

- `port`: one direction of a link, with its queue discipline, in plain numbers
- `qdisc`, `kernel`, `reds`: what the kernel calls it, in its units, with what rounding changes
- `closest`: what stands in for a discipline that no kernel has
- `text`: a form as text, its head and comments
- `script`, `sqm`, `routers`: the forms
- `exporting`: one call for all of it; it measures how far a stand-in is from the discipline
"""

from weir.export._exporting import FORMS, export
from weir.export._port import ExportError
from weir.export._text import Exported, Form

__all__ = ["FORMS", "ExportError", "Exported", "Form", "export"]
