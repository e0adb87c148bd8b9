"""An op of StableHLO as patterns see it, how they are registered, and how complex numbers go through them.

A complex tensor is two real ones. Patterns that are written for one part, such as moves, run once for each (`PARTS`);
others see pairs and write what has to be written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects import chlo, graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.stablehlo import ConstantOp, HloOp, ReduceOp, WhileOp, hlo
from mlc.frontends.operators.complex_numbers import Pair, RealOrPair
from mlc.frontends.operators.complex_values import ConversionOfPairs, is_complex, part_of
from mlc.frontends.operators.conversions import Converts, PatternOfPairs, TypedCall, each_of_parts
from mlc.frontends.operators.extents import result_extents
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.open_shapes import require_fixed, shape_sizes, splat
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize
from mlc.support import dtypes
from mlc.support.errors import LOAD_PASS
from mlc.support.ir import inlined

_PASS = "convert-stablehlo-to-graph"
"""The pass that patterns register for."""

_NO_PATTERN = ("mlc has no pattern for this op; ", LOAD_PASS, " adds one")
"""Why an op is refused that nothing converts."""

DIALECTS = ("stablehlo", chlo.Chlo.name)

Converted = RealOrPair | Sequence[RealOrPair]
"""What replaces the results of an op."""


@dataclass
class HloConversion(ConversionOfPairs):
    """One run of the conversion from StableHLO."""

    PASS: ClassVar[str] = _PASS

    devices: int = 1
    """For how many devices the module is."""
    given: dict[str, Block] = field(default_factory=dict[str, Block])
    """The bodies of functions that foreign functions are given, by name."""
    leaves_checks_out: bool = False
    """Whether error checks that call back into Python are left out."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.knowledge.hand_on = result_extents

    def lower(self, ops: Iterable[Operation]) -> None:
        """Convert ops, in program order."""
        done = set(self.replaced)
        for op in list(ops):
            if op in done:
                continue
            if self.driver.handles(op):
                self.driver.lower([op])
            elif op.dialect_name() in DIALECTS and op.name != "stablehlo.return":
                if any(self.is_lost(v) for v in op.operands):
                    self.lose(op)
                else:
                    self.refuse(op, _NO_PATTERN)


@dataclass(kw_only=True)
class HloCall(TypedCall[HloOp]):
    """A call of an op, of which it knows operands, properties and the types of results.

    With a `part`, complex operands and results are their real (0) or imaginary (1) parts.
    """

    run: HloConversion
    part: int | None = None

    # ---- operands

    def __getitem__(self, index: int) -> SSAValue:
        """A real operand, or the part of a complex one.

        Raises:
            Unconvertible: it is complex, and this pattern knows real numbers only.
        """
        found = self.run.number(self.op.operands[index])
        if isinstance(found, SSAValue):
            return found
        if self.part is None:
            raise Unconvertible("it computes with complex numbers, for which mlc has no pattern here")
        return found.im if self.part else found.re

    def operand(self, index: int) -> RealOrPair:
        """An operand, real or complex."""
        return self.run.number(self.op.operands[index])

    def pair(self, index: int) -> Pair:
        """An operand as a complex number; a real one has no imaginary part."""
        found = self.run.number(self.op.operands[index])
        if isinstance(found, Pair):
            return found
        return Pair(found, splat(self, 0, shape_sizes(self, found), element_of(found)))

    def is_pair(self, index: int) -> bool:
        """Whether an operand is complex."""
        return isinstance(self.run.number(self.op.operands[index]), Pair)

    @property
    def real_operands(self) -> list[SSAValue]:
        """All operands, as `self[i]`."""
        return [self[i] for i in range(len(self.op.operands))]

    def shape(self, index: int = 0) -> tuple[int, ...]:
        """The shape of a result.

        Raises:
            Unconvertible: a dim is open.
        """
        if any(extent < 0 for extent in super().shape(index)):
            raise Unconvertible(f"a dim of {self.type(index)} is open; required: known shapes")
        return super().shape(index)

    @property
    def is_empty(self) -> bool:
        """Whether the type of the result says that it has no elements."""
        return 0 in super().shape()

    def sizes(self, index: int) -> list[AnySize]:
        """The integers of an operand, which are constants or follow from the extents of inputs.

        Raises:
            Unconvertible: one depends on data.
        """
        if (known := self.known(index)) is not None:
            return [int(number) for number in known.reshape(-1)]
        if (sizes := self.knowledge.sizes.get(self[index])) is not None:
            return list(sizes.reshape(-1))
        raise Unconvertible(f"operand {index} depends on data; required: a constant, or the size of a dim")

    def known(self, index: int) -> Any:
        """The data of an operand that is a constant; None for others."""
        return self.knowledge.array(self[index])

    # ---- writing

    def bitcast(self, value: SSAValue, element: Attribute) -> SSAValue:
        """The bits read as another type."""
        return value if element_of(value) == element else self(graph.BitcastOp, value, element)

    def body(self, block: Block, arguments: Sequence[RealOrPair], lifted: bool = False) -> list[RealOrPair]:
        """What a region gives for arguments, its ops converted before this one.

        `lifted` says that arguments of a region on scalars are tensors: then all of its ops have to be elementwise.

        Raises:
            Unconvertible: something in it cannot be converted.
        """
        return convert_block(self.run, block, arguments, self.before, lifted)


def convert_block(
    run: HloConversion, block: Block, arguments: Sequence[RealOrPair], before: Operation, lifted: bool = False
) -> list[RealOrPair]:
    """Copies of the ops of a block, converted before an op, with values for its arguments; what it returns.

    Raises:
        Unconvertible: something in it cannot be converted, or with `lifted` is not elementwise.
    """
    if lifted:
        for op in block.ops:
            if op is not block.last_op and not (isinstance(op, HloOp) and op.POINTWISE):
                raise Unconvertible(f"its region holds {op.name}, which does not compute element by element")
    stands_for: list[SSAValue] = []
    for argument, number in zip(block.args, arguments, strict=True):
        if isinstance(number, Pair):
            run.pairs[argument] = number
            stands_for.append(argument)
        else:
            stands_for.append(number)
    ops, returned = inlined(block, stands_for)
    refused, replaced = len(run.refused), len(run.replaced)
    for op in ops:
        Rewriter.insert_op(op, InsertPoint.before(before))
    return convert_ops(run, ops, returned, before, refused, replaced)


def convert_ops(
    run: HloConversion,
    ops: Sequence[Operation],
    wanted: Sequence[SSAValue],
    before: Operation,
    refused: int,
    replaced: int,
) -> list[RealOrPair]:
    """What some values are once ops before `before` are converted; `refused` and `replaced` are how many there
    were of each when these ops began.

    Raises:
        Unconvertible: one of them cannot be converted.
    """
    # What is wanted may be replaced, so that a use keeps it in view.
    keeper = hlo("optimization_barrier").create(operands=wanted, result_types=[v.type for v in wanted])
    Rewriter.insert_op(keeper, InsertPoint.before(before))
    run.lower(ops)
    found = [run.number(v) for v in keeper.operands]
    lost = any(run.is_lost(v) for v in keeper.operands)
    Rewriter.erase_op(keeper)
    run.drop_replaced(replaced)
    if len(run.refused) > refused or lost:
        reasons = [("; ", f"{op.name}: ", *reason.words) for op, reason in run.refused[refused:]]
        del run.refused[refused:]
        shown = [part for reason in reasons for part in reason][1:] or ["see above"]
        raise Unconvertible(("something in its region cannot be converted (", *shown, ")"))
    return found


def class_of(name: str) -> type[HloOp]:
    """The class of an op: of StableHLO, or `chlo.name`."""
    own: dict[str, type[HloOp]] = {"constant": ConstantOp, "while": WhileOp, "reduce": ReduceOp}
    return hlo(name[5:], "chlo") if name.startswith("chlo.") else own[name] if name in own else hlo(name)


class _FromHlo(PatternOfPairs):
    """Converts ops, `add` or `chlo.erf`, by a function that gets a `HloCall`. With `parts` it runs for the real and for
    the imaginary parts of complex numbers; else it sees pairs."""

    PASS: ClassVar[str] = _PASS
    OPTIONS: ClassVar[Mapping[str, Any]] = {"parts": False, "bounded": False}
    parts: ClassVar[bool]
    bounded: ClassVar[bool]
    """Whether it is right for operands with dims that end at an extent which is known at the call."""

    @classmethod
    def op_class(cls, name: str, domain: str) -> type[Operation]:
        return class_of(f"{domain}.{name}" if domain else name)

    def converted(self, op: Operation, b: GraphBuilder) -> list[RealOrPair]:
        assert isinstance(op, HloOp)
        run = self.pairs_run
        assert isinstance(run, HloConversion)
        self._require_supported(op)
        if not (self.bounded or op.POINTWISE):
            for i, value in enumerate(_seen(op)):
                require_fixed(b, value, f"operand {i}" if i < len(op.operands) else "what its region reads")
        call = HloCall(op, run.knowledge, b.hint, op=op, run=run)
        if self.parts and any(map(is_complex, (*op.operands, *op.results))):
            found = each_of_parts(op, lambda part: self.called(op, replace(call, part=part)))
        else:
            found = self.called(op, call)
        return self._checked(op, found, b)

    def _checked(self, op: HloOp, found: Sequence[RealOrPair], b: GraphBuilder) -> list[RealOrPair]:
        """Results of the shapes and element types that they are to have; a body on tensors makes tensors of scalars."""
        if len(found) != len(op.results) or None in found:
            raise self.mistake(op, f"returns {len(found)} values; required: all {len(op.results)} results")
        return [
            Pair(_as_said(b, new.re, old), _as_said(b, new.im, old)) if isinstance(new, Pair) else _as_said(b, new, old)
            for old, new in zip(op.results, found, strict=True)
        ]

    def _require_supported(self, op: HloOp) -> None:
        assert isinstance(self.run, HloConversion)
        for value in (*op.operands, *op.results):
            kind = value.type
            if not isinstance(kind, TensorType):
                raise Unconvertible(f"it has a value of type {kind}; mlc computes with tensors")
            shape, element = cast(Any, kind).get_shape(), cast(Any, kind).element_type
            is_known = value in op.results or isinstance(self.run.number(value), Pair)
            if any(n < 0 for n in shape) and not is_known:
                raise Unconvertible(f"a dim of {kind} is open; required: known shapes")
            if not dtypes.is_supported(part_of(element)):
                raise Unconvertible(f"it has elements of type {element}, {dtypes.NOT_KNOWN}")


def _seen(op: Operation) -> list[SSAValue]:
    """The operands of an op, and those of the ops in its regions."""
    return [value for inner in op.walk() for value in inner.operands]


def _as_said(b: GraphBuilder, value: SSAValue, result: SSAValue) -> SSAValue:
    wanted = cast("TensorType[Attribute]", result.type)
    value = b.cast(value, part_of(wanted.element_type))
    shape = tuple(wanted.get_shape())
    if any(extent < 0 for extent in shape):
        return value  # as long as operands make it
    # A region on scalars may stand on tensors, whose results are tensors too.
    return b.broadcast(value, shape) if shape and shape_of(value) != shape else value


converts = Converts(_FromHlo)
"""Decorator of a function that converts ops of StableHLO or CHLO.

```python
@converts("my_square")
def square(b: HloCall) -> Converted:
    return b.mul(b[0], b[0])
```
"""
