"""Loops: `loop.for` and its terminator."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr, StringAttr, i64
from xdsl.dialects.utils import AbstractYieldOperation
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    lazy_traits_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsTerminator,
    Pure,
    RecursiveMemoryEffect,
    SingleBlockImplicitTerminator,
    ensure_terminator,
)
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.loop.counted import CountedLoop
from mlc.dialects.loop.independence import find_clash
from mlc.dialects.loop.kinds import LoopKind, LoopKindAttr

LOOP_ANNOTATION = "loop_annotation"
"""The attribute of a `loop.for` that says what LLVM is to do with the loop, a `#llvm.loop_annotation`."""
MOST_THREADS = "most_threads"
"""The attribute of a `loop.for threads` that says how many threads may share its iterations, an i64."""


@irdl_op_definition
class YieldOp(AbstractYieldOperation[Attribute]):
    """Ends the body of a `loop.for` and hands its values to the next iteration, or to the loop's results.

    ```mlir
    %last = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %x) -> (f32) {
      %next = arith.addf %acc, %acc : f32
      loop.yield %next : f32
    }
    ```
    """

    name = "loop.yield"
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(ForOp), Pure()))


@irdl_op_definition
class ForOp(CountedLoop):
    """A counted loop with constant bounds, and values that it carries from iteration to iteration.

    ```mlir
    %sum = loop.for serial "k" %k = 0 to 784 step 1 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%k] : memref<784xf32>
      %next = arith.addf %acc, %a : f32
      loop.yield %next : f32
    }
    ```

    The string is the dim that the loop runs over: schedules name loops by it. Shapes are static, so bounds are numbers:
    the last iteration is the largest `lower + i * step < upper`. `step 1` is not printed.

    Iterations of a `parallel` or `threads` loop have to be independent: none may write what another one reads or
    writes. The loop is refused if its first iterations show that they are not; beyond that it is a promise.

    What LLVM is to do with a loop, such as how many iterations it is to put into one, is a `loop_annotation`, as on a
    branch of the llvm dialect. A register tile without one is not unrolled.

    What is handed to threads is an iteration of a `threads` loop. A `threads` loop that is all there is in another one
    is spread with it: what is handed out is a combination of iterations, the innermost counter running fastest. One
    that stands in another in any other way runs on one thread.

    Over how many threads a `threads` loop is spread at most is said by `most_threads`, at the outermost one of those
    that are spread together; without it, the person who runs the program decides.

    ```mlir
    loop.for threads "m" %m = 0 to 64 attributes {most_threads = 4 : i64} {
    }
    loop.for serial "m" %m = 0 to 64 attributes {loop_annotation = #llvm.loop_annotation<unroll = <count = 4 : i32>>} {
    }
    ```

    A loop that carries buffers hands on where they are, not what is in them. An iteration must not write to a buffer
    that it also reaches by another name.

    A loop with a `limit` below its upper bound ends there: a row may have 512 elements, and has so many now.
    The limit is a multiple of the number after `by`, 1 if there is none, or at least the upper bound, so that
    iterations can be taken in blocks. The first iteration of a loop from 0 is always run. Those of a parallel loop from
    the limit on may be run, too: they do no harm.

    Beside a limit there may be a start, at which a loop begins that is not above it yet: attention may see the last 512
    of the places that are filled. It is less than the limit and a multiple of the same number. Iterations of a parallel
    loop before it may be run, too.

    Where these are sums of counters of loops around, the verifier knows what they do to subscripts: a window that
    begins at `1 - y` and ends at `9 - y` stays inside an image of 8 rows.

    ```mlir
    %sum = loop.for serial "k" %k = 0 to 512 limit %n by 16 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%k] : memref<512xf32>
      %next = arith.addf %acc, %a : f32
      loop.yield %next : f32
    }
    %window = loop.for serial "k" %k = 0 to 512 from %s limit %n by 16 iter_args(%acc = %zero) -> (f32) {
      loop.yield %acc : f32
    }
    ```

    Constraints, in the order in which they are checked:
      for_c1: the step is positive
      for_c2: only a serial loop carries values
      for_c3: the body takes the counter, of type `index`, and a value of the type of each of the iter_args
      for_c4: there is a result of the type of each of the iter_args, and one or two more operands, if any, are indices
      for_c5: the body ends with `loop.yield` of a value of the type of each of the iter_args
      for_c6: no two of the first iterations of a `parallel` or `threads` loop touch the same element and one writes it
      for_c7: `most_threads` is an i64, 1 or more
      for_c8: the limit, of which there is one then, is said to be a multiple of a positive number
    """

    name = "loop.for"

    traits = traits_def(RecursiveMemoryEffect(), SingleBlockImplicitTerminator(YieldOp))

    def __init__(
        self,
        dim: str,
        lower: int,
        upper: int,
        step: int = 1,
        kind: LoopKind = LoopKind.SERIAL,
        iter_args: Sequence[SSAValue] = (),
        body: Region | None = None,
        limit: SSAValue | None = None,
        limit_by: int = 1,
        start: SSAValue | None = None,
    ) -> None:
        types = [v.type for v in iter_args]
        if body is None:
            body = Region(Block(arg_types=[IndexType(), *types]))
            body.block.args[0].name_hint = dim
        super().__init__(
            operands=[[*iter_args, *(each for each in (limit, start) if each is not None)]],
            result_types=[types],
            regions=[body],
            properties={
                "kind": LoopKindAttr(kind),
                "dim": StringAttr(dim),
                "lower": IntegerAttr(lower, i64),
                "upper": IntegerAttr(upper, i64),
                "step": IntegerAttr(step, i64),
                "limit_by": None if limit_by == 1 else IntegerAttr(limit_by, i64),
            },
        )

    def like(
        self,
        iter_args: Sequence[SSAValue] = (),
        body: Region | None = None,
        values: range | None = None,
        copies: Mapping[SSAValue, SSAValue] | None = None,
    ) -> "ForOp":
        """A loop over the same dim and values, of the same kind and with the same attributes, that stands for this one.

        Args:
            iter_args: what it carries.
            body: one whose block takes the counter and a value for each of `iter_args`, and keeps its names; by default
                an empty one, whose counter has the name of this one.
            values: what its counter takes, where that is something else; the limit stays, and the start.
            copies: what stands for values of this one, its limit and start among them.
        """
        values = self.range if values is None else values
        new = ForOp(self.dim.data, values.start, values.stop, values.step, self.kind.data, iter_args, body)
        if self.limit is not None:
            ends = [
                each if each is None or copies is None else copies.get(each, each) for each in (self.limit, self.start)
            ]
            new.set_limit(ends[0], self.limit_multiple, ends[1])
        new.attributes |= self.attributes
        new.location = self.location
        if body is None:
            new.induction_variable.name_hint = self.induction_variable.name_hint
        return new

    def start_from(self, initial: Sequence[SSAValue]) -> None:
        """Carry these values into the first iteration."""
        self.operands = [*initial, *self.operands[len(self.iter_args) :]]

    def set_limit(self, limit: SSAValue | None, by: int = 1, start: SSAValue | None = None) -> None:
        """End at `limit`, an index, with None at the upper bound, and begin at `start`; both are multiples of `by`."""
        self.operands = [*self.iter_args, *(each for each in (limit, start) if each is not None)]
        self.limit_by = None if by == 1 else IntegerAttr(by, i64)

    @property
    def yielded(self) -> Sequence[SSAValue]:
        """The values that an iteration hands on."""
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return last.arguments

    @property
    def most_threads(self) -> int | None:
        """How many threads may share the iterations of a `threads` loop; None if that is not said."""
        limit = self.attributes.get(MOST_THREADS)
        return limit.value.data if isinstance(limit, IntegerAttr) else None

    @property
    def spread_with(self) -> "tuple[ForOp, ...]":
        """The loops whose iterations are handed to threads together, if this one's are: it, and those inside."""
        nest: list[ForOp] = [self]
        while isinstance(inner := nest[-1].body.block.first_op, ForOp) and inner.next_op is nest[-1].body.block.last_op:
            if inner.kind.data is not LoopKind.THREADS or inner.most_threads is not None:
                break
            nest.append(inner)
        return tuple(nest)

    def verify_(self) -> None:
        if self.step.value.data <= 0:
            raise VerifyException(f"loop.for: step must be positive, got {self.step.value.data} (for_c1)")
        if self.is_parallel and self.iter_args:
            raise VerifyException(
                f"loop.for: a {self.kind.data} loop cannot carry values, got {len(self.iter_args)} iter_args (for_c2)"
            )
        expected = [IndexType(), *(v.type for v in self.iter_args)]
        found = [a.type for a in self.body.block.args]
        if expected != found:
            raise VerifyException(
                f"loop.for: the body takes ({_spell(found)}), its iter_args require ({_spell(expected)}) (for_c3)"
            )
        results = [r.type for r in self.results]
        beyond = [v.type for v in self.operands[len(results) :]]
        if len(self.operands) < len(results) or len(beyond) > 2 or any(type != IndexType() for type in beyond):
            raise VerifyException(
                f"loop.for: operands ({_spell([v.type for v in self.operands])}) must be one for each result "
                f"({_spell(results)}), and perhaps a limit and a start of type index (for_c4)"
            )
        if results != expected[1:]:
            raise VerifyException(
                f"loop.for: results ({_spell(results)}) must have the types of the iter_args "
                f"({_spell(expected[1:])}) (for_c4)"
            )
        if not isinstance(self.body.block.last_op, YieldOp):
            raise VerifyException("loop.for: the body must end with loop.yield (for_c5)")
        yielded = [v.type for v in self.yielded]
        if yielded != expected[1:]:
            raise VerifyException(
                f"loop.for: the body yields ({_spell(yielded)}), the iter_args are ({_spell(expected[1:])}) (for_c5)"
            )
        if (by := self.limit_multiple) < 1:
            raise VerifyException(f"loop.for: the limit is a multiple of {by}; required: of 1 or more (for_c8)")
        if self.limit_by is not None and self.limit is None:
            raise VerifyException(f"loop.for: found no limit that is a multiple of {by}; required: one (for_c8)")
        if self.is_parallel:
            self._verify_independence()
        said, most = self.attributes.get(MOST_THREADS), self.most_threads or 0
        if said is not None and (most < 1 or said != IntegerAttr(most, i64)):
            raise VerifyException(f"loop.for: '{MOST_THREADS}' must be an i64, 1 or more, got {said} (for_c7)")

    def _verify_independence(self) -> None:
        if (clash := find_clash(self)) is not None:
            raise VerifyException(f"loop.for: {clash}: make the loop serial (for_c6)")

    @classmethod
    def parse(cls, parser: Parser) -> "ForOp":
        kind = LoopKind(parser.parse_str_enum(LoopKind))
        dim = parser.parse_str_literal()
        induction = parser.parse_argument(expect_type=False).resolve(IndexType())
        parser.parse_characters("=")
        lower = parser.parse_integer()
        parser.parse_characters("to")
        upper = parser.parse_integer()
        start = limit = None
        limit_by = 1
        if parser.parse_optional_keyword("from"):
            start = parser.resolve_operand(parser.parse_unresolved_operand(), IndexType())
        if start is not None:
            parser.parse_keyword("limit", " after a start")
        if start is not None or parser.parse_optional_keyword("limit"):
            limit = parser.resolve_operand(parser.parse_unresolved_operand(), IndexType())
            limit_by = parser.parse_integer() if parser.parse_optional_keyword("by") else 1
        step = parser.parse_integer() if parser.parse_optional_keyword("step") else 1
        arguments = [induction]
        initial: list[SSAValue] = []
        if parser.parse_optional_keyword("iter_args"):
            pairs = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN,
                lambda: (
                    parser.parse_argument(expect_type=False),
                    parser.parse_characters("="),
                    parser.parse_unresolved_operand(),
                ),
            )
            parser.parse_characters("->")
            position = parser.pos
            types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
            if len(types) != len(pairs):
                parser.raise_error(
                    f"expected {len(pairs)} types, one for each of the iter_args, got {len(types)}",
                    at_position=position,
                )
            arguments += [argument.resolve(t) for (argument, _, _), t in zip(pairs, types, strict=True)]
            initial = [parser.resolve_operand(value, t) for (_, _, value), t in zip(pairs, types, strict=True)]
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region(arguments)
        op = cls(dim, lower, upper, step, kind, initial, body, limit, limit_by, start)
        if attributes is not None:
            op.attributes |= attributes.data
        for trait in op.get_traits_of_type(SingleBlockImplicitTerminator):
            ensure_terminator(op, trait)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.kind.data.value} ")
        printer.print_string_literal(self.dim.data)
        printer.print_string(" ")
        printer.print_ssa_value(self.induction_variable)
        printer.print_string(f" = {self.lower.value.data} to {self.upper.value.data} ")
        if self.start is not None:
            printer.print_string("from ")
            printer.print_ssa_value(self.start)
            printer.print_string(" ")
        if self.limit is not None:
            printer.print_string("limit ")
            printer.print_ssa_value(self.limit)
            printer.print_string(f" by {by} " if (by := self.limit_multiple) != 1 else " ")
        if self.step.value.data != 1:
            printer.print_string(f"step {self.step.value.data} ")
        if self.iter_args:
            printer.print_string("iter_args(")
            printer.print_list(
                zip(self.carried, self.iter_args, strict=True),
                lambda pair: _print_binding(printer, *pair),
            )
            printer.print_string(") -> (")
            printer.print_list(self.results, lambda r: printer.print_attribute(r.type))
            printer.print_string(") ")
        if self.attributes:
            printer.print_string("attributes ")
            printer.print_attr_dict(self.attributes)
            printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_block_terminators=bool(self.iter_args))


def enclosing_loops(op: Operation) -> list[ForOp]:
    """The loops around `op`, innermost first."""
    found: list[ForOp] = []
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, ForOp):
            found.append(parent)
        parent = parent.parent_op()
    return found


def _print_binding(printer: Printer, argument: SSAValue, value: SSAValue) -> None:
    printer.print_ssa_value(argument)
    printer.print_string(" = ")
    printer.print_ssa_value(value)


def _spell(types: Sequence[Attribute]) -> str:
    return ", ".join(str(t) for t in types)
