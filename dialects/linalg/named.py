"""The named ops of linalg, as a table: where each operand is read, and what is computed at a point.

    "conv_2d_nhwc_hwcf": "b Y X c; ky kx c f -> b y x f"

Words name dims, `;` stands between operands, and the dims after the arrow index the result; all others are reduced.
A capital letter is a window: the first one of an op is `y * strides[0] + ky * dilations[0]`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseIntOrFPElementsAttr, MemRefType, TensorType
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    region_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.linalg.bodies import BINARY_FUNCTIONS, OF_UNSIGNED, UNARY_FUNCTIONS, Undefined, body_of
from mlc.dialects.linalg.functions import BinaryFnAttr, TypeFn, TypeFnAttr, UnaryFnAttr
from mlc.dialects.linalg.interface import (
    LinalgOp,
    maps_of,
    parse_operands,
    print_operands,
    shape_of,
    tensor_types,
    window_of,
)
from mlc.dialects.upstream import parse_arrow_types
from mlc.support.types import element_type

_PRODUCTS = {
    "matmul": "m k; k n -> m n",
    "matmul_transpose_a": "k m; k n -> m n",
    "matmul_transpose_b": "m k; n k -> m n",
    "matmul_unsigned": "m k; k n -> m n",
    "mmt4d": "m k p q; n k r q -> m n p r",
    "matvec": "m k; k -> m",
    "vecmat": "k; k n -> n",
    "dot": "k; k ->",
    "batch_matmul": "b m k; b k n -> b m n",
    "batch_matmul_transpose_a": "b k m; b k n -> b m n",
    "batch_matmul_transpose_b": "b m k; b n k -> b m n",
    "batch_mmt4d": "b m k p q; b n k r q -> b m n p r",
    "batch_reduce_matmul": "b m k; b k n -> m n",
    "batch_matvec": "b m k; b k -> b m",
    "batch_vecmat": "b k; b k n -> b n",
    "conv_1d": "X; kx -> x",
    "conv_2d": "Y X; ky kx -> y x",
    "conv_3d": "Z Y X; kz ky kx -> z y x",
    "conv_1d_nwc_wcf": "b X c; kx c f -> b x f",
    "conv_1d_ncw_fcw": "b c X; f c kx -> b f x",
    "conv_2d_nhwc_hwcf": "b Y X c; ky kx c f -> b y x f",
    "conv_2d_nhwc_fhwc": "b Y X c; f ky kx c -> b y x f",
    "conv_2d_nchw_fchw": "b c Y X; f c ky kx -> b f y x",
    "conv_2d_ngchw_fgchw": "b g c Y X; f g c ky kx -> b g f y x",
    "conv_2d_ngchw_gfchw": "b g c Y X; g f c ky kx -> b g f y x",
    "conv_2d_nhwgc_gfhwc": "b Y X g c; g f ky kx c -> b y x g f",
    "conv_3d_ndhwc_dhwcf": "b Z Y X c; kz ky kx c f -> b z y x f",
    "conv_3d_ncdhw_fcdhw": "b c Z Y X; f c kz ky kx -> b f z y x",
    "depthwise_conv_1d_nwc_wc": "b X c; kx c -> b x c",
    "depthwise_conv_1d_ncw_cw": "b c X; c kx -> b c x",
    "depthwise_conv_1d_nwc_wcm": "b X c; kx c m -> b x c m",
    "depthwise_conv_2d_nhwc_hwc": "b Y X c; ky kx c -> b y x c",
    "depthwise_conv_2d_nchw_chw": "b c Y X; c ky kx -> b c y x",
    "depthwise_conv_2d_nhwc_hwcm": "b Y X c; ky kx c m -> b y x c m",
    "depthwise_conv_3d_ndhwc_dhwc": "b Z Y X c; kz ky kx c -> b z y x c",
    "depthwise_conv_3d_ncdhw_cdhw": "b c Z Y X; c kz ky kx -> b c z y x",
    "depthwise_conv_3d_ndhwc_dhwcm": "b Z Y X c; kz ky kx c m -> b z y x c m",
}
"""Sums of products of two operands."""

_QUANTIZED = {
    "quantized_matmul": "m k; k n; ; -> m n",
    "quantized_batch_matmul": "b m k; b k n; ; -> b m n",
    "conv_2d_nhwc_hwcf_q": "b Y X c; ky kx c f; ; -> b y x f",
    "conv_2d_nchw_fchw_q": "b c Y X; f c ky kx; ; -> b f y x",
    "depthwise_conv_2d_nhwc_hwc_q": "b Y X c; ky kx c; ; -> b y x c",
    "depthwise_conv_2d_nhwc_hwcm_q": "b Y X c; ky kx c m; ; -> b y x c m",
}
"""Likewise, less a zero point of each operand, which are two scalars."""

_POOLING = {
    "nwc": ("b X c; kx -> b x c", ("sum", "max", "max_unsigned", "min", "min_unsigned")),
    "ncw": ("b c X; kx -> b c x", ("sum", "max")),
    "nhwc": ("b Y X c; ky kx -> b y x c", ("sum", "max", "max_unsigned", "min", "min_unsigned")),
    "nchw": ("b c Y X; ky kx -> b c y x", ("sum", "max")),
    "ndhwc": ("b Z Y X c; kz ky kx -> b z y x c", ("sum", "max", "min")),
}
"""Windows by layout; the second operand only says how large they are."""


class NamedOp(IRDLOperation, LinalgOp):
    """A named op: its name says where operands are read and what is computed there.

    Constraints:
      named_c1: there are as many operands as the name says, each of the rank that it says
      named_c2: there is a stride and a dilation for each window
    """

    inputs = var_operand_def()
    outputs = var_operand_def()
    res = var_result_def(TensorType)
    body = region_def("single_block")
    strides = opt_prop_def(DenseIntOrFPElementsAttr)
    dilations = opt_prop_def(DenseIntOrFPElementsAttr)
    cast = opt_prop_def(TypeFnAttr)
    fun = opt_prop_def(Attribute)
    indexing_maps = opt_prop_def(ArrayAttr[AffineMapAttr])

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    SUBSCRIPTS: ClassVar[str | None]
    """A row of the tables above; None for an elementwise op."""
    FUNCTION: ClassVar[str | None]
    """What `body_of` takes; None where `fun` says it."""

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        results: Sequence[Attribute] | None = None,
        properties: Mapping[str, Attribute] | None = None,
    ) -> None:
        """
        Raises:
            Undefined: upstream has no such function of elements of these types.
        """
        types = tensor_types(outputs) if results is None else results
        said = dict(properties or {})
        super().__init__(
            operands=[inputs, outputs],
            result_types=[types],
            properties=said,
            regions=[self._region([element_type(v.type) for v in (*inputs, *outputs)], said)],
        )

    @classmethod
    def _region(cls, elements: Sequence[Attribute], said: Mapping[str, Attribute]) -> Region:
        function, how = cls.FUNCTION or _chosen(cls.name, said.get("fun")), said.get("cast")
        unsigned = function.endswith("_unsigned") if how is None else how == TypeFnAttr(TypeFn.CAST_UNSIGNED)
        if cls.SUBSCRIPTS is not None and len(elements) > 2 and function.startswith("reduce"):
            region = body_of(function, [elements[0], elements[-1]], unsigned)
            region.block.insert_arg(elements[1], 1)
            return region
        return body_of("multiply" if function == "multiply_unsigned" else function, elements, unsigned)

    @classmethod
    def _miscounted(cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> str | None:
        """What is wrong with the number of operands; None if nothing is."""
        if cls.SUBSCRIPTS is not None:
            required = len(_subscripts(cls.SUBSCRIPTS)[0]) - 1
        elif cls.FUNCTION in BINARY_FUNCTIONS or cls.name == "linalg.elemwise_binary":
            required = 2
        else:
            required = 3 if cls.FUNCTION == "select" else 1
        if len(inputs) == required and len(outputs) == 1:
            return None
        return f"{len(inputs)} operands in ins and {len(outputs)} in outs, required: {required} and 1 (named_c1)"

    @property
    def ins(self) -> Sequence[SSAValue]:
        return self.inputs

    @property
    def outs(self) -> Sequence[SSAValue]:
        return self.outputs

    @property
    def index_maps(self) -> Sequence[AffineMap]:
        if self.indexing_maps is not None:
            return maps_of(cast("ArrayAttr[Attribute]", self.indexing_maps))
        if self.SUBSCRIPTS is None:
            rank = len(shape_of(self.outputs[0].type)) if self.outputs else 0
            shaped = [isinstance(v.type, TensorType | MemRefType) for v in self.operands]
            return [AffineMap.identity(rank) if each else AffineMap(rank, 0, ()) for each in shaped]
        rows, dims, _ = _subscripts(self.SUBSCRIPTS)
        return [AffineMap(len(dims), 0, tuple(self._subscript(word, dims) for word in row)) for row in rows]

    def _subscript(self, word: tuple[str, int | None], dims: Sequence[str]) -> AffineExpr:
        name, window = word
        if window is None:
            return AffineExpr.dimension(dims.index(name))
        stride = window_of(self.strides, window + 1)[window]
        dilation = window_of(self.dilations, window + 1)[window]
        at, tap = AffineExpr.dimension(dims.index(name)), AffineExpr.dimension(dims.index(f"k{name}"))
        return (at * stride if stride != 1 else at) + (tap * dilation if dilation != 1 else tap)

    @property
    def iterators(self) -> Sequence[IteratorType]:
        if self.SUBSCRIPTS is None:
            return [IteratorType.PARALLEL] * (len(shape_of(self.outputs[0].type)) if self.outputs else 0)
        _, dims, parallel = _subscripts(self.SUBSCRIPTS)
        if self.indexing_maps is not None:
            *_, out = self.index_maps
            used = {d for e in out.results for d in e.used_dims()}
            return [IteratorType.PARALLEL if i in used else IteratorType.REDUCTION for i in range(out.num_dims)]
        return [IteratorType.PARALLEL if i < parallel else IteratorType.REDUCTION for i in range(len(dims))]

    def verify_(self) -> None:
        if (found := self._miscounted(self.inputs, self.outputs)) is not None:
            raise VerifyException(f"{self.name}: {found}")
        windows = len(set("XYZ") & set(self.SUBSCRIPTS or ""))
        for name, said in (("strides", self.strides), ("dilations", self.dilations)):
            if said is not None and (count := len(window_of(said, 0))) != windows:
                raise VerifyException(f"{self.name}: {name} has {count} values, required: {windows} (named_c2)")
        for number, (operand, affine) in enumerate(zip(self.operands, self.index_maps, strict=True)):
            rank, required = len(shape_of(operand.type)), len(affine.results)
            if rank != required:
                raise VerifyException(
                    f"{self.name}: operand {number} is of type {operand.type}, required: one of rank {required} "
                    "(named_c1)"
                )
        verify_extents(self)

    @classmethod
    def parse(cls, parser: Parser) -> NamedOp:
        start = parser.pos
        said: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("indexing_maps"):
            parser.parse_punctuation("=")
            said["indexing_maps"] = parser.parse_attribute()
        attributes = parser.parse_optional_attr_dict()
        inputs, outputs = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        attributes |= parser.parse_optional_attr_dict()
        known = cls.get_irdl_definition().properties
        said |= {name: attributes.pop(name) for name in list(attributes) if name in known}
        results = parse_arrow_types(parser)
        if (found := cls._miscounted(inputs, outputs)) is not None:
            parser.raise_error(f"{cls.name}: {found}", start, start)
        try:
            op = cls(inputs, outputs, results, said)
        except Undefined as e:
            parser.raise_error(f"{cls.name}: {e}", start, start)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        if self.indexing_maps is not None:
            printer.print_string(" indexing_maps = ")
            printer.print_attribute(self.indexing_maps)
        hidden = ("operandSegmentSizes", "indexing_maps", "linalg.memoized_indexing_maps")
        said = {**self.properties, **self.attributes}
        printer.print_op_attributes({name: value for name, value in said.items() if name not in hidden})
        print_operands(printer, "ins", self.inputs)
        print_operands(printer, "outs", self.outputs)
        if self.res:
            printer.print_string(" -> ")
            printer.print_attribute(self.res[0].type)


def _chosen(name: str, said: Attribute | None) -> str:
    """The function that `fun` names; upstream has a default."""
    if isinstance(said, UnaryFnAttr | BinaryFnAttr):
        return str(said.data).removesuffix("_signed")
    return "exp" if name.endswith("unary") else "add"


def verify_extents(op: LinalgOp) -> None:
    """Require that operands that one dim subscripts have one extent along it, as far as extents are known.

    Raises:
        VerifyException: they have different ones, or a subscript leaves its operand.
    """
    ends = [size - 1 if size is not None else -1 for size in op.sizes()]
    for number, (operand, affine) in enumerate(zip((*op.ins, *op.outs), op.index_maps, strict=True)):
        for axis, (subscript, extent) in enumerate(zip(affine.results, shape_of(operand.type), strict=True)):
            if extent < 0 or any(ends[dim] < 0 for dim in subscript.used_dims()):
                continue
            reached = subscript.eval(ends, []) + 1
            if reached > extent or (isinstance(subscript, AffineDimExpr) and reached != extent):
                raise VerifyException(
                    f"{op.name}: axis {axis} of operand {number} has extent {extent}, the loops reach {reached} there"
                )


def _subscripts(text: str) -> tuple[list[list[tuple[str, int | None]]], list[str], int]:
    """A row of the table: the subscripts of each operand, the result last, as names and numbers of windows; all dims,
    those of the result first; and how many these are.
    """
    read, _, written = text.partition("->")
    windows: dict[str, int] = {}
    rows: list[list[tuple[str, int | None]]] = []
    for operand in (*read.split(";"), written):
        row: list[tuple[str, int | None]] = []
        for word in operand.split():
            name = word.lower()
            row.append((name, windows.setdefault(name, len(windows)) if word.isupper() else None))
        rows.append(row)
    dims = [name for name, _ in rows[-1]]
    parallel = len(dims)
    for row in rows[:-1]:
        for name, window in row:
            for each in (name, *([f"k{name}"] if window is not None else [])):
                if each not in dims:
                    dims.append(each)
    return rows, dims, parallel


def _named(name: str, subscripts: str | None, function: str | None, summary: str) -> type[NamedOp]:
    members: dict[str, Any] = {"name": f"linalg.{name}", "__doc__": summary, "__module__": __name__}
    title = "".join(part.capitalize() for part in name.split("_"))
    made = irdl_op_definition(type(f"{title}Op", (NamedOp,), members))
    made.SUBSCRIPTS, made.FUNCTION = subscripts, function
    return made


_FILL = """A scalar everywhere.

    ```mlir
    %y = linalg.fill ins(%zero : f32) outs(%x : tensor<4xf32>) -> tensor<4xf32>
    ```
    """


def _all() -> dict[str, type[NamedOp]]:
    found: dict[str, type[NamedOp]] = {}

    def add(name: str, subscripts: str | None, function: str | None, summary: str) -> None:
        found[name] = _named(name, subscripts, function, summary)

    for name, text in _PRODUCTS.items():
        unsigned = "_unsigned" if name.endswith("_unsigned") else ""
        add(name, text, f"multiply{unsigned}", f"Sums products: `{text}`.")
    for name, text in _QUANTIZED.items():
        add(name, text, "quantized", f"Sums products of integers less their zero points: `{text}`.")
    for layout, (text, kinds) in _POOLING.items():
        for kind in kinds:
            add(
                f"pooling_{layout}_{kind}",
                text,
                f"reduce {kind.replace('sum', 'add')}",
                f"A window's {kind}: `{text}`.",
            )
    for name in UNARY_FUNCTIONS:
        add(name, None, name, f"The function {name} of each element.")
    for name in BINARY_FUNCTIONS:
        add(name, None, name, f"The function {name} of two elements each.")
    add("elemwise_unary", None, None, "The function that `fun` names, of each element.")
    add("elemwise_binary", None, None, "The function that `fun` names, of two elements each.")
    add("select", None, "select", "One of two elements, by a condition.")
    add("copy", None, "copy", "Each element, converted to the type of the result.")
    add("fill", None, "copy", _FILL)
    return found


NAMED = _all()
"""The classes of named ops, by name without the dialect."""
FillOp = NAMED["fill"]
__all__ = ["NAMED", "OF_UNSIGNED", "FillOp", "NamedOp", "verify_extents"]
