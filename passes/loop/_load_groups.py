"""Loads of one block that may stand together, where the first of them does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import vector
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from mlc.analysis.memory_accesses import base_of
from mlc.dialects.loop import Lanes, LoadOp, StoreOp
from mlc.support.affine import split_constant

_Key = tuple[SSAValue, tuple[SSAValue, ...], tuple[AffineExpr | None, ...], Lanes, Attribute]
"""What the loads of a group have in common: all but a constant in the last subscript."""


@dataclass
class LoadGroups(ABC):
    """The loads of a block so far that differ in a constant in the last subscript, with no write between them."""

    _groups: dict[_Key, dict[int, LoadOp]] = field(default_factory=dict[_Key, dict[int, LoadOp]], init=False)

    @abstractmethod
    def takes(self, op: LoadOp) -> bool:
        """Whether a load may be one of a group."""

    @abstractmethod
    def parts(self, group: Mapping[int, LoadOp]) -> Iterator[Sequence[LoadOp]]:
        """The loads of a group, by their constants, that are to be replaced together."""

    @abstractmethod
    def replace(self, loads: Sequence[LoadOp], before: LoadOp) -> None:
        """Replace such loads by ops that stand before one of them."""

    def visit(self, block: Block) -> None:
        """Rewrite the loads of one block."""
        for op in list(block.ops):
            if isinstance(op, LoadOp):
                self._add(op)
            elif isinstance(op, StoreOp):
                self._finish(written=base_of(op.memref))
            elif op.regions or not (isinstance(op, vector.BitcastOp) or is_side_effect_free(op)):
                self._finish()
        self._finish()

    def _add(self, op: LoadOp) -> None:
        if not self.takes(op):
            return
        *outer, last = op.map.data.results
        terms, constant = split_constant(last)
        key = (op.memref, tuple(op.indices), (*outer, terms), op.lanes, op.result.type)
        group = self._groups.setdefault(key, {})
        if constant in group:
            Rewriter.replace_op(op, [], [group[constant].result])
        else:
            group[constant] = op

    def _finish(self, written: SSAValue | None = None) -> None:
        """Rewrite the groups that a write to `written`, or to anything, ends."""
        for key, group in list(self._groups.items()):
            if written is None or base_of(key[0]) is written:
                del self._groups[key]
                place = {op: number for number, op in enumerate(group.values())}
                for loads in self.parts(group):
                    self.replace(loads, min(loads, key=place.__getitem__))
