"""What all computing graph ops share: one result, whose type follows from operands and properties."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from difflib import get_close_matches
from typing import ClassVar

from xdsl.irdl import IRDLOperation, OpResult, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.graph.types import AnyTensor, Tensor, is_static

__all__ = ["GraphOp"]


class GraphOp(IRDLOperation, ABC):
    """An op without side effects that computes one tensor.

    It says what it does with elements, which is all that `fuse` and other passes ask; what an op does not say of itself
    keeps it out of kernels of several ops. A class sets what is true for all of its ops.

    Each op has an `infer` class method from types and plain parameters to the result type. Its builder uses it, so that
    nobody spells result types, and so does the verifier, which therefore says the same things.
    """

    MAPS: ClassVar[bool] = False
    """Whether each element of the result is computed from one element of each operand, broadcast to its shape."""
    CONTRACTS: ClassVar[bool] = False
    """Whether it sums products of elements of its first two operands, as a matrix product or a convolution does."""
    REDUCES: ClassVar[bool] = False
    """Whether it combines elements of its first operand: along axes, under windows, or to normalise them."""
    MOVES: ClassVar[bool] = False
    """Whether its result holds elements of its operands as they are (`MoveOp` also says where each comes from)."""
    WHOLE_AXES: ClassVar[bool] = False
    """Whether its lowering reads along whole axes, so that each subscript is one dim, or 0, and no window. Then it can
    read what was moved where that was before; and if it reduces, what computes its operand can be fused into it."""
    STORED_BY_PRODUCER: ClassVar[bool] = False
    """Whether the op that computes its operand can store that where this one has it: a transpose, a pad."""

    result: OpResult[Tensor] = result_def(AnyTensor)

    traits = traits_def(Pure())

    @property
    def kinds(self) -> Sequence[str]:
        """What people call an op with these properties, such as `depthwise`, beside its name; tools search by that."""
        return ()

    @abstractmethod
    def inferred_type(self) -> Tensor:
        """The result type that operands and properties call for.

        Raises:
            VerifyException: they break a numbered constraint of the op.
        """

    def verify_(self) -> None:
        """Shapes with `?` are left alone until they are bound."""
        for name in self.attributes:
            if "." not in name:
                near = get_close_matches(name, self.get_irdl_definition().properties, n=1)
                hint = (
                    f", did you mean '{near[0]}'?"
                    if near
                    else "; attributes of your own need a prefix, as in 'my.note'"
                )
                raise VerifyException(f"{self.name}: unknown attribute '{name}'{hint}")
        if not all(is_static(v.type) for v in (*self.operands, *self.results)):
            return
        expected = self.inferred_type()
        if self.result.type != expected:
            raise VerifyException(
                f"{self.name}: the result type is {self.result.type}, the operands give {expected}; "
                f"correct the type after '->'"
            )
