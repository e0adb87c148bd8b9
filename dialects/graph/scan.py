"""`graph.scan`: a loop of known length that carries values."""

from __future__ import annotations

from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.irdl import irdl_op_definition
from xdsl.pattern_rewriter import RewritePattern

from mlc.dialects.graph._scan_patterns import PATTERNS
from mlc.dialects.scan import ScanLike

__all__ = ["ScanOp"]


@irdl_op_definition
class ScanOp(ScanLike, HasCanonicalizationPatternsInterface):
    """Runs a body for each row of some tensors, one step after the other, and carries values from step to step.

    ```mlir
    %last, %all = graph.scan 16 carry (%h = %h0) over (%x = %xs) using (%w = %weights)
        : (tensor<1x8xf32>, tensor<16x1x8xf32>, tensor<8x8xf32>) -> (tensor<1x8xf32>, tensor<16x1x8xf32>) {
      %0 = graph.matmul %h, %w : tensor<1x8xf32>, tensor<8x8xf32> -> tensor<1x8xf32>
      %1 = graph.add %0, %x : tensor<1x8xf32>, tensor<1x8xf32> -> tensor<1x8xf32>
      %2 = graph.tanh %1 : tensor<1x8xf32>
      graph.yield %2, %2 : tensor<1x8xf32>, tensor<1x8xf32>
    }
    ```

    The number is how many steps there are. Each step has what `carry` names, which is an initial value and then what
    the step before yielded; row `i` of what `over` names, or with `backwards` row `i` from the end; and what `using`
    names. It yields the next carried values, then a row of each stack. Results are the carried values after the last
    step, then the stacks; `stack (backwards)` fills one from its end. With 0 steps the carried values are the initial
    ones.

    Rows are along the first axis, where they are contiguous: for another axis transpose in front, which is what reading
    columns would cost anyway, and what other passes can move or fold. The number of a step is a row of `[0, 1, 2, …]`.
    The body sees only its arguments and constants of its own.

    Required:

    - `scan_c1`: the number of steps is not negative
    - `scan_c2`: what rows are taken from has as many of them as there are steps
    - `scan_c3`: the body takes what is carried, a row of each, and what is used
    - `scan_c4`: the body ends in `graph.yield`
    - `scan_c5`: the body yields first what is carried
    - `scan_c6`: the results are what is carried, then stacks of the other values that the body yields
    - `scan_c7`: there is a direction for each operand that rows are taken from, and for each stack
    """

    name = "graph.scan"

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return PATTERNS
