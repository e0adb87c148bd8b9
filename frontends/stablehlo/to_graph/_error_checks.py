"""Error checks: a conditional, one of whose branches calls back into Python to raise an error.

`equinox.error_if(x, wrong, message)`, of which solvers such as those of diffrax are full, is a conditional of `x` and
of `jax.pure_callback(raise_error, type_of_x, number_of_message)`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from mlc.dialects.graph.types import element_of
from mlc.dialects.stablehlo import hlo
from mlc.frontends.stablehlo.to_graph._calls import HloConversion
from mlc.frontends.stablehlo.to_graph._expressions import returned
from mlc.support.types import integer_width

_CALLBACK = ("xla_ffi_python", "xla_python", "xla_ffi_partitioned_python")
"""How JAX calls what calls back into Python: `jax.pure_callback`, `jax.experimental.io_callback`."""

LEFT_OUT = (
    "error checks that call back into Python are left out: where one fails, native code goes on with the values that "
    "were checked, as with `throw=False`"
)


def is_callback(op: Operation) -> bool:
    """Whether an op calls back into Python."""
    return isinstance(op, hlo("custom_call")) and op.word("call_target_name").startswith(_CALLBACK)


def without_checks(run: HloConversion, blocks: Sequence[Block]) -> list[Block]:
    """The branches of a conditional, where one that goes on stands for those that can only raise an error."""
    going_on = [block for block in blocks if not _only_raises(block)]
    if not going_on or len(going_on) == len(blocks):
        return list(blocks)
    run.leaves_checks_out = True
    return [block if block in going_on else going_on[0] for block in blocks]


def _only_raises(block: Block) -> bool:
    """Whether all that a branch gives comes from callbacks that see integers only, and not what they are to give: the
    number of an error, say."""
    seen: set[SSAValue] = set()
    for op in block.ops:
        if is_callback(op) and all(v in seen or _is_integer(v) for v in op.operands):
            seen.update(op.results)
    found = returned(block)
    return bool(found) and all(value in seen for value in found)


def _is_integer(value: SSAValue) -> bool:
    return integer_width(element_of(value)) is not None
