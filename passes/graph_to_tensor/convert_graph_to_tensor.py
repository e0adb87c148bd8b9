"""`convert-graph-to-tensor`: whole-tensor operators become kernels in index notation."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.tensor import CollapseShapeOp, ExpandShapeOp
from xdsl.rewriter import Rewriter

from mlc.analysis.known_types import require_known_types
from mlc.dialects import graph
from mlc.dialects.registry import plugin_dialects
from mlc.dialects.tensor import MapOp
from mlc.pass_manager.base import Pass
from mlc.pass_manager.levels import not_lowered, require_level
from mlc.pass_manager.lowering import LoweringDriver
from mlc.pass_manager.type_conversion import TypeConversion
from mlc.passes.graph_to_tensor._halves import widen_halves
from mlc.passes.graph_to_tensor._outline import LOOPS, Outlining
from mlc.passes.graph_to_tensor._signedness import elements_as_bits, mark_elements, require_no_arithmetic
from mlc.support.context import CompilerContext
from mlc.support.kernel_names import KernelNames
from mlc.support.modules import modules_of
from mlc.support.rounding import Rounding

modules_of("mlc.passes.graph_to_tensor", "_[a-z]*.py")  # which register their patterns


@dataclass(frozen=True)
class ConvertGraphToTensorPass(Pass):
    """Lower the graph level to kernels of structured tensor ops.

    Each `graph.fusion`, and each graph op outside of one, becomes a private function, which the function it stood in
    calls; those that are equal become one. Constants and reshapes stay where they are, and so do loops, around calls of
    what their bodies are made of.

        %y = graph.fusion "linear_relu" (%a = %x, …) { graph.matmul, graph.add, graph.relu }
    ->
        %y = call @linear_relu(%x, …)
        func.func private @linear_relu(…) { tensor.contract, tensor.map { addf }, tensor.map { maximumf } }

    Integers become signless, `ui8` as `i8`; ops say which are unsigned, and the marks `mlc.unsigned` of arguments and
    results say it to callers. Types of codes, such as `f8E4M3FN`, become `i8` with the mark `mlc.stored`, and their
    conversions arithmetic on these codes. Functions without graph ops are left alone otherwise.
    """

    name = "convert-graph-to-tensor"
    rounding = Rounding(4, "an op becomes a formula that may round at other places")

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        require_level(module, "graph", self.name)
        driver = LoweringDriver(self.name, ctx)
        outlining = Outlining(KernelNames(module), driver.handles)
        conversion = TypeConversion(self.name, LOOPS)
        functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
        require_no_arithmetic(module)
        kernels: list[func.FuncOp] = []
        for function in [f for f in functions if not f.is_declaration]:
            if any(op.name.startswith(f"{graph.Graph.name}.") for op in function.walk()):
                require_known_types(function, may_be_stored=True, but=conversion.changes)
            for kernel in outlining.outline(function):
                module.body.block.insert_op_before(kernel, function)
                kernels.append(kernel)
        conversion.convert_functions([*kernels, *functions])
        for kernel in kernels:
            widen_halves(kernel)
            driver.lower(kernel.walk())
            _erase_leftovers(kernel)
        for function in functions:
            driver.lower(function.walk())
        conversion.finish([*kernels, *functions])
        ctx.attribute_remarks(outlining.computed_by)
        for function in functions:
            mark_elements(function)
        elements_as_bits(module)
        for op in module.walk():
            # A pattern for a base class of a plugin's op may leave it as it is.
            if op.name.startswith(f"{graph.Graph.name}.") or (
                driver.handles(op) and plugin_dialects.get(op.dialect_name()) is not None
            ):
                raise not_lowered(op, "", self.name)


def _erase_leftovers(kernel: func.FuncOp) -> None:
    """Constants that became immediate numbers have no use left, nor have reshapes that are done later instead, nor
    integers that are read as the floats that they were made of."""
    for op in reversed(list(kernel.body.block.ops)):
        if isinstance(op, ConstantOp | CollapseShapeOp | ExpandShapeOp | MapOp) and not op.results[0].uses:
            Rewriter.erase_op(op)
