"""Small functions for tests of what passes on loops ask."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlc.compiler.compilation import new_context
from mlc.dialects.loop import ForOp
from mlc.syntax import parse_module


class Program:
    """A function with the given arguments and body."""

    def __init__(self, arguments: str, body: str) -> None:
        text = f"func.func private @callee()\nfunc.func private @f({arguments}) {{\n{body}\nreturn }}"
        self.module = parse_module(text, "f.mlir", new_context())
        *_, self.function = (op for op in self.module.walk() if isinstance(op, FuncOp))

    @property
    def ops(self) -> list[Operation]:
        """The ops of the function's block, without the return."""
        return list(self.function.body.block.ops)[:-1]

    @property
    def loops(self) -> list[ForOp]:
        """All loops, in program order."""
        return [op for op in self.function.walk() if isinstance(op, ForOp)]
