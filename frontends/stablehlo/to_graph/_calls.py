"""An op of StableHLO as patterns see it, how they are registered, and how complex numbers go through them.

A complex tensor is two real ones. Patterns that are written for one part, such as moves, run once for each (`PARTS`);
others see pairs and write what has to be written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar, cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects import chlo, graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.stablehlo import ConstantOp, HloOp, ReduceOp, WhileOp, hlo
from mlc.frontends.operators.complex_numbers import Pair, RealOrPair
from mlc.frontends.operators.complex_values import ConversionOfPairs, is_complex, part_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible
from mlc.pass_manager.lowering import lowers
from mlc.support import dtypes
from mlc.support.context import CompilerContext
from mlc.support.errors import LOAD_PASS
from mlc.support.ir import inlined

_PASS = "convert-stablehlo-to-graph"
"""The pass that patterns register for."""

_NO_PATTERN = ("mlc has no pattern for this op; ", LOAD_PASS, " adds one")
"""Why an op is refused that nothing converts."""

DIALECTS = ("stablehlo", chlo.Chlo.name)
_F = TypeVar("_F", bound="Callable[[HloCall], Converted]")


Converted = RealOrPair | Sequence[RealOrPair]
"""What replaces the results of an op."""


@dataclass
class HloConversion(ConversionOfPairs):
    """One run of the conversion from StableHLO."""

    PASS: ClassVar[str] = _PASS

    devices: int = 1
    """For how many devices the module is."""
    leaves_checks_out: bool = False
    """Whether error checks that call back into Python are left out."""

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


@dataclass
class HloCall(GraphBuilder):
    """Writes graph ops for one op, of which it knows operands, properties and the types of results.

    With a `part`, complex operands and results are their real (0) or imaginary (1) parts.
    """

    op: HloOp = cast(HloOp, None)  # noqa: RUF009
    run: HloConversion = cast(HloConversion, None)  # noqa: RUF009
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

    def pair(self, index: int) -> Pair:
        """An operand as a complex number; a real one has no imaginary part."""
        found = self.run.number(self.op.operands[index])
        return found if isinstance(found, Pair) else Pair(found, self.splat(0, shape_of(found), element_of(found)))

    def is_pair(self, index: int) -> bool:
        """Whether an operand is complex."""
        return isinstance(self.run.number(self.op.operands[index]), Pair)

    @property
    def real_operands(self) -> list[SSAValue]:
        """All operands, as `self[i]`."""
        return [self[i] for i in range(len(self.op.operands))]

    def known(self, index: int) -> Any:
        """The data of an operand that is a constant; None for others."""
        return self.knowledge.array(self[index])

    # ---- results

    def type(self, index: int = 0) -> TensorType[Attribute]:
        """The type of a result."""
        return cast("TensorType[Attribute]", self.op.results[index].type)

    def shape(self, index: int = 0) -> tuple[int, ...]:
        """The shape of a result."""
        return tuple(self.type(index).get_shape())

    def element(self, index: int = 0) -> Attribute:
        """The element type of a result; of complex numbers that of their parts."""
        return part_of(self.type(index).element_type)

    # ---- writing

    def minus(self, value: SSAValue) -> SSAValue:
        """`-x`."""
        if dtypes.is_unsigned(element_of(value)):
            return self.sub(self.splat(0, shape_of(value), element_of(value)), value)
        return self(graph.NegOp, value)

    def maximum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The larger one; NaN if either is."""
        return self(graph.MaxOp, a, b)

    def minimum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The smaller one; NaN if either is."""
        return self(graph.MinOp, a, b)

    def scaled(self, value: SSAValue, factor: float) -> SSAValue:
        """The product with a number."""
        return self.mul(value, self.number(factor, value))

    def bitcast(self, value: SSAValue, element: Attribute) -> SSAValue:
        """The bits read as another type."""
        return value if element_of(value) == element else self(graph.BitcastOp, value, element)

    def body(self, block: Block, arguments: Sequence[RealOrPair], lifted: bool = False) -> list[RealOrPair]:
        """What a region gives for arguments, its ops converted in front of this one.

        `lifted` says that arguments of a region on scalars are tensors: then all of its ops have to be elementwise.

        Raises:
            Unconvertible: something in it cannot be converted.
        """
        return convert_block(self.run, block, arguments, self.before, lifted)


def convert_block(
    run: HloConversion, block: Block, arguments: Sequence[RealOrPair], before: Operation, lifted: bool = False
) -> list[RealOrPair]:
    """Copies of the ops of a block, converted in front of an op, with values for its arguments; what it returns.

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
    """What some values are once ops in front of `before` are converted; `refused` and `replaced` are how many there
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


def converts(*names: str, parts: bool = False) -> Callable[[_F], _F]:
    """Decorator of a function that converts ops of these names, `add` or `chlo.erf`.

    It gets a `HloCall` and returns what replaces the results. With `parts`, it runs for the real and for the imaginary
    parts of complex numbers on their own, as a move does.

    ```python
    @converts("my_square")
    def square(b: HloCall) -> Converted:
        return b.mul(b[0], b[0])
    ```
    """

    def register(function: _F) -> _F:
        members = {"function": staticmethod(function), "parts": parts, "__module__": function.__module__}
        pattern = cast("type[_FromHlo]", type(function.__name__, (_FromHlo,), members))
        lowers(_PASS, *(class_of(name) for name in names))(pattern)
        return function

    return register


class _FromHlo(RewritePattern):
    """Lowers ops by a function."""

    function: ClassVar[Callable[[HloCall], Converted]]
    parts: ClassVar[bool]

    def __init__(self, ctx: CompilerContext) -> None:
        assert isinstance(ctx, HloConversion)
        self.run = ctx

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, HloOp)
        run = self.run
        if any(run.is_lost(v) for v in op.operands):
            run.lose(op)
            return
        hint = next((r.name_hint for r in op.results if r.name_hint), None) or op.mnemonic()
        try:
            self._require_supported(op)
            found = self._converted(HloCall(op, run.knowledge, hint, op, run))
            found = self._checked(op, found, GraphBuilder(op, run.knowledge, hint))
        except Unconvertible as e:
            run.refuse(op, e)
            return
        is_replaced = False
        for old, new in zip(op.results, found, strict=True):
            if isinstance(new, Pair):
                run.pairs[old] = new
                is_replaced = True
            else:
                new.name_hint = old.name_hint or new.name_hint
                old.replace_all_uses_with(new)
        if is_replaced:
            run.replaced.append(op)
        else:
            rewriter.erase(op)

    def _converted(self, call: HloCall) -> list[RealOrPair]:
        function = type(self).function
        has_pairs = any(call.is_pair(i) for i in range(len(call.op.operands)))
        if not (self.parts and (has_pairs or any(is_complex(r) for r in call.op.results))):
            found = function(call)
            return [found] if isinstance(found, SSAValue | Pair) else list(found)
        both: list[list[RealOrPair]] = []
        for part in (0, 1):
            found = function(HloCall(call.before, call.knowledge, call.hint, call.op, call.run, part))
            both.append([found] if isinstance(found, SSAValue | Pair) else list(found))
        pairs = zip(call.op.results, *both, strict=True)
        return [Pair(cast(SSAValue, re), cast(SSAValue, im)) if is_complex(r) else re for r, re, im in pairs]

    def _checked(self, op: HloOp, found: Sequence[RealOrPair], b: GraphBuilder) -> list[RealOrPair]:
        """Results of the shapes and element types that they are to have; a body on tensors makes tensors of scalars."""
        assert len(found) == len(op.results), f"{op.name} has {len(op.results)} results, its pattern gives {len(found)}"
        return [
            Pair(_as_said(b, new.re, old), _as_said(b, new.im, old)) if isinstance(new, Pair) else _as_said(b, new, old)
            for old, new in zip(op.results, found, strict=True)
        ]

    def _require_supported(self, op: HloOp) -> None:
        for value in (*op.operands, *op.results):
            kind = value.type
            if not isinstance(kind, TensorType):
                raise Unconvertible(f"it has a value of type {kind}; mlc computes with tensors")
            shape, element = cast(Any, kind).get_shape(), cast(Any, kind).element_type
            if any(n < 0 for n in shape):
                raise Unconvertible(f"a dim of {kind} is open; required: known shapes")
            if not dtypes.is_supported(part_of(element)):
                raise Unconvertible(f"it has elements of type {element}, {dtypes.NOT_KNOWN}")


def _as_said(b: GraphBuilder, value: SSAValue, result: SSAValue) -> SSAValue:
    wanted = cast("TensorType[Attribute]", result.type)
    value = b.cast(value, part_of(wanted.element_type))
    shape = tuple(wanted.get_shape())
    # A region on scalars may stand on tensors, whose results are tensors too.
    return b.broadcast(value, shape) if shape and shape_of(value) != shape else value
