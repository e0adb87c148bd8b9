"""Find the first pass, and in it the op, after which a model computes something else: than before, on random inputs, or
than what --against names computes: a file of results, ONNX Runtime, PyTorch, or code of mlc of another level. Each form
of the model is run by the meaning of its ops, and native code at the end. The status is 1 if something differs.

  mlc bisect model.mlir
  mlc bisect model.onnx --against onnxruntime
  mlc bisect model.mlir --against results.npz        inputs and results, by their names in the model
  mlc bisect model.mlir --load-pass mine.py --pass-pipeline mine
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlc.frontends.onnx.to_graph.bind_inputs import bind
from mlc.pass_manager.base import Pass
from mlc.pass_manager.instrumentation import CheckEach, Instrumentation
from mlc.pass_manager.late_checking import LateChecker
from mlc.pass_manager.options import parse_passes
from mlc.pass_manager.registry import plugin_passes
from mlc.pass_manager.wrong_value import GivenCase, WrongValue, wrong_value_in
from mlc.support.errors import CompilerBug, UserError
from mlc.support.locations import location_of
from mlc.syntax.words import counted
from mlc.tools.applied_patterns import applied_patterns
from mlc.tools.compile_arguments import (
    CompileArguments,
    TimedCompilation,
    add_compile_arguments,
    read_model,
    start_compilation,
)
from mlc.tools.driver import ArgumentParser, Namespace, print_remarks
from mlc.tools.onnx_nodes import first_wrong_node
from mlc.tools.other_results import ENGINES, ComparedModel, given_cases
from mlc.tools.parting import Parting, parting_of
from mlc.tools.reduce_error import absent_passes
from mlc.tools.reduce_reproducer import reduce_command

if TYPE_CHECKING:
    from mlc.support.context import CompilerContext

_WIDTH = 100
"""So many characters of an op are shown; dots stand for the rest."""


@dataclass(kw_only=True)
class Arguments(CompileArguments):
    """The parsed command line."""

    model: str
    against: str | None
    inputs: str | None
    pass_pipeline: str | None


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    add = parser.add_argument
    add("model", help="the model: text, or a file of ONNX or PyTorch; '-' is text on standard input")
    words = f"who computes what is right: a file (.npz, safetensors), or one of {', '.join(ENGINES)}"
    add("--against", metavar="WHO", help=words)
    add("--inputs", metavar="FILE", help="the inputs of one call, by name (random ones, or those of --against FILE)")
    add("--pass-pipeline", metavar="PASSES", help="run these passes, and not those of the -O level")
    add_compile_arguments(parser)


def run(arguments: Namespace) -> int:
    """Lower step by step, and report where values part."""
    args = Arguments(**vars(arguments))
    args.check_each = True
    args.bindings.require_single("what is compared")
    args.bindings.require_fixed("what is compared")

    def given(module: ModuleOp, ctx: CompilerContext) -> list[GivenCase]:
        bind(bound := module.clone(), args.bindings, ctx)
        return given_cases(ComparedModel(args.model, bound, ctx), args.inputs, args.against, args.seed)

    timed = start_compilation(read_model(args.model, args), args, given, LateChecker)
    timed.observers.append(ran := _RanPasses())
    try:
        _lower(timed, args.pass_pipeline)
    except (UserError, CompilerBug) as e:
        if (wrong := wrong_value_in(e)) is None:
            raise
        patterns = _patterns(wrong, ran.passes, timed.compilation.ctx)
        lines = [*_report(wrong, timed.compilation.module, patterns), *_node(wrong, args)]
        print("\n".join(lines))
        return 1
    print_remarks(timed.compilation.ctx, remarks=False)
    timed.report()
    for line in absent_passes(ran.passes) if args.pass_pipeline is None else ():
        print(f"note: of the passes that ran, {line}", file=sys.stderr)
    if not any(isinstance(each, CheckEach) and each.checker.compared for each in timed.observers):
        names = ",".join(each.name for each in ran.passes)
        raise UserError(
            "no value was compared, as no function can be run before and after a pass; required: passes that begin "
            f"with those that read the model, such as --pass-pipeline lower-to-graph,{names}"
        )
    print(f"no value differs: {counted(len(ran.passes), 'pass')}")
    return 0


@dataclass
class _RanPasses(Instrumentation):
    """Which passes have run, or have begun."""

    passes: list[Pass] = field(default_factory=list[Pass])

    def before(self, pass_: Pass, module: ModuleOp) -> None:
        self.passes.append(pass_)


def _lower(timed: TimedCompilation, passes: str | None) -> None:
    if passes is None:
        timed.compilation.lower_fully()
    else:
        timed.compilation.manager.run(timed.compilation.module, parse_passes(passes))
    timed.compilation.finish()


def _patterns(wrong: WrongValue, passes: Sequence[Pass], ctx: CompilerContext) -> Mapping[Operation, list[str]]:
    """The patterns that the wrong pass applied, by the op of the form before."""
    if wrong.forms is None:
        return {}
    before, after = wrong.forms
    return applied_patterns(passes[after.number - 1], before, ctx)


def _report(wrong: WrongValue, module: ModuleOp, patterns: Mapping[Operation, list[str]]) -> Sequence[str]:
    """A line for each thing that is known of the first wrong value."""
    found = wrong.difference
    parting = Parting(None, None)
    if wrong.forms is not None:
        parting = parting_of(wrong.forms, found.function, found.inputs, patterns)
    than = f"what {wrong.source} computes" if wrong.source else "before"
    lines = [
        f"first wrong value: {_stage(wrong)}",
        f"  function  '{found.function}'{found.draw}",
        f"  element   {list(found.index)} of result {found.result}: {found.after}, {than}: {found.before}",
        f"  in all    {found.count} of {found.size} elements differ",
    ]
    for name, op in (("op before", parting.before), ("op after", parting.after)):
        if op is not None:
            lines.append(f"  {name:<9} {_place(op)}{_words(op)}")
    if parting.before is not None and parting.before in patterns:
        lines.append(f"  pattern   {' and '.join(patterns[parting.before])}, applied to the op before")
    if parting.number is not None:
        place, before, after = parting.number
        lines.append(f"  its value {after}, before: {before}, as number {place} of what it computes, in order")
    if parting.before is None and parting.after is None:
        lines += _function_place(module, found.function)
    return [*lines, *_reproducer(wrong)]


def _reproducer(wrong: WrongValue) -> Iterator[str]:
    """Where the reproducer is, and the command that makes it small: not of one that has no inputs that are wrong."""
    if wrong.reproducer is None:
        return
    (line,) = wrong.reproducer_lines
    if wrong.difference.draw.kind == "given":
        yield f"  {line}, which runs on random inputs, and so may not show this"
    else:
        yield f"  {line}"
        yield f"  reduce it:  {reduce_command(wrong.reproducer)}"


def _node(wrong: WrongValue, args: Arguments) -> Sequence[str]:
    """The first node that computes something else than in ONNX Runtime, if that was asked and can tell."""
    if args.against != "onnxruntime" or wrong.made is None:
        return ()
    found = first_wrong_node(args.model, wrong.made, wrong.difference.function, wrong.difference.inputs)
    if found is None:
        return ()
    return (
        f"  node      {location_of(found.op)}: {_words(found.op)}",
        f"  its value '{found.value}' {list(found.index)}: {found.found}, what ONNX Runtime computes: {found.required}",
    )


def _stage(wrong: WrongValue) -> str:
    """Which pass it was: several may have one name."""
    if wrong.form is None or not wrong.form.number:
        return f"in {wrong.stage}"
    plugin = plugin_passes.get(wrong.stage)
    return f"after pass '{wrong.stage}', number {wrong.form.number} of those that ran" + (
        f" (of {plugin.origin})" if plugin else ""
    )


def _function_place(module: ModuleOp, name: str) -> Sequence[str]:
    """Where the function stands, if no op of it can be told."""
    function = next((op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == name), None)
    if function is None or location_of(function) is None:
        return ()
    return (f"  place     {location_of(function)}",)


def _place(op: Operation) -> str:
    """Where an op stands; nothing if it does not say so."""
    return "" if isinstance(op.location, UnknownLoc) else f"{location_of(op)}: "


def _words(op: Operation) -> str:
    text = " ".join(str(op).partition("\n")[0].split())
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"
