"""`graph.if` and `graph.while`: what depends on data."""

from __future__ import annotations

from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.irdl import irdl_op_definition
from xdsl.pattern_rewriter import RewritePattern

from mlc.dialects.branches import IfLike, WhileLike
from mlc.dialects.graph._branch_patterns import IF_PATTERNS, WHILE_PATTERNS

__all__ = ["IfOp", "WhileOp"]


@irdl_op_definition
class IfOp(IfLike, HasCanonicalizationPatternsInterface):
    """One of two bodies, by a condition that is known when the model runs.

    ```mlir
    %y = graph.if %c using (%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>) {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      %0 = graph.mul %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
      graph.yield %0 : tensor<4xf32>
    } else {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      graph.yield %a : tensor<4xf32>
    }
    ```

    Both bodies take what `using` names, and see nothing else but constants of their own. Only one is computed; where
    both are cheap `graph.where` needs no branch.

    Required:

    - `if_c1`: each body takes what is used
    - `if_c2`: each body ends in `graph.yield`
    - `if_c3`: each body yields what the results are
    """

    name = "graph.if"

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return IF_PATTERNS


@irdl_op_definition
class WhileOp(WhileLike, HasCanonicalizationPatternsInterface):
    """Runs a body while a condition on what it carries holds: a loop whose number of steps depends on data.

    ```mlir
    %n, %y = graph.while carry (%zero, %x) using (%limit)
        : (tensor<i64>, tensor<4xf32>), (tensor<i64>) -> (tensor<i64>, tensor<4xf32>) {
    ^bb0(%i: tensor<i64>, %s: tensor<4xf32>, %most: tensor<i64>):
      %0 = graph.compare lt, %i, %most : tensor<i64>, tensor<i64> -> tensor<i1>
      graph.yield %0 : tensor<i1>
    } do {
    ^bb0(%i: tensor<i64>, %s: tensor<4xf32>, %most: tensor<i64>):
      %one = graph.constant dense<1> : tensor<i64>
      %1 = graph.add %i, %one : tensor<i64>, tensor<i64> -> tensor<i64>
      %2 = graph.mul %s, %s : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
      graph.yield %1, %2 : tensor<i64>, tensor<4xf32>
    }
    ```

    Results are the carried values for which the condition did not hold. Where the number of steps is known,
    `graph.scan` says more, and takes rows and makes stacks.

    Required:

    - `while_c1`: the condition and the body take what is carried, then what is used
    - `while_c2`: both end in `graph.yield`
    - `while_c3`: the condition yields one `tensor<i1>`
    - `while_c4`: the body yields what is carried, and these are the results
    """

    name = "graph.while"

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return WHILE_PATTERNS
