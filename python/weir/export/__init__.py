"""A setting as a line an operator can use: tc scripts, OpenWrt and router configuration, scenarios.

- `port`: the link with its rate, room and discipline, in plain numbers
- `qdisc`, `kernel_red`: what the kernel calls it, in its units, with what rounding changes
- `tc`, `sqm`, `wred`: the texts
- `closest`: what stands in for a discipline that no kernel has; `measured`: how far it is from it
- `exporting`: one call for all of it
"""

from weir.export.errors import ExportError
from weir.export.exporting import FORMS, Exported, Form, export

__all__ = ["FORMS", "ExportError", "Exported", "Form", "export"]
