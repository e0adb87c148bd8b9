"""Text to IR to text: pretty and generic, and against xDSL's own parser."""

from __future__ import annotations

from io import StringIO

import pytest
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import FileLineColLoc, NameLoc
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer

from .conftest import Syntax

FUNCTIONS = """\
func.func private @declared(f32) -> f32

func.func @f(%a: f32, %m: memref<4x?xf32, strided<[?, 1], offset: 3>>, %i: index) -> (f32, i1)
    attributes {x, y = 3 : i8} {
  %c = arith.constant -1.5 : f32
  %x = memref.load %m[%i, %i] : memref<4x?xf32, strided<[?, 1], offset: 3>>
  %y = arith.mulf %a, %x fastmath<contract> : f32
  %b = arith.cmpf olt, %y, %c : f32
  %s = arith.select %b, %x, %y : f32
  %r = scf.if %b -> (f32) {
    %e = math.exp %s : f32
    scf.yield %e : f32
  } else {
    scf.yield %c : f32
  }
  %n = func.call @declared(%r) : (f32) -> f32
  return %n, %b : f32, i1
}

func.func @blocks(%c: i1, %v: vector<[4]x8xf32>) -> i64 {
  cf.cond_br %c, ^yes, ^no(%c : i1)
^yes:
  %k = arith.constant 7 : i64
  func.return %k : i64
^no(%d: i1):
  %w = arith.extui %d : i1 to i64
  func.return %w : i64
}
"""

ATTRIBUTES = """\
#map = affine_map<(d0, d1)[s0] -> (d0 * 4 + d1 floordiv 2 - s0 mod 3, -d1 ceildiv 5)>
!t = tensor<4x?x8xf32, "encoding">
"test.op"() <{prop1 = vector<4xf32>}> {array = 1, dense = 2 : i8, index, unit = unit, i32 = i32, loc = f32} : () -> ()
"test.op"() {
  a = [1, 2.0, true, "s\\0A\\22", @sym::@"nested sym", #map], b = {x = !t, "quoted key" = none},
  c = affine_set<(d0)[s0] : (d0 - 1 >= 0, s0 == 0)>, d = dense<[[1, -2], [3, 4]]> : tensor<2x2xi32>,
  e = dense<1.5> : vector<4xf32>, f = dense<"0x0000803F00000040"> : tensor<2xf32>, g = dense<> : tensor<0xf32>,
  h = dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>, i = array<i64: 1, -2>, j = array<i1: true, false>, k = array<f32>,
  l = 0x7FC00000 : f32, m = 0xff : i16, n = opaque<"d", "text"> : tensor<1xi8>, o = strided<[1, ?], offset: ?>,
  p = tuple<i32, tensor<*xf32>>, q = (i32, () -> ()) -> (), r = memref<*xf32, 1 : i32>, s = complex<f64>,
  t = loc(fused["a":1:2, unknown, "n"("b":3:4), callsite("c" at "d")]), u = dense<[true, false]> : tensor<2xi1>
} : () -> ()
%0:2 = "test.op"() : () -> (i32, f32)
"test.op"(%0#1, %0#0) ({
  "test.termop"()[^bb1] : () -> ()
^bb1(%a: i32 loc("f.py":1:1)):
  "test.termop"()[^bb1] : () -> ()
}, {}) : (f32, i32) -> ()
"""

TEXTS = {"functions": FUNCTIONS, "attributes": ATTRIBUTES}


def xdsl_generic(text: str) -> str:
    """What xDSL's parser makes of a text, in generic form."""
    ctx = Context()
    for name, load in get_all_dialects().items():
        ctx.register_dialect(name, load)
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(Parser(ctx, text).parse_module())
    return stream.getvalue() + "\n"


@pytest.mark.parametrize("name", TEXTS)
def test_same_ir_as_xdsl(name: str, syntax: Syntax) -> None:
    assert syntax.print(syntax.parse(TEXTS[name]), generic=True) == xdsl_generic(TEXTS[name])


@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize("debuginfo", [False, True])
@pytest.mark.parametrize("name", TEXTS)
def test_printed_text_reads_back_the_same(name: str, generic: bool, debuginfo: bool, syntax: Syntax) -> None:
    text = syntax.print(syntax.parse(TEXTS[name]), generic, debuginfo)
    assert syntax.print(syntax.parse(text), generic, debuginfo) == text


def test_every_op_has_the_location_of_its_name(syntax: Syntax) -> None:
    module = syntax.parse('%a = arith.constant 1 : i32\n%b = "test.op"() : () -> i32 loc("here")\n')
    first, second = module.body.block.ops
    assert isinstance(first.location, FileLineColLoc)
    assert (first.location.filename.data, first.location.line.data, first.location.column.data) == ("test.mlir", 1, 6)
    assert isinstance(second.location, NameLoc)


def test_a_single_module_is_not_wrapped(syntax: Syntax) -> None:
    assert syntax.parse("module @m {}").sym_name is not None
    assert len([*syntax.parse("module {}\nmodule {}").body.block.ops]) == 2


def test_forward_references_inside_a_graph_region(syntax: Syntax) -> None:
    module = syntax.parse('%a = "test.op"(%b) : (i32) -> i32\n%b = "test.op"() : () -> i32')
    user, definition = module.body.block.ops
    assert user.operands[0] is definition.results[0]


def test_names_are_reused_in_isolated_regions(syntax: Syntax) -> None:
    text = "func.func @f(%x: i32) { return }\nfunc.func @g(%x: f32) { return }\n"
    assert len([*syntax.parse(f"%x = arith.constant 1 : i32\n{text}").body.block.ops]) == 3


def test_a_long_dense_list_is_exact(syntax: Syntax) -> None:
    numbers = [i / 7 for i in range(5000)]
    module = syntax.parse(f"%c = arith.constant dense<{numbers}> : tensor<5000xf64>")
    (op,) = module.body.block.ops
    assert [*op.properties["value"].get_values()] == numbers  # pyright: ignore


def test_every_float_type_is_read_wherever_types_stand(syntax: Syntax) -> None:
    for name in AttrParser._builtin_float_types:  # pyright: ignore[reportPrivateUsage]
        text = f'func.func private @f({name}, vector<2x{name}>)\n"test.op"() {{a = {name}}} : () -> (tensor<?x{name}>)'
        printed = syntax.print(syntax.parse(text))
        assert f"@f({name}, vector<2x{name}>)" in printed
        assert f"a = {name}}} : () -> tensor<?x{name}>" in printed


def test_unregistered_dialects_where_allowed(lenient: Syntax) -> None:
    text = '%0 = "new.op"() {a = #new.attr<[x, "]>"]>} : () -> !new.type<a -> b>'
    printed = lenient.print(lenient.parse(text), generic=True)
    assert '#new.attr<[x, "]>"]>' in printed
    assert "!new.type<a -> b>" in printed


def test_nul_is_white_space(syntax: Syntax) -> None:
    text = "\0%a\0= arith.constant\0 1 : i32\0 // \0\n\0%b = llvm.mlir.constant(\0 2 :\0i32\0)\0: i32\0"
    assert syntax.print(syntax.parse(text)) == syntax.print(syntax.parse(text.replace("\0", "")))
