"""What all computing graph ops share: one result, whose type follows from operands and properties."""

from __future__ import annotations

from abc import ABC, abstractmethod

from xdsl.irdl import IRDLOperation, OpResult, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.graph.types import AnyTensor, Tensor, is_static


class GraphOp(IRDLOperation, ABC):
    """An op without side effects that computes one tensor.

    Each op has an `infer` class method from types and plain parameters to the result type. Its builder uses it, so that
    nobody spells result types, and so does the verifier, which therefore says the same things.
    """

    result: OpResult[Tensor] = result_def(AnyTensor)

    traits = traits_def(Pure())

    @abstractmethod
    def inferred_type(self) -> Tensor:
        """The result type that operands and properties call for.

        Raises:
            VerifyException: they break a numbered constraint of the op.
        """

    def verify_(self) -> None:
        """Shapes with `?` are left alone until they are bound."""
        if not all(is_static(v.type) for v in (*self.operands, *self.results)):
            return
        expected = self.inferred_type()
        if self.result.type != expected:
            raise VerifyException(
                f"{self.name}: the result type is {self.result.type}, the operands give {expected}; "
                f"correct the type after '->'"
            )
