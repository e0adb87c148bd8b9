"""A loop that counts."""

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.dialects.utils.format import parse_assignment
from xdsl.ir import SSAValue
from xdsl.parser import Parser

from mlc.dialects.upstream import close, parse_arrow_types


class ForOp(scf.ForOp):
    """Counts from one bound to below the other and may carry values from an iteration to the next.

    ```mlir
    %sum = scf.for %i = %lower to %upper step %step iter_args(%s = %zero) -> (f32) {
      scf.yield %s : f32
    }
    scf.for %j = %first to %last step %stride : i32 {
    }
    ```
    """

    @classmethod
    def parse(cls, parser: Parser) -> "ForOp":
        counter = parser.parse_argument(expect_type=False)
        bounds = [parser.parse_punctuation("=") and parser.parse_unresolved_operand()]
        for word in ("to", "step"):
            parser.parse_keyword(word)
            bounds.append(parser.parse_unresolved_operand())
        arguments: list[Parser.Argument] = []
        inits: Sequence[SSAValue] = ()
        if parser.parse_optional_keyword("iter_args"):
            position = parser.pos
            pairs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parse_assignment(parser))
            types = parse_arrow_types(parser)
            inits = parser.resolve_operands([init for _, init in pairs], types, position)
            arguments = [argument.resolve(kind) for (argument, _), kind in zip(pairs, types, strict=True)]
        kind = parser.parse_type() if parser.parse_optional_punctuation(":") else IndexType()
        lower, upper, step = (parser.resolve_operand(bound, kind) for bound in bounds)
        body = parser.parse_region([counter.resolve(kind), *arguments])
        if not arguments:
            close(body, scf.YieldOp)
        op = cls(lower, upper, step, inits, body)
        op.attributes |= parser.parse_optional_attr_dict()
        return op
