"""`convert-tensor-to-loop`: tensors become buffers, structured ops become plain loop nests."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType

from mlc.analysis.known_types import require_known_types
from mlc.pass_manager.base import Pass
from mlc.pass_manager.levels import not_lowered, require_level
from mlc.pass_manager.lowering import LoweringDriver
from mlc.passes.tensor_to_loop._donation import late_results
from mlc.passes.tensor_to_loop._functions import convert_signature
from mlc.passes.tensor_to_loop._limits import set_limits
from mlc.support.context import CompilerContext
from mlc.support.locations import error_at
from mlc.support.modules import modules_of
from mlc.support.rounding import Rounding

modules_of("mlc.passes.tensor_to_loop", "_[a-z]*.py")  # which register their patterns


@dataclass(frozen=True)
class ConvertTensorToLoopPass(Pass):
    """Lower the tensor level to loop nests over memrefs.

    Bufferization with destination passing: tensors that need memory become memrefs, and every function takes its
    outputs as trailing memref arguments marked `mlc.output`. One that is marked `mlc.donated = n`, too, may be the same
    memory as argument `n`: it is filled when all that reads the argument is done.

    Each structured op becomes a nest of loops named after its dims, `over` dims outermost and parallel, reductions
    carried as loop values; an elementwise consumer of the same points is computed right where its producer is, before
    the only store (epilogue fusion).

        %0 = tensor.contract %x[m, k], %w[k, n] over (m: 64, n: 200) reduce (k: 784) : …
        %1 = tensor.map %0[m, n], %b[n] over (m: 64, n: 200) : … { add, max }
        return %1
    ->
        loop.for parallel "m" %m = 0 to 64 {
          loop.for parallel "n" %n = 0 to 200 {
            %acc = loop.for serial "k" %k = 0 to 784 iter_args(%c = %zero) -> (f32) { load, load, math.fma }
            … add, max …
            loop.store %r, %y[%m, %n]
          }
        }

    Schedules are left on their functions, untouched: `apply-schedule` carries them out.
    """

    name = "convert-tensor-to-loop"
    rounding = Rounding(4, "sums get the order of their loops")

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        require_level(module, "tensor", self.name)
        driver = LoweringDriver(self.name, ctx)
        declared = {op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp) and op.is_declaration}
        functions = [op for op in module.ops if isinstance(op, func.FuncOp) and _is_above_loops(op)]
        for function in functions:
            _check_signature(function, declared)
            _check_handled(function, driver)
            require_known_types(function)
        known = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
        late = [late_results(function, known) for function in functions]
        for function, results in zip(functions, late, strict=True):
            convert_signature(function, results)
        for function in functions:
            driver.lower(function.walk())
            set_limits(function)


def _is_above_loops(function: func.FuncOp) -> bool:
    """Whether a function with a body takes, returns or computes tensors, or has ops of the tensor dialect on none."""
    if function.is_declaration:
        return False
    signature = (*function.function_type.inputs, *function.function_type.outputs)
    inside = (v.type for op in function.body.walk() for v in (*op.operands, *op.results))
    return any(isinstance(kind, TensorType) for kinds in (signature, inside) for kind in kinds) or any(
        op.dialect_name() == "tensor" for op in function.body.walk()
    )


def _check_handled(function: func.FuncOp, driver: LoweringDriver) -> None:
    """After this pass no value is a tensor, so each op that has tensors needs a pattern."""
    for op in function.walk():
        tensors = any(isinstance(v.type, TensorType) for v in (*op.operands, *op.results))
        if tensors and not driver.handles(op):
            raise not_lowered(op, " to loops", driver.pass_name)


def _check_signature(function: func.FuncOp, declared: set[str]) -> None:
    """Results become buffers of the caller, so they have to be tensors; calls need a body to go to.

    Values of several blocks would need buffers that are theirs together, which no pattern makes.
    """
    if len(function.body.blocks) > 1:
        name, count = function.sym_name.data, len(function.body.blocks)
        raise error_at(function, f"'{name}' has {count} blocks; code is generated for functions of tensors with one")
    for result in function.function_type.outputs:
        if not isinstance(result, TensorType):
            name = function.sym_name.data
            raise error_at(function, f"'{name}' returns {result}; code is generated for results that are tensors")
    for op in function.walk():
        if isinstance(op, func.CallOp) and (callee := op.callee.root_reference.data) in declared:
            raise error_at(op, f"'{callee}' has no body that could be called; define it")
