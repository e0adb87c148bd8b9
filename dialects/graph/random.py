"""Random numbers by a counter: a function of a key and a place, so that nothing is carried from one to the next."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, i32, i64
from xdsl.ir import Attribute, OpResult
from xdsl.irdl import AttrSetConstraint, EqAttrConstraint, irdl_op_definition, operand_def, result_def

from mlc.dialects.graph.elementwise import ElementwiseOp
from mlc.dialects.graph.types import Tensor, Value, tensor, type_of
from mlc.support.dtypes import unsigned
from mlc.support.semantics import Array, evaluates

__all__ = ["PhiloxOp"]

_WORD, _PAIR = unsigned(i32), unsigned(i64)


@irdl_op_definition
class PhiloxOp(ElementwiseOp):
    """Random bits by Philox4x32-10.

    (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011.)

    The generator makes a block of four words, of 32 bits each, from a counter of 128 bits and a key of 64. Blocks one
    after the other are a stream. `place` says which element of the stream a result is: `ui32` is one word, `ui64` are
    two, the lower one first. `low` and `high` are the counter of the first block; that of block `n` is `n` more.

    It is an elementwise op. So the shape of the places is up to who writes it, each element can have a key of its own,
    and key and counter are numbers of the program or values that it gets. Equal operands give equal bits, on every
    machine and however often the op is computed.

    ```mlir
    %bits = graph.philox %place, %key, %low, %high
        : tensor<64x200xui64>, tensor<ui64>, tensor<ui64>, tensor<ui64> -> tensor<64x200xui32>
    ```
    """

    name = "graph.philox"

    place = operand_def(TensorType.constr(EqAttrConstraint(_PAIR)))
    key = operand_def(TensorType.constr(EqAttrConstraint(_PAIR)))
    low = operand_def(TensorType.constr(EqAttrConstraint(_PAIR)))
    high = operand_def(TensorType.constr(EqAttrConstraint(_PAIR)))
    result: OpResult[Tensor] = result_def(TensorType.constr(AttrSetConstraint(frozenset((_WORD, _PAIR)))))

    assembly_format = "operands attr-dict `:` type(operands) `->` type($result)"

    def __init__(self, place: Value, key: Value, low: Value, high: Value, element_type: Attribute = _WORD) -> None:
        operands = [place, key, low, high]
        super().__init__(
            operands=operands, result_types=[self.infer(*(type_of(v) for v in operands), element_type=element_type)]
        )

    @classmethod
    def infer(cls, *operands: Tensor, element_type: Attribute) -> Tensor:
        """The broadcast shape of all four, with the element type asked for.

        Raises:
            VerifyException: c1 the shapes do not broadcast.
        """
        return tensor(cls.broadcast(*operands), element_type)

    def inferred_type(self) -> Tensor:
        return self.infer(*map(type_of, self.operands), element_type=self.result.type.element_type)


_MASK, _WIDTH = 0xFFFFFFFF, 32
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10


def philox4x32(counter: Sequence[Array], key: Sequence[Array]) -> list[Array]:
    """The block of four words for a counter of four words and a key of two, the lowest first; each is a `uint64`."""
    (c0, c1, c2, c3), (k0, k1) = counter, key
    for _ in range(_ROUNDS):
        first, second = c0 * _MULTIPLIERS[0], c2 * _MULTIPLIERS[1]
        c0, c1 = (second >> _WIDTH) ^ c1 ^ k0, second & _MASK
        c2, c3 = (first >> _WIDTH) ^ c3 ^ k1, first & _MASK
        k0, k1 = (k0 + _WEYL[0]) & _MASK, (k1 + _WEYL[1]) & _MASK
    return [c0, c1, c2, c3]


@evaluates(PhiloxOp)
def philox(op: PhiloxOp, *operands: Array) -> Array:
    """The words of a block side by side; a place picks one, or two that are neighbours."""
    import numpy as np

    # Of arrays of rank 1 NumPy knows that integers wrap; of single numbers it warns.
    place, key, low, high = (v.reshape(-1) for v in np.broadcast_arrays(*operands))
    dtype = np.dtype(np.uint32 if op.result.type.element_type.width.data == 32 else np.uint64)  # pyright: ignore
    per_block = np.uint64(16 // dtype.itemsize)
    counter = low + place // per_block
    carried = high + (counter < low)
    words = philox4x32(_halves(counter) + _halves(carried), _halves(key))
    blocks = np.ascontiguousarray(np.stack(words, -1).astype("<u4")).view(dtype.newbyteorder("<")).astype(dtype)
    found = np.take_along_axis(blocks, (place % per_block).astype(np.int64)[:, None], -1)
    return found.reshape(op.result.type.get_shape())


def _halves(number: Array) -> list[Array]:
    """The lower and the upper 32 bits."""
    return [number & _MASK, number >> _WIDTH]
