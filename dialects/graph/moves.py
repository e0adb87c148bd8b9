"""Ops that only say where elements are: a reader of the result can read the operand instead."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir.affine import AffineExpr
from xdsl.irdl import operand_def

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.types import AnyTensor

__all__ = ["MoveOp"]


class MoveOp(GraphOp, ABC):
    """An op whose result holds elements of its operand `input`, at places that affine subscripts can say."""

    MOVES: ClassVar[bool] = True

    input = operand_def(AnyTensor)

    @abstractmethod
    def read_through(self, subscripts: Sequence[AffineExpr], sizes: Sequence[int]) -> list[AffineExpr] | None:
        """Where `input` is read for the result to be read at `subscripts`, over dims of these `sizes`.

        None if that is not affine.
        """
