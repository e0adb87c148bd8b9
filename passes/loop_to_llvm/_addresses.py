"""Addresses of memref elements, in the shape that LLVM turns into good addressing modes.

The subscripts of an access are a sum of products of loop counters, plus a constant. The address is built from the outer
loops inwards: one step per counter, in the block where the counter is born, and the constant last. Steps are shared:
the unrolled accesses `%x[%m, %k]`, `%x[%m + 1, %k]`, … have one pointer that moves with `%k`, and offsets that are
immediates of their instructions; no stride takes a register.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from mlc.dialects.llvm import integers
from mlc.passes.loop_to_llvm._types import VALUES, array_of, index_type, integer_constant, offset
from mlc.support.errors import CompilerBug

_Term = tuple[SSAValue, int]
"""A value of type index, and how many elements one step of it moves the address."""


@dataclass
class Addresses:
    """The address steps made so far, so that accesses share them."""

    _steps: dict[tuple[SSAValue, SSAValue, int, bool, Block], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, SSAValue, int, bool, Block], SSAValue]
    )
    _quotients: dict[tuple[AffineExpr, tuple[SSAValue, ...], Block], SSAValue] = field(
        default_factory=dict[tuple[AffineExpr, tuple[SSAValue, ...], Block], SSAValue]
    )
    _anchors: dict[Block, dict[Block, Operation | None]] = field(
        default_factory=dict[Block, dict[Block, Operation | None]]
    )

    def address(
        self,
        access: Operation,
        memref: SSAValue,
        shape: Sequence[int],
        element: Attribute,
        subscripts: Iterable[AffineExpr],
        indices: Sequence[SSAValue],
        *,
        exists: bool = True,
    ) -> SSAValue:
        """The address of `memref[subscripts]`; new ops stand before `access`, or before a loop around it.

        `exists`: whether there is such an element; else any part may lead beyond the buffer.

        `shape` is that of the memref, row-major; `element` is its element as it is in memory.
        """
        terms, constant = self._linearize(access, shape, subscripts, indices)
        anchors = self._anchors_of(access)
        terms.sort(key=lambda term: len(self._anchors_of_block(_block_of(term[0]))))
        # a partial sum may leave the buffer if a later part is negative
        inbounds = exists and constant >= 0 and all(stride >= 0 for _, stride in terms)
        pointer = memref
        for value, stride in terms:
            pointer = self._step(access, anchors, pointer, value, stride, element, inbounds)
        if constant:
            pointer = _add_constant(access, pointer, constant, element, inbounds)
        return pointer

    def _linearize(
        self, access: Operation, shape: Sequence[int], subscripts: Iterable[AffineExpr], indices: Sequence[SSAValue]
    ) -> tuple[list[_Term], int]:
        """The row-major offset of an element, in elements: products of values, and a constant."""
        factors: dict[SSAValue, int] = {}
        constant = 0
        stride = 1
        strides = [1] * len(shape)
        for dim in range(len(shape) - 1, -1, -1):
            strides[dim] = stride
            stride *= shape[dim]
        pending = [(e, s) for e, s in zip(subscripts, strides, strict=True)]
        pending.reverse()
        while pending:
            expr, scale = pending.pop()
            if isinstance(expr, AffineConstantExpr):
                constant += expr.value * scale
            elif isinstance(expr, AffineDimExpr):
                value = indices[expr.position]
                known = _constant_of(value)
                if known is not None:
                    constant += known * scale
                else:
                    factors[value] = factors.get(value, 0) + scale
            elif not isinstance(expr, AffineBinaryOpExpr):
                raise CompilerBug(
                    f"'{access.name}' has the subscript {expr}, which is not affine in loop counters", VALUES
                )
            elif expr.kind is AffineBinaryOpKind.Add:
                pending += [(expr.rhs, scale), (expr.lhs, scale)]
            elif expr.kind is AffineBinaryOpKind.Mul and isinstance(expr.rhs, AffineConstantExpr):
                pending.append((expr.lhs, scale * expr.rhs.value))
            elif expr.kind is AffineBinaryOpKind.Mul and isinstance(expr.lhs, AffineConstantExpr):
                pending.append((expr.rhs, scale * expr.lhs.value))
            else:
                value = self._quotient(access, expr, indices)
                factors[value] = factors.get(value, 0) + scale
        return [(v, s) for v, s in factors.items() if s], constant

    def _step(
        self,
        access: Operation,
        anchors: dict[Block, Operation | None],
        pointer: SSAValue,
        value: SSAValue,
        stride: int,
        element: Attribute,
        inbounds: bool,
    ) -> SSAValue:
        block = self._deepest(pointer, value)
        key = (pointer, value, stride, inbounds, block)
        found = self._steps.get(key)
        if found is None:
            kind = element if stride == 1 else array_of(abs(stride), element)
            before = anchors[block] or access
            if stride < 0:
                value = _insert(integers.SubOp(_insert(integer_constant(0), before), value), before)
            found = self._steps[key] = _insert(offset(pointer, value, kind, inbounds=inbounds), before)
        return found

    def _quotient(self, access: Operation, expr: AffineBinaryOpExpr, indices: Sequence[SSAValue]) -> SSAValue:
        """The value of `floordiv`, `ceildiv` or `mod`, made in the innermost block that one of its counters is from."""
        used = tuple(indices[i] for i in sorted(expr.used_dims()))
        anchors = self._anchors_of(access)
        block = max(map(_block_of, used), key=lambda b: len(self._anchors_of_block(b)))
        key = (expr, tuple(indices), block)
        found = self._quotients.get(key)
        if found is None:
            found = self._quotients[key] = _compute(expr, indices, anchors[block] or access)
        return found

    def _deepest(self, first: SSAValue, second: SSAValue) -> Block:
        a, b = _block_of(first), _block_of(second)
        return a if len(self._anchors_of_block(a)) >= len(self._anchors_of_block(b)) else b

    def _anchors_of(self, access: Operation) -> dict[Block, Operation | None]:
        block = access.parent
        assert block is not None
        return self._anchors_of_block(block)

    def _anchors_of_block(self, block: Block) -> dict[Block, Operation | None]:
        """The blocks around the ops of `block`, each with its op that holds them; `block` itself comes with None."""
        if block in self._anchors:
            return self._anchors[block]
        parent = block.parent_op()
        around = parent.parent if parent is not None else None
        anchors: dict[Block, Operation | None] = {}
        if around is not None:
            anchors |= self._anchors_of_block(around)
            anchors[around] = parent
        anchors[block] = None
        self._anchors[block] = anchors
        return anchors


_ARITHMETIC: dict[AffineBinaryOpKind, tuple[type[Operation], dict[str, Attribute]]] = {
    AffineBinaryOpKind.Add: (integers.AddOp, {"overflowFlags": integers.NO_OVERFLOW_FLAGS}),
    AffineBinaryOpKind.Mul: (integers.MulOp, {"overflowFlags": integers.NO_OVERFLOW_FLAGS}),
    AffineBinaryOpKind.Mod: (llvm.URemOp, {}),
    AffineBinaryOpKind.FloorDiv: (llvm.UDivOp, {}),
}


def _compute(expr: AffineExpr, indices: Sequence[SSAValue], before: Operation) -> SSAValue:
    """Ops for an affine expression; what is divided must not be negative."""
    match expr:
        case AffineConstantExpr():
            return _insert(integer_constant(expr.value), before)
        case AffineDimExpr():
            return indices[expr.position]
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.CeilDiv, lhs=lhs, rhs=rhs):
            return _compute(AffineBinaryOpExpr(AffineBinaryOpKind.FloorDiv, lhs + rhs - 1, rhs), indices, before)
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs):
            target, properties = _ARITHMETIC[kind]
            operands = [_compute(lhs, indices, before), _compute(rhs, indices, before)]
            return _insert(target.create(operands=operands, result_types=[index_type()], properties=properties), before)
        case _:
            raise CompilerBug(f"the affine expression {expr} has symbols", VALUES)


def _insert(op: Operation, before: Operation) -> SSAValue:
    block = before.parent
    assert block is not None
    op.location = before.location
    block.insert_op_before(op, before)
    return op.results[0]


def _add_constant(access: Operation, pointer: SSAValue, constant: int, element: Attribute, inbounds: bool) -> SSAValue:
    if -(2**31) < constant < 2**31:
        return _insert(offset(pointer, constant, element, inbounds=inbounds), access)
    wide = _insert(integer_constant(constant), access)
    return _insert(offset(pointer, wide, element, inbounds=inbounds), access)


def _block_of(value: SSAValue) -> Block:
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    assert block is not None
    return block


def _constant_of(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None
