"""How ops run: what each computes (`mlc.support.semantics`), and the frame that holds the values of a function.

Iterations of a parallel loop are independent, so they run in lockstep, as *lanes*: while such loops are open, a value
of rank r is an array with one axis per open loop (extent 1 where it does not depend on that loop) and then its own r
axes. A value that depends on no loop may leave the lane axes out: NumPy aligns shapes at the last axis. A function
that computes elementwise, or on the last axes only, never sees the difference.

Ops of the graph compute with f16 and bf16 in f32 and round each result once; what moves elements keeps them.

Lockstep is one order of several that such a loop allows, and `Order` names others: a program that computes something
else in another order has a loop that is parallel by its name only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Literal, cast

import numpy as np
from xdsl.dialects.builtin import MemRefType, TensorType, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mlc.dialects.graph import BitcastOp, GraphOp
from mlc.dialects.registry import registered_class
from mlc.dialects.tensor import StructuredOp
from mlc.reference.codes import nearest_stored
from mlc.support.blame import place_of_code
from mlc.support.dtypes import UnknownElement, dtype_of, is_float, is_short_float, is_stored, limits_of, to_numpy
from mlc.support.errors import UserError
from mlc.support.locations import error_at
from mlc.support.resources import Resources
from mlc.support.semantics import Array as Array
from mlc.support.semantics import Evaluator, Meaning, meaning_of
from mlc.support.semantics import InputsUndefined as InputsUndefined
from mlc.support.semantics import UndefinedBehavior as UndefinedBehavior
from mlc.support.semantics import evaluates as evaluates
from mlc.support.semantics import executes as executes
from mlc.support.types import element_type, tensor_type

Order = Literal["lockstep", "forwards", "backwards"]
"""How the iterations of a parallel loop follow each other: all at once, op by op; or one after the other, from the
first to the last or from the last to the first."""

Watch = Callable[[SSAValue, Array], None]
"""Is told that a value is an array, lane axes included."""


def semantics_of(op_type: type[Operation]) -> Callable[..., Any] | None:
    """The function that computes ops of this type, as `evaluates` or `executes` got it."""
    meaning = _meaning_of(op_type)
    return meaning and meaning.function


def has_meaning(op_type: type[Operation]) -> bool:
    """Whether the reference can run ops of this type."""
    return _meaning_of(op_type) is not None


class Frame:
    """The values of one running function.

    Attributes:
        resources: the data behind resource names.
        symbols: the ops of the module that have a name, such as functions that can be called.
        lanes: the extents of the parallel loops that run in lockstep around the current op, outermost first.
        order: how parallel loops run.
        orders: how some of them run instead.
        noise: if given, moves the results of float ops at random by up to a unit in the last place, so that several
            runs show how far rounding errors spread (Monte Carlo arithmetic; Parker, 1997).
        watch: if given, is told each value that is computed or handed to a block.
    """

    def __init__(
        self,
        resources: Resources,
        symbols: Mapping[str, Operation],
        lanes: Sequence[int] = (),
        order: Order = "lockstep",
        orders: Mapping[Operation, Order] | None = None,
        noise: Noise | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.resources = resources
        self.symbols = symbols
        self.lanes = list(lanes)
        self.order: Order = order
        self.orders = orders or {}
        self.noise = noise
        self.watch = watch
        self._values: dict[SSAValue, Array] = {}
        self._ranks: dict[SSAValue, int] = {}
        self._calls: dict[Block, list[_Call]] = {}

    def __getitem__(self, value: SSAValue) -> Array:
        """The array that `value` is, its lane axes completed if it has any."""
        array = self._values[value]
        if not self.lanes or not array.ndim:
            return array
        if (own := self._ranks.get(value)) is None:
            own = self._ranks[value] = rank_of(value.type)
        present = array.ndim - own
        if not 0 < present < len(self.lanes):
            return array
        missing = (1,) * (len(self.lanes) - present)
        return np.reshape(array, array.shape[:present] + missing + array.shape[present:])

    def __setitem__(self, value: SSAValue, array: Array) -> None:
        self._values[value] = array
        if self.watch is not None:
            self.watch(value, array)

    def of_callee(self) -> Frame:
        """The frame of a function that is called here."""
        inside = Frame(self.resources, self.symbols, self.lanes, self.order, self.orders, self.noise, self.watch)
        inside._ranks, inside._calls = self._ranks, self._calls
        return inside

    def order_of(self, loop: Operation) -> Order:
        """How the parallel `loop` runs."""
        return self.orders.get(loop, self.order)

    def run(self, op: Operation) -> None:
        """Run one op.

        Raises:
            UserError: the op has no meaning here.
        """
        _Call(op).run(self)

    def run_block(self, block: Block, arguments: Sequence[Array]) -> list[Array]:
        """Run the ops of `block`, and return the operands of its terminator."""
        for argument, array in zip(block.args, arguments, strict=True):
            self[argument] = array
        terminator = block.last_op
        assert terminator is not None
        if (calls := self._calls.get(block)) is None:
            calls = self._calls[block] = [_Call(op) for op in block.ops if op is not terminator]
        for call in calls:
            call.run(self)
        return [self[v] for v in terminator.operands]


class Noise(np.random.Generator):
    """What moves the results of float ops at random, and chooses what they leave open, for each element by itself.

    Two runs, one with an even number and the next, choose the opposite of each other: of each element either is seen.
    """

    def __init__(self, number: int) -> None:
        super().__init__(np.random.PCG64(number))
        self._choices, self._side = np.random.default_rng(number // 2), 1 - 2 * (number % 2)
        self.least = 0.0 if number > 1 else 1.0
        """What part of a unit in the last place floats move at least: two runs show that each of them moves."""
        self.open = (np.nan, np.inf, 1.0, -np.inf)[number % 4]
        """Stands for a result that may be anything: times 0, NaN and infinities are the same. The bits of this NaN are
        far from those of numbers."""

    def signs(self, array: Array) -> Array:
        """1 or -1 for each element of `array`, in its type."""
        return (self._side * (2 * self._choices.integers(0, 2, array.shape) - 1)).astype(array.dtype)


def perturbed(array: Array, noise: Noise, *, computed: bool = False) -> Array:
    """`array` with each float moved by up to a unit in the last place of 1, times its size, up or down; types that are
    not floats, or are codes, stay as they are.

    What is NaN gets any sign if it was `computed`: machines do not agree on that sign. A number that was not
    computed does not overflow.
    """
    if not is_float(array.dtype) or is_stored(array.dtype):
        return array
    number, limits = array.dtype.type, limits_of(array.dtype)
    units = limits.eps * noise.uniform(noise.least, 1, array.shape) * (2 * noise.integers(0, 2, array.shape) - 1)
    with np.errstate(over="ignore", under="ignore"):
        moved: Array = array + np.where(np.isfinite(array), array, number(0)) * units.astype(number)
    # A denormal number moves by its last place, to 0 or away from it. Zeros are exact.
    signs = noise.signs(array)
    moved = np.where(array == 0, array, moved + number(limits.smallest_subnormal) * signs)
    if computed:
        return np.where(np.isnan(moved), np.copysign(number(np.nan), signs), moved)
    return np.where(np.isinf(moved), array, moved)


def with_open_zeros(combined: Array, noise: Noise) -> Array:
    """What elements were combined to, where zeros get any sign: the greatest of 0 and -0 may be either, and so may a
    sum of -0, which code may add to 0. What is divided by it becomes one infinity or the other."""
    if not is_float(combined.dtype) or is_stored(combined.dtype):
        return combined
    return np.where(combined == 0, np.copysign(combined.dtype.type(0), noise.signs(combined)), combined)


def evaluate(op: Operation, operands: Sequence[Array], resources: Resources | None = None) -> list[Array]:
    """The results of one op that does not call functions.

    Raises:
        UserError: the op has no reference semantics.
    """
    frame = Frame(resources or Resources(), {})
    for operand, array in zip(op.operands, operands, strict=True):
        frame[operand] = array
    with np.errstate(all="ignore"):
        frame.run(op)
    return [np.asarray(frame[r]) for r in op.results]


def rounded(array: Array, dtype: np.dtype[Any]) -> Array:
    """Numbers as floats of a dtype, each the nearest (integers of more than 53 bits by way of f64)."""
    if is_stored(dtype) and is_float(dtype):
        return nearest_stored(array, dtype)
    if dtype.kind == "f" or not is_short_float(dtype):
        return array.astype(dtype)
    # `ml_dtypes` goes by way of f32 and rounds twice, unless what is cut off first is kept in the last bit.
    wide = array.astype(np.float64)
    single = wide.astype(np.float32)
    back = single.astype(np.float64)
    even = single.view(np.int32) & 1 == 0
    step = np.where(np.abs(back) < np.abs(wide), 1, -1)
    inexact = (back != wide) & (wide == wide)
    return (single.view(np.int32) + np.where(inexact & even, step, 0).astype(np.int32)).view(np.float32).astype(dtype)


class _Call:
    """An op, and what is the same each time that it runs."""

    __slots__ = ("_computes", "_empty", "_meaning", "_operands", "_results", "op")

    def __init__(self, op: Operation) -> None:
        self.op = op
        self._meaning = _meaning_of(type(op))
        self._operands, self._results = tuple(op.operands), tuple(op.results)
        self._computes = isinstance(op, GraphOp) and not op.MOVES and not isinstance(op, BitcastOp)
        self._empty = _without_elements(op)

    def run(self, frame: Frame) -> None:
        """Put the results into `frame`.

        Raises:
            UserError: the op has no meaning here.
        """
        op, meaning = self.op, self._meaning
        if meaning is None:
            raise error_at(op, f"'{op.name}' has no reference semantics; register some with mlc.reference.execution")
        try:
            if meaning.takes_operands:
                self._evaluate(meaning.function, frame)
            else:
                meaning.function(op, frame)
        except UnknownElement as e:
            raise error_at(op, f"{op.name}: {e.message}") from None

    def _evaluate(self, evaluator: Evaluator, frame: Frame) -> None:
        if self._empty:
            kind = tensor_type(self._results[0])
            frame[self._results[0]] = np.empty(kind.get_shape(), dtype_of(kind.element_type))
            return
        op, computes = self.op, self._computes
        operands = [frame[v] for v in self._operands]
        if computes:
            operands = [a.astype(np.float32) if is_short_float(a.dtype) else a for a in operands]
        found = evaluator(op, *operands)
        results = [found] if isinstance(found, np.ndarray | np.generic) else found
        if not isinstance(results, list | tuple) or len(results) != len(self._results):
            _blame_results(evaluator, op, found)
        for result, array in zip(self._results, results, strict=True):
            if computes and array.dtype != (dtype := to_numpy(element_type(result.type))):
                array = rounded(array, dtype)
            if frame.noise is not None:
                array = perturbed(array, frame.noise, computed=computes or not isinstance(op, GraphOp))
                if _combines(op):
                    array = with_open_zeros(array, frame.noise)
            frame[result] = array


def _blame_results(evaluator: Evaluator, op: Operation, found: object) -> None:
    """Raises: UserError if a plugin is to blame that an op does not get an array for each of its results."""
    code = getattr(evaluator, "__code__", None)
    if code is not None and (place := place_of_code(code)) is not None:
        given = (
            type(found).__name__ if not isinstance(found, list | tuple) else f"{len(cast('list[Any]', found))} arrays"
        )
        required = f"an array for each of the {len(op.results)} results of '{op.name}'"
        raise UserError(f"'{code.co_name}' returns {given}; required: {required}", place)


def _combines(op: Operation) -> bool:
    """Whether elements are combined to one."""
    if isinstance(op, GraphOp):
        return op.REDUCES or op.CONTRACTS
    return isinstance(op, StructuredOp) and op.reduction is not None


def _without_elements(op: Operation) -> bool:
    """Whether all that an op gives is one tensor that has no elements: then there is nothing to compute."""
    if len(op.results) != 1 or not isinstance(kind := op.results[0].type, TensorType):
        return False
    return 0 in kind.get_shape()


def _meaning_of(op_type: type[Operation]) -> Meaning | None:
    op_type = registered_class(op_type)
    found = meaning_of(op_type)
    if found is None and (module := _OF_FRONTENDS.get(op_type.dialect_name())) is not None:
        import_module(module)
        found = meaning_of(op_type)
    return found


_OF_FRONTENDS: dict[str, str] = {
    **dict.fromkeys(("stablehlo", "chlo", "check"), "mlc.reference.stablehlo"),
    "linalg": "mlc.reference.linalg",
}
"""Where the meaning of dialects is that most programs do not have; it is imported when the first op of theirs runs."""


def rank_of(type: Attribute) -> int:
    """The number of axes of a value of this type: 0 for scalars."""
    if isinstance(type, TensorType | MemRefType | VectorType):
        return len(cast(Any, type).shape)
    return 0
