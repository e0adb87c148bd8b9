"""Plugins that are wrong: one message in words, with the place in the plugin, status 1, no traceback."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lark.exceptions import GrammarError

from mlc.plugins import load_dialect
from mlc.support.additions import plugin_scope
from mlc.support.errors import UserError

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_OP = """
from xdsl.ir import Dialect, Operation
from xdsl.irdl import *
from xdsl.dialects.builtin import AnyFloat, ModuleOp, StringAttr, f32
from xdsl.pattern_rewriter import RewritePattern
from mlc.pass_manager.base import Pass
from mlc.pass_manager.lowering import lowers
from mlc.reference.execution import evaluates, executes
F = EqAttrConstraint(f32)

@irdl_op_definition
class AOp(IRDLOperation):
    name = "bad.a"
"""
_ENUM = """
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.utils.str_enum import StrEnum

class Mode(StrEnum):
    FAST = "fast"

@irdl_attr_definition
class ModeAttr({}):
    name = "bad.mode"
Bad = Dialect("bad", [AOp], [ModeAttr])
"""
_FORMAT = (
    _OP
    + """
@irdl_op_definition
class FormatOp(IRDLOperation):
    name = "bad.formatted"
    a = opt_operand_def(F)
    c = var_operand_def(F)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = "%s"
Bad = Dialect("bad", [FormatOp])
"""
)
_PASS = """
@dataclass(frozen=True)
class {0}Pass(Pass):
    "Do nothing, in a plugin."
    name = "{1}"
    def run(self, module, ctx): pass
"""

_WRONG_PASS = (
    "from dataclasses import dataclass\n"
    + _OP
    + """
Bad = Dialect("bad", [AOp])
@dataclass(frozen=True)
class P(Pass):
    "Do nothing."
    name = "own"
    {}
"""
)
_RUN = "def run(self, module, ctx): pass"
_WRONG_PATTERN = (
    _OP.replace("import RewritePattern", "import RewritePattern, op_type_rewrite_pattern")
    + """
Bad = Dialect("bad", [AOp])
@lowers("convert-graph-to-tensor", AOp)
class P(RewritePattern):
    {}
"""
)
_WRONG_MEANING = _OP + '    x = operand_def(F)\nBad = Dialect("bad", [AOp])\n@evaluates(AOp)\n{}'

CASES = {
    "run without a context": (
        _WRONG_PASS.format("def run(self, module): pass"),
        "bad.py:21: error: 'P.run' takes (self, module); required: run(self, module, ctx)",
    ),
    "run of more": (
        _WRONG_PASS.format("def run(self, module, ctx, x): pass"),
        "bad.py:21: error: 'P.run' takes (self, module, ctx, x); required: run(self, module, ctx)",
    ),
    "run that is not a method": (
        _WRONG_PASS.format("run = 3"),
        "bad.py:17: error: 'P.run' is of type int; required: a method run(self, module, ctx)",
    ),
    "run that yields": (
        _WRONG_PASS.format("def run(self, module, ctx): yield 1"),
        "bad.py:17: error: the pass 'P' has a `run` that yields or awaits, of which nothing would run; it transforms",
    ),
    "another method of a pass": (
        _WRONG_PASS.format(_RUN + "\n    def rounding_in(self): pass"),
        "bad.py:22: error: 'P.rounding_in' takes (self); required: rounding_in(self, module)",
    ),
    "no run": (
        _WRONG_PASS.format("def apply(self, ctx, op): pass"),
        "bad.py:17: error: the pass 'P' has no `run(self, module, ctx)`, which transforms the module",
    ),
    "no name of a pass": (
        _WRONG_PASS.replace('name = "own"', "").format(_RUN),
        "bad.py:17: error: the pass 'P' has no `name`; required: small letters, digits and -, as a pipeline",
    ),
    "a name that no pipeline can hold": (
        _WRONG_PASS.replace('"own"', '"Own Pass"').format(_RUN),
        "bad.py:17: error: the pass 'P' has the name 'Own Pass'; required: small letters, digits and -",
    ),
    "an option of no dataclass": (
        _WRONG_PASS.replace("@dataclass(frozen=True)", "").format("x: int = 3\n    " + _RUN),
        "bad.py:18: error: the pass 'P' is not a dataclass, so 'x' is not an option; write @dataclass(frozen=True)",
    ),
    "an option that no words give": (
        _WRONG_PASS.format("x: dict[str, int] | None = None\n    " + _RUN),
        "the pass 'P' has an option 'x' of type dict[str, int] | None; required: int, float, bool, str, a tuple[",
    ),
    "an option of no type": (
        "from __future__ import annotations\n" + _WRONG_PASS.format("x: Nothing = 3\n    " + _RUN),
        "bad.py:18: error: the pass 'P' has options of types that are not there: name 'Nothing' is not defined",
    ),
    "options that do not make a pass": (
        _WRONG_PASS.format("def __init__(self, a): pass\n    " + _RUN),
        "the pass 'P' cannot be made of its options: __init__: missing a required argument: 'a'",
    ),
    "a level that does not exist": (
        _WRONG_PASS.format("ir_level = 'grahp'\n    " + _RUN),
        "the pass 'P' has the ir_level 'grahp'; required: one of onnx, aten, stablehlo, gguf, graph, tensor",
    ),
    "a rounding that is none": (
        _WRONG_PASS.format("rounding = 4\n    " + _RUN),
        "the pass 'P' has the rounding 4; required: a Rounding of mlc.support.rounding, or None",
    ),
    "a pattern that takes no context": (
        _WRONG_PATTERN.format("def match_and_rewrite(self, op, rewriter): pass"),
        "bad.py:16: error: the pattern 'P' takes (); required: the context, as by __init__(self, ctx)",
    ),
    "a pattern that takes no rewriter": (
        _WRONG_PATTERN.format("def match_and_rewrite(self, op): pass"),
        "bad.py:18: error: 'P.match_and_rewrite' takes (self, op); required: match_and_rewrite(self, op, rewriter)",
    ),
    "a pattern that does nothing": (
        _WRONG_PATTERN.format("def __init__(self, ctx): pass"),
        "bad.py:16: error: the pattern 'P' has no `match_and_rewrite`",
    ),
    "a meaning of other operands": (
        _WRONG_MEANING.format("def f(op): return op"),
        "bad.py:16: error: 'f' takes (op); required: an op 'bad.a' and 1 operand",
    ),
    "a meaning without a frame": (
        _WRONG_MEANING.replace("evaluates", "executes").format("def f(op): return op"),
        "bad.py:16: error: 'f' takes (op); required: an op 'bad.a' and the frame",
    ),
    "a method of an op": (
        _OP + '    def print(self, printer, more): pass\nBad = Dialect("bad", [AOp])',
        "bad.py:14: error: 'AOp.print' takes (self, printer, more); required: print(self, printer)",
    ),
    "syntax error": ("x = (\n", "bad.py:1:5: error: plugin 'bad.py' is not Python: '(' was never closed"),
    "raises": (
        "def f():\n    return 1 / 0\n\nf()\n",
        "bad.py:2: error: plugin 'bad.py' fails: ZeroDivisionError: division by zero",
    ),
    "raises elsewhere": (
        "import json\n\njson.loads('')\n",
        "bad.py:3: error: plugin 'bad.py' fails: JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
    ),
    "missing module": (
        "import no_such_module\n",
        "bad.py:1: error: plugin 'bad.py' fails: ModuleNotFoundError: No module named 'no_such_module'",
    ),
    "exits": ("raise SystemExit(3)\n", "bad.py:1: error: plugin 'bad.py' fails: SystemExit: 3"),
    "no dialect": (
        "x = 1\n",
        "plugin 'bad.py' exports no Dialect; define one: `My = Dialect(\"my\", [MyOp], [])`",
    ),
    "only an imported dialect": ("from mlc.dialects.graph import Graph\n", "plugin 'bad.py' exports no Dialect"),
    "only a pass": (
        "from dataclasses import dataclass\n" + _OP + _PASS.format("Lone", "lone"),
        "plugin 'bad.py' exports no Dialect; load it by --load-pass, in Python by mlc.load_pass",
    ),
    "name of mlc's": (
        _OP + 'Bad = Dialect("graph", [])',
        "two dialects are named 'graph': one of mlc, one of 'bad.py'; rename one",
    ),
    "two of one name": (
        _OP + 'Bad = Dialect("bad", [AOp])\nWorse = Dialect("bad", [])',
        "two dialects are named 'bad': one of 'bad.py', one of 'bad.py'; rename one",
    ),
    "op twice": (
        _OP + '@irdl_op_definition\nclass BOp(IRDLOperation):\n    name = "bad.a"\nBad = Dialect("bad", [AOp, BOp])',
        "dialect 'bad' of 'bad.py': op 'bad.a' is defined 2 times (by AOp and BOp); rename or drop one",
    ),
    "foreign op": (
        _OP + 'Bad = Dialect("worse", [AOp])',
        "dialect 'worse' of 'bad.py': op 'bad.a' is not in the dialect's namespace; its name has to start with",
    ),
    "pass name of mlc's": (
        "from dataclasses import dataclass\n" + _OP + 'Bad = Dialect("bad", [AOp])' + _PASS.format("Cse", "cse"),
        "two passes are named 'cse': one of mlc, one of 'bad.py'; rename one",
    ),
    "pass name twice": (
        "from dataclasses import dataclass\n"
        + _OP
        + 'Bad = Dialect("bad", [AOp])'
        + _PASS.format("One", "one")
        + _PASS.format("Two", "one"),
        "two passes are named 'one': one of 'bad.py', one of 'bad.py'; rename one",
    ),
    "pass named like an option": (
        "from dataclasses import dataclass\n" + _OP + 'Bad = Dialect("bad", [AOp])' + _PASS.format("T", "timing"),
        "pass 'timing' of 'bad.py' has the name of an option of mlc-opt; rename it",
    ),
    "two patterns": (
        _OP
        + '@lowers("convert-graph-to-tensor", AOp)\nclass P(RewritePattern): pass\n'
        + '@lowers("convert-graph-to-tensor", AOp)\nclass Q(RewritePattern): pass\n',
        "bad.py:16: error: plugin 'bad.py' fails: ValueError: two patterns lower 'bad.a' in 'convert-graph-to-tensor': "
        "P and Q; the one that replaces the other has to say so: @lowers(…, benefit=2)",
    ),
    "a pattern that mlc has": (
        _OP
        + "from mlc.dialects.graph import ReluOp\n"
        + '@lowers("convert-graph-to-tensor", ReluOp)\nclass P(RewritePattern): pass\n',
        "bad.py:15: error: plugin 'bad.py' fails: ValueError: two patterns lower 'graph.relu' in "
        "'convert-graph-to-tensor': ElementwiseToMap and P; the one that replaces the other has to say so: "
        "@lowers(…, benefit=2)",
    ),
    "a lowering that does not exist": (
        _OP + '@lowers("convert-graph-to-tensors", AOp)\nclass P(RewritePattern): pass\nBad = Dialect("bad", [AOp])',
        "plugin 'bad.py' has patterns for 'convert-graph-to-tensors', which is not a pass; did you mean "
        "'convert-graph-to-tensor'?",
    ),
    "two meanings": (
        _OP + "from mlc.dialects.graph import ReluOp\n@evaluates(ReluOp)\ndef f(op, x): return x\n",
        "bad.py:15: error: plugin 'bad.py' fails: ValueError: 'graph.relu' has two reference semantics",
    ),
    "unparsable format": (
        _FORMAT % "$a attr-dict",
        "bad.py:15: error: plugin 'bad.py' fails: the definition of op 'bad.formatted': the format does not "
        "say operand 'c'; write $c in it",
    ),
    "a format with an unknown name": (
        _FORMAT % "$a $b $c attr-dict",
        "the definition of op 'bad.formatted': expected variable to refer to an operand, attribute, region, or "
        "successor, got '$b'",
    ),
    "a type that does not follow": (
        _FORMAT.replace("c = var_operand_def(F)", "r = result_def(AnyFloat)") % "$a attr-dict `:` type($a)",
        "the definition of op 'bad.formatted': the format does not say the type of result 'r', and no type that "
        "it says determines it; write type($r) in it, or let one VarConstraint stand for both types",
    ),
    "a type that does not follow from a constraint": (
        _FORMAT.replace(
            "a = opt_operand_def(F)\n    c = var_operand_def(F)", "a = operand_def(F)\n    c = operand_def(AnyFloat)"
        )
        % "$a $c attr-dict `:` type($a)",
        "the definition of op 'bad.formatted': the format does not say the type of operand 'c', and no type",
    ),
    "patterns that nobody asks for": (
        _OP.replace("class AOp", "class BOp").replace("bad.a", "bad.b")
        + "    @classmethod\n    def get_canonicalization_patterns(cls): return ()\n"
        + 'Bad = Dialect("bad", [BOp])',
        "dialect 'bad' of 'bad.py': op 'bad.b' has get_canonicalization_patterns, which no pass calls: BOp has to "
        "derive from HasCanonicalizationPatternsInterface of xdsl.interfaces",
    ),
    "a folder that nobody asks for": (
        _OP + '    def fold(self): return ()\nBad = Dialect("bad", [AOp])',
        "op 'bad.a' has fold, which no pass calls: AOp has to derive from HasFolderInterface of xdsl.interfaces",
    ),
    "patterns that are promised": (
        "from xdsl.interfaces import HasCanonicalizationPatternsInterface as Patterns\n"
        + _OP.replace("AOp(", "AOp(Patterns, ")
        + 'Bad = Dialect("bad", [AOp])',
        "bad.py:12: error: dialect 'bad' of 'bad.py': op 'bad.a': AOp has to define get_canonicalization_patterns, "
        "which HasCanonicalizationPatternsInterface promises",
    ),
    "an attribute without its text": (
        _OP
        + "from xdsl.ir import Data\n@irdl_attr_definition\nclass Kept(Data[int]):\n    name = 'bad.kept'\n"
        + "    @classmethod\n    def parse_parameter(cls, parser): return 1\n"
        + 'Bad = Dialect("bad", [AOp], [Kept])',
        "bad.py:15: error: dialect 'bad' of 'bad.py': attribute 'bad.kept': Kept has to define print_parameter, "
        "which Data promises",
    ),
    "an enum that cannot be read": (
        _OP + _ENUM.format("EnumAttribute[Mode]"),
        "dialect 'bad' of 'bad.py': attribute 'bad.mode' (ModeAttr) is printed as #bad.modefast, which cannot be read; "
        "derive it from SpacedOpaqueSyntaxAttribute of xdsl.ir, too",
    ),
    "ambiguous format": (
        _FORMAT % "(`with` $a^)? (`with` $c^)? attr-dict",
        "dialect 'bad' of 'bad.py': the assembly format of op 'bad.formatted' is ambiguous: "
        "in the text 'bad.formatted … with …', the 'with' may begin",
    ),
    "ambiguous parts": (
        _FORMAT % "($a^)? ($c^)? attr-dict",
        "dialect 'bad' of 'bad.py': the assembly format of op 'bad.formatted' is ambiguous: "
        "in the text 'bad.formatted … %x …', the operand may begin the optional group that starts with it, or the "
        "next optional group; put another literal before one of them",
    ),
}


@pytest.mark.parametrize(("source", "message"), CASES.values(), ids=list(CASES))
def test_wrong_plugins(
    source: str, message: str, mlc_opt: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.py").write_text(source)
    result = mlc_opt("--load-dialect", "bad.py", "--list-passes")
    assert message in result.err
    assert (result.status, result.out) == (1, "")
    assert len([line for line in result.err.splitlines() if "error:" in line]) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--load-dialect", "no.py"], "mlc-opt: error: plugin 'no.py' not found"),
        (["--load-dialect=no.py"], "mlc-opt: error: plugin 'no.py' not found"),
        (["--load-dialect", "."], "mlc-opt: error: plugin '.' is a directory, not a Python file"),
        (["--load-dialect"], "mlc-opt: error: argument --load-dialect: expected one argument"),
        (["--load-pass", "no.py"], "mlc-opt: error: plugin 'no.py' not found"),
        (["--irdl-file", "no.irdl"], "mlc-opt: error: IRDL file 'no.irdl' not found"),
    ],
)
def test_files_that_are_not_there(
    arguments: list[str], message: str, mlc_opt: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = mlc_opt(*arguments)
    assert result.err.startswith(message)
    assert (result.status, result.out) == (1, "")


def test_pass_file_without_pass(mlc_opt: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("from mlc.pass_manager.base import Pass\n")
    result = mlc_opt("--load-pass", str(tmp_path / "bad.py"))
    bases = "mlc.pass_manager.base.Pass", "mlc.schedules.steps.base.LoopStep"
    required = f"derive from {', '.join(bases)} or mlc.schedules.schedule_template.ScheduleTemplate"
    kinds = (
        "no Pass, no NamedPipeline, no step of schedules, no schedule template, no frontend, no architecture, "
        "no backend and no pattern"
    )
    assert f"exports {kinds}; {required}" in result.err


def test_two_files_with_one_dialect(mlc_opt: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "b.py"):
        Path(name).write_text(f'{_OP}\nX = Dialect("bad", [AOp])  # {name}')
    result = mlc_opt("--load-dialect", "a.py", "--load-dialect", "b.py")
    assert result.err == "mlc-opt: error: two dialects are named 'bad': one of 'a.py', one of 'b.py'; rename one\n"


_IRDL = "irdl.dialect @d {{\nirdl.operation @o {{\n{}\nirdl.operands(a: {})\n}}\n}}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("irdl.dialect {", "d.irdl:1:"),
        ("func.func private @f()", "d.irdl:1: error: the file defines no dialect: no 'irdl.dialect' in it"),
        (
            _IRDL.format('%0 = irdl.base "!builtin.int"', "%0"),
            "d.irdl:3:6: error: unknown name '!builtin.int'; required: !dialect.type, #dialect.attribute, or !bui",
        ),
        (
            _IRDL.format("%0 = irdl.parametric @t<>", "%0"),
            "d.irdl:3:6: error: @t is not defined; required: an irdl.type or irdl.attribute of this file, as @dia",
        ),
        (
            _IRDL.format("%0 = irdl.base @d::@u", "%0"),
            "d.irdl:3:6: error: @d::@u is not defined; required: an irdl.type or irdl.attribute of this file,",
        ),
        (
            _IRDL.format('%0 = irdl.c_pred "true"', "%0"),
            "d.irdl:3:6: error: 'irdl.c_pred' is a predicate in C++, which mlc cannot run; required: other constraints",
        ),
        (
            _IRDL.format("%0 = irdl.any", "%0, %0"),
            "d.irdl:4:14: error: either all entries have names or none has",
        ),
        (
            _IRDL.format("%0 = irdl.any", "many %0"),
            "expected a name with a colon or a value such as %0, got 'many'",
        ),
        (
            "irdl.dialect @graph {\n  irdl.type @t\n}",
            "two dialects are named 'graph': one of mlc, one of 'd.irdl'; rename one",
        ),
    ],
)
def test_wrong_irdl_files(
    text: str, message: str, mlc_opt: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("d.irdl").write_text(text)
    result = mlc_opt("--irdl-file=d.irdl")
    assert message in result.err
    assert result.status == 1


_RUNS = (
    "from dataclasses import dataclass\n"
    + _OP
    + """
@irdl_op_definition
class NegOp(IRDLOperation):
    name = "bad.neg"
    a = operand_def()
    r = result_def()
    assembly_format = "$a attr-dict `:` type($a) `->` type($r)"

@lowers("convert-graph-to-tensor", NegOp)
class Lower(RewritePattern):
    def __init__(self, ctx): pass
    def match_and_rewrite(self, op, rewriter):
        raise IndexError("no such operand")

@evaluates(NegOp)
def f(op, x):
    return x.nothing

Bad = Dialect("bad", [AOp, NegOp])
"""
)
_TEXT = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = bad.neg %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def test_what_can_be_called_is_no_mistake(
    mlc_opt: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other names, more parameters that have defaults, bases that are not passes, static and class methods."""
    monkeypatch.chdir(tmp_path)
    fine = """
class Base(Pass):
    def helper(self): pass

@dataclass(frozen=True)
class Q(Base):
    name = "own-2"
    x: int | None = None
    sizes: tuple[int, ...] = ()
    @staticmethod
    def run(module, *rest, more=1): pass
    def rounding_in(self, *anything): return None

class Pattern(RewritePattern):
    def __init__(self, *all): pass
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AOp, rewriter): pass
lowers("convert-graph-to-tensor", AOp)(Pattern)
evaluates(AOp)(lambda op, *operands: ())
"""
    Path("bad.py").write_text(
        _WRONG_PASS.replace("import Rewrite", "import op_type_rewrite_pattern, Rewrite").format(
            "def run(self, op, context, more=1): pass"
        )
        + fine
    )
    result = mlc_opt("--load-dialect=bad.py", "--own", "--own-2=x=3", stdin="")
    assert (result.status, result.err) == (0, "")


def test_a_meaning_that_gives_no_array(mlc_opt: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    unused = _TEXT.replace("  return", "  %1 = graph.neg %x : tensor<4xf32>\n  return")  # what a pass changes is run
    for returned, found in (("None", "NoneType"), ("(x, x)", "2 arrays")):
        Path("bad.py").write_text(_RUNS.replace("x.nothing", returned))
        result = mlc_opt("--load-dialect=bad.py", "--canonicalize", "--check-each", stdin=unused)
        required = "an array for each of the 1 results of 'bad.neg'"
        assert result.err == f"bad.py:29: error: 'f' returns {found}; required: {required}\n"


def test_failures_at_work_name_the_line_of_the_plugin(
    mlc_opt: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.py").write_text(_RUNS)
    result = mlc_opt("--load-dialect=bad.py", "--lower-to-tensor", stdin=_TEXT)
    where = "bad.py:27: error: pass 'convert-graph-to-tensor' failed in the pattern Lower at <stdin>:2:8"
    assert f"{where} with IndexError: no such operand" in result.err
    assert "note: reproducer: " in result.err
    assert result.status == 1
    unused = _TEXT.replace("  return", "  %1 = graph.neg %x : tensor<4xf32>\n  return")
    result = mlc_opt("--load-dialect=bad.py", "--canonicalize", "--check-each", stdin=unused)
    assert result.err == "bad.py:31: error: AttributeError: 'numpy.ndarray' object has no attribute 'nothing'\n"
    assert result.status == 1


def test_an_enum_that_can_be_read(mlc_opt: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.py").write_text(_OP + _ENUM.format("EnumAttribute[Mode], SpacedOpaqueSyntaxAttribute"))
    result = mlc_opt(
        "--load-dialect=good.py", "--allow-unregistered-dialect", stdin='"a.b"() {m = #bad<mode fast>} : () -> ()'
    )
    assert "#bad<mode fast>" in result.out


_PARSER = (
    _OP.replace("bad.a", "bad.parsed").replace("class AOp", "class ParsedOp")
    + """
    @classmethod
    def parse(cls, parser):
        {}
    def print(self, printer): pass
Bad = Dialect("bad", [ParsedOp])
"""
)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise ValueError('no')", "bad.py:17: error: ValueError: no\n"),
        ("int('x')", "bad.py:17: error: ValueError: invalid literal for int() with base 10: 'x'\n"),
        ("{}['x']", "bad.py:17: error: KeyError: 'x'\n"),
        ("raise OSError('no')", "bad.py:17: error: OSError: no\n"),
        ("__import__('fractions').Fraction('x')", "bad.py:17: error: ValueError: Invalid literal for Fraction: 'x'\n"),
        ("return cls.build(operands=[[]])", "bad.py:17: error: ValueError: Expected 0 operand, but got 1\n"),
        ("raise SystemExit(3)", "bad.py:17: error: SystemExit: 3; raise an exception instead\n"),
        ("pass", "bad.py:15: error: 'bad.parsed': ParsedOp.parse gave None; it has to return a ParsedOp\n"),
        ("parser.raise_error('wrong text')", "<stdin>:1:11: error: wrong text\n"),
        ("raise VerifyException('wrong text')", "<stdin>:1:11: error: 'bad.parsed': wrong text\n"),
        ("parser.parse_integer()", "<stdin>:1:11: error: Expected integer literal"),
    ],
)
def test_what_a_parser_raises_is_the_plugins_fault_or_the_texts(
    body: str, message: str, mlc_opt: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.py").write_text("from xdsl.utils.exceptions import VerifyException" + _PARSER.replace("{}", body, 1))
    result = mlc_opt("--load-dialect=bad.py", stdin="bad.parsed")
    assert result.err.startswith(message), result.err
    assert (result.status, result.out) == (1, "")


_TWICE = """
from xdsl.dialects.builtin import i32
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition
from mlc.dialects.graph.unary import FloatUnaryOp
from mlc.passes.graph_to_tensor import Elementwise
from mlc.pass_manager.lowering import lowers
from mlc.reference.execution import evaluates, executes

@irdl_op_definition
class TwiceOp(FloatUnaryOp):
    name = "bad.twice"
    assembly_format = "$input attr-dict `:` type($result)"

@evaluates(TwiceOp)
def twice(op, x):
    return 2 * x

@lowers("convert-graph-to-tensor", TwiceOp)
class TwiceToMap(Elementwise):
    def build(self, op, b):
        return self.map(op, b, lambda p, x: {})

Bad = Dialect("bad", [TwiceOp])
"""

_TWICE_TEXT = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = bad.twice %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


@pytest.mark.parametrize(
    ("point", "flag", "message"),
    [
        ("p.mul(x, x)", "--check-each", "after 'convert-graph-to-tensor', 'main' computes something else: "),
        ("p.number(1, i32)", "--verify-each", "the IR does not verify after pass 'convert-graph-to-tensor': "),
        ("p.number(1, i32)", "--cse", "the IR does not verify after the pass pipeline"),
    ],
)
def test_a_wrong_lowering_is_the_plugins(
    point: str, flag: str, message: str, mlc_opt: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.py").write_text(_TWICE.format(point))
    result = mlc_opt(
        "--load-dialect=bad.py",
        "--lower-to-tensor",
        flag,
        stdin=_TWICE_TEXT,
    )
    assert result.err.startswith(f"bad.py:19: error: {message}"), result.err
    assert "note: 'bad.twice' was lowered by TwiceToMap, and means what it is registered to mean" in result.err
    assert "note: reproducer: " in result.err
    assert "bug in mlc" not in result.err
    assert result.status == 1


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (GrammarError("Reduce/Reduce collision in 'X'"), "of op 'bad.formatted' is ambiguous: Reduce/Reduce collision"),
        (KeyError("directive"), "of op 'bad.formatted' cannot be made a grammar (KeyError: 'directive'); write it"),
    ],
)
def test_not_every_failure_is_an_ambiguity(
    failure: Exception, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(dialects: object) -> None:
        raise failure

    monkeypatch.setattr("mlc.syntax.grammar.tables_for", fail)
    (tmp_path / "bad.py").write_text(_FORMAT % "$a attr-dict `,` $c")
    with pytest.raises(UserError) as caught, plugin_scope():
        load_dialect(tmp_path / "bad.py")
    assert words in str(caught.value)


_KIND = """
from mlc.schedules.schedule_template import ScheduleTemplate

class Kind(ScheduleTemplate):
"""


_DOUBLE = """
func.func private @double(%x: tensor<8x40xf32>) -> tensor<8x40xf32> {
  %0 = tensor.map %x[m, n] over (m: 8, n: 40) : tensor<8x40xf32> -> tensor<8x40xf32> {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    tensor.yield %b : f32
  }
  return %0 : tensor<8x40xf32>
}
"""


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("    def candidates(self, kernel): yield from ()", "has no `name`; required: small letters, digits and _"),
        (
            "    name = 'My kind'\n    def candidates(self, kernel): yield from ()",
            "has the name 'My kind'; required: small",
        ),
        ("    name = 'mine'", "has no `candidates(self, kernel)`, which gives its schedules, the default first"),
    ],
)
def test_kinds_of_kernels_that_are_none(body: str, message: str, mlc_opt: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "kind.py").write_text(_KIND + body)
    result = mlc_opt("--load-pass", str(tmp_path / "kind.py"))
    assert result.status == 1
    assert f"kind.py:4: error: the schedule template 'Kind' {message}" in result.err


def test_what_a_kind_of_kernel_does_wrong_is_told_at_its_class(mlc_opt: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "kind.py").write_text(
        f"{_KIND}    name = 'mine'\n    def candidates(self, kernel): return [('tile', 4)]"
    )
    (tmp_path / "model.mlir").write_text(_DOUBLE)
    result = mlc_opt("--load-pass", str(tmp_path / "kind.py"), str(tmp_path / "model.mlir"), "--schedule")
    assert result.status == 1
    message = (
        "the schedule template 'mine' proposes ('tile', 4); required: each a Candidate((step, step), 'its difference')"
    )
    assert f"kind.py:4: error: {message}" in result.err


def test_a_kind_of_kernel_has_a_name_of_its_own(mlc_opt: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "kind.py").write_text(f"{_KIND}    name = 'row'\n    def candidates(self, kernel): yield from ()")
    result = mlc_opt("--load-pass", str(tmp_path / "kind.py"))
    assert (
        f"two schedule templates are named 'row': one of mlc, one of '{tmp_path / 'kind.py'}'; rename one" in result.err
    )


_CLASSES = (
    _OP
    + """
    traits = traits_def()
    def verify_(self): {op}

@irdl_attr_definition
class TypeOf(ParametrizedAttribute, TypeAttribute):
    name = "bad.type"
    size: StringAttr
    {type}

Bad = Dialect("bad", [AOp], [TypeOf])
"""
).replace("import Dialect, Operation", "import *")
_WITH_TYPE = '"bad.a"() {t = !bad.type<"x">} : () -> ()'
_ABOUT = "{}\n<stdin>:1:{}: note: the text in question\n"


@pytest.mark.parametrize(
    ("definitions", "message"),
    [
        ({}, '"bad.a"() {t = !bad.type<"x">} : () -> ()'),
        (
            {"op": "__import__('fractions').Fraction('x')"},
            _ABOUT.format("bad.py:16: error: ValueError: Invalid literal for Fraction: 'x'", 1),
        ),
        ({"op": "assert not self.name"}, _ABOUT.format("bad.py:16: error: AssertionError: ", 1)),
        (
            {"type": "def verify(self): __import__('fractions').Fraction('x')"},
            _ABOUT.format("bad.py:22: error: ValueError: Invalid literal for Fraction: 'x'", 16),
        ),
        (
            {"type": "def verify(): pass"},
            "bad.py:22: error: 'TypeOf.verify' takes (); required: verify(self)\n",
        ),
        (
            {"type": "parse_parameters = classmethod(lambda cls, parser: None)"},
            _ABOUT.format("bad.py:18: error: 'bad.type': TypeError: 'NoneType' object is not iterable", 16),
        ),
        ({"type": "def verify(self): raise VerifyException('no')"}, "<stdin>:1:16: error: no\n"),
    ],
)
def test_what_classes_raise_is_the_plugins_fault_or_the_texts(
    definitions: dict[str, str], message: str, mlc_opt: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = "from xdsl.utils.exceptions import VerifyException" + _CLASSES
    for part in ("op", "type"):
        source = source.replace(f"{{{part}}}", definitions.get(part, "pass"))
    Path("bad.py").write_text(source)
    result = mlc_opt("--load-dialect=bad.py", stdin=_WITH_TYPE)
    assert message in result.out + result.err
    assert result.status == (1 if definitions else 0)


def test_parameters_that_are_too_many_are_the_texts_fault(
    mlc_opt: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.py").write_text(_CLASSES.replace("{op}", "pass").replace("{type}", "pass"))
    result = mlc_opt("--load-dialect=bad.py", stdin='"bad.a"() {t = !bad.type<"x", "y">} : () -> ()')
    assert result.err.startswith("<stdin>:1:16: error: 'bad.type' has 1 parameter (size), got 2\n")
