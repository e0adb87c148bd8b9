"""Operators that compute nothing, but say what has to hold of their arguments.

Types and numbers are known when a graph is converted, so what is said of them is checked then, and the operator goes.
What is said of elements is checked by torch: such an operator is refused, unless the elements are known.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue

from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.torch.to_graph._calls import Call, Results, Scalar
from mlc.frontends.torch.to_graph._patterns import converts


@converts("_assert_tensor_metadata", asserts=True, bounded=True)
def assert_metadata(b: Call, a: SSAValue, size: Sequence[int] | None, dtype: Attribute | None) -> Results:
    """Tensors of the IR have no strides, device or layout; torch has compared these when it made the graph."""
    if size is not None and tuple(size) != shape_of(a):
        raise Unconvertible(f"its operand has shape {list(shape_of(a))}; required: {list(size)}")
    if dtype is not None and dtype != element_of(a):
        raise Unconvertible(f"its operand has elements of type {element_of(a)}; required: {dtype}")
    return []


@converts("_assert_scalar", "_functional_assert_scalar", asserts=True)
def assert_number(b: Call, self: Scalar, assert_msg: str, dep_token: SSAValue | None = None) -> Results:
    """A number is not 0."""
    if not self:
        raise Unconvertible(f"what it says does not hold: {assert_msg}")
    return [] if dep_token is None else dep_token


@converts(
    "sym_constrain_range", "sym_constrain_range_for_size",
    "_functional_sym_constrain_range", "_functional_sym_constrain_range_for_size", asserts=True,
)  # fmt: skip
def assert_in_range(
    b: Call, size: Scalar, min: int | None = None, max: int | None = None, dep_token: SSAValue | None = None
) -> Results:
    """A number has bounds, which belong to the range."""
    if (min is not None and size < min) or (max is not None and size > max):
        bounds = " to ".join("any" if bound is None else str(bound) for bound in (min, max))
        raise Unconvertible(f"it takes {size}; required: {bounds}")
    return [] if dep_token is None else dep_token


@converts("_assert_async", "_assert_async.msg", "_functional_assert_async.msg", asserts=True)
def assert_element(
    b: Call, self: SSAValue, assert_msg: str = "an element is 0", dep_token: SSAValue | None = None
) -> Results:
    """An element is not 0."""
    if (known := b.knowledge.array(self)) is None:
        raise Unconvertible("it raises an exception if an element is 0, which depends on data")
    return assert_number(b, bool(known.all()), assert_msg, dep_token)


@converts("_make_dep_token")
def token(b: Call) -> Results:
    """What orders assertions; nobody looks at it."""
    return b.splat(0, b.shape(), b.element())
