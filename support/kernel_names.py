"""Names for functions that passes make."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp


class KernelNames:
    """Fresh symbol names in a module."""

    def __init__(self, module: ModuleOp) -> None:
        self._taken = {op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp)}
        self._next: dict[str, int] = {}

    def fresh(self, hint: str) -> str:
        """`hint`, or `hint_1`, `hint_2`, … where it is taken."""
        name = hint
        while name in self._taken:
            self._next[hint] = self._next.get(hint, 0) + 1
            name = f"{hint}_{self._next[hint]}"
        self._taken.add(name)
        return name
