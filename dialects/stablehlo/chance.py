"""Random numbers.

```mlir
%state, %bits = stablehlo.rng_bit_generator %seed, algorithm = DEFAULT
    : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
```
"""

from __future__ import annotations

from xdsl.irdl import BaseAttr

from mlc.dialects.stablehlo import rules
from mlc.dialects.stablehlo.base import HloOp, declare
from mlc.dialects.stablehlo.enums import RngAlgorithmAttr, RngDistributionAttr
from mlc.dialects.stablehlo.rules import element, require, shape

_FUNCTION = "attr-dict `:` functional-type(operands, results)"


def _rng(op: HloOp) -> None:
    """c1: one element type; c2: normal ones are floats."""
    a, b, _ = op.operands
    kind = element(op.results[0])
    holds = element(a) == element(b) == kind
    require(op, 1, holds, f"bounds and result have one element type; found {a.type}, {b.type} and {op.results[0].type}")
    holds = op.word("rng_distribution") != "NORMAL" or rules.is_float(kind)
    require(op, 2, holds, f"normally distributed numbers are floats; found {kind}")


declare(
    "rng",
    f"$a `,` $b `,` $shape `,` `distribution` `=` $rng_distribution {_FUNCTION}",
    operands="a b shape",
    properties={"rng_distribution": BaseAttr(RngDistributionAttr)},
    traits=(),
    rules=(rules.tensors, _rng),
)


def _bits(op: HloOp) -> None:
    """c1: the state keeps its type; c2: it has as many numbers as the algorithm needs."""
    state, after = op.operands[0], op.results[0]
    require(op, 1, state.type == after.type, f"the state is {state.type} before and {after.type} after")
    allowed = {"THREE_FRY": (2,), "PHILOX": (2, 3)}.get(op.word("rng_algorithm"), ())
    count = shape(state)[0] if shape(state) else 1
    holds = not allowed or count in allowed
    require(
        op,
        2,
        holds,
        f"the state has {count} numbers; {op.word('rng_algorithm')} needs {' or '.join(map(str, allowed))}",
    )


declare(
    "rng_bit_generator",
    f"$initial_state `,` `algorithm` `=` $rng_algorithm {_FUNCTION}",
    operands="initial_state",
    results="output_state output",
    properties={"rng_algorithm": BaseAttr(RngAlgorithmAttr)},
    rules=(rules.tensors, _bits),
)
