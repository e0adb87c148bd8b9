"""The op of linalg that says by itself what it computes."""

from collections.abc import Sequence
from typing import TypeVar

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DictionaryAttr, StringAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.parser import Parser

from mlc.dialects.linalg.interface import LinalgOp, parse_operands
from mlc.dialects.upstream import parse_arrow_types

_A = TypeVar("_A", bound=Attribute)
_KINDS = ", ".join(f'"{kind}"' for kind in IteratorType)


class GenericOp(linalg.GenericOp, LinalgOp):
    """Loops over points, which index maps take to elements of the operands. The dictionary in front, which upstream
    calls the trait, may be an alias.

    ```mlir
    %y = linalg.generic {
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]
        } ins(%x : tensor<4xf32>) outs(%init : tensor<4xf32>) attrs = {my.attribute} {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    } -> tensor<4xf32>
    ```
    """

    @property
    def ins(self) -> Sequence[SSAValue]:
        return self.inputs

    @property
    def outs(self) -> Sequence[SSAValue]:
        return self.outputs

    @property
    def index_maps(self) -> Sequence[AffineMap]:
        return [each.data for each in self.indexing_maps]

    @property
    def iterators(self) -> Sequence[IteratorType]:
        return [each.data for each in self.iterator_types]

    @classmethod
    def parse(cls, parser: Parser) -> "GenericOp":
        start = parser.pos
        trait = parser.parse_attribute()
        if not isinstance(trait, DictionaryAttr):
            parser.raise_error(f"expected the trait of linalg.generic, a dictionary, got {trait}", start, start)
        said = dict(trait.data)

        def take(name: str, kind: type[_A], what: str) -> _A | None:
            value = said.pop(name, None)
            if value is not None and not isinstance(value, kind):
                parser.raise_error(f"'{name}' of linalg.generic is {what}, got {value}", start, start)
            return value

        maps = take("indexing_maps", ArrayAttr, "a list of affine maps")
        kinds = take("iterator_types", ArrayAttr, f"a list of {_KINDS}")
        if maps is None or kinds is None:
            missing = "indexing_maps" if maps is None else "iterator_types"
            parser.raise_error(f"the trait of linalg.generic needs '{missing}'", start, start)
        doc = take("doc", StringAttr, "a string")
        library_call = take("library_call", StringAttr, "a string")
        inputs, outputs = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        if parser.parse_optional_keyword("attrs"):
            parser.parse_punctuation("=")
            said |= parser.parse_optional_attr_dict()
        body = parser.parse_region()
        iterators = [_iterator(parser, kind, start) for kind in kinds]
        results = parse_arrow_types(parser)
        op = cls(inputs, outputs, body, _maps(parser, maps, start), iterators, results, doc, library_call)
        op.attributes |= said
        return op


def _maps(parser: Parser, maps: ArrayAttr[Attribute], start: int) -> Sequence[AffineMapAttr]:
    found = [each for each in maps if isinstance(each, AffineMapAttr)]
    if len(found) != len(maps):
        parser.raise_error(f"'indexing_maps' of linalg.generic is a list of affine maps, got {maps}", start, start)
    return found


def _iterator(parser: Parser, kind: Attribute, start: int) -> IteratorTypeAttr:
    """The kind of a loop, which is written as a string or as an attribute."""
    if isinstance(kind, IteratorTypeAttr):
        return kind
    if not isinstance(kind, StringAttr) or kind.data not in [str(known) for known in IteratorType]:
        parser.raise_error(f"'iterator_types' of linalg.generic is a list of {_KINDS}, got {kind}", start, start)
    return IteratorTypeAttr(IteratorType(kind.data))
