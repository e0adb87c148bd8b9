"""`mlc-opt`: run passes over IR text. The developer's and the tests' view of the compiler."""

from __future__ import annotations

import dataclasses
import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from mlc.frontends.registry import open_model
from mlc.pass_manager.pipeline import PIPELINE, default_steps
from mlc.pass_manager.pipeline_options import HIGHEST, PipelineOptions
from mlc.plugins.arguments import plugin_arguments_of
from mlc.support.bindings import Bindings
from mlc.support.errors import CompilerBug, UserError
from mlc.support.version import __version__
from mlc.tools.driver import check_not_input, open_output, print_remarks, read_text, report, run_tool
from mlc.tools.opt_arguments import OptArguments, parse_arguments
from mlc.tools.option_arguments import flag_of

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlc.pass_manager.base import Pass
    from mlc.pass_manager.instrumentation import Instrumentation
    from mlc.pass_manager.level_notes import LevelNotes
    from mlc.support.context import CompilerContext
    from mlc.support.model_source import ModelSource

_SEPARATOR = "// -----"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tool and return its exit status: 0, 1 after a user error, 70 after a bug in mlc."""
    return run_tool("mlc-opt", lambda: _run(sys.argv[1:] if argv is None else argv))


def _run(argv: Sequence[str]) -> int:
    if "--xdsl" in argv:
        from mlc.tools import xdsl_opt

        return xdsl_opt.run([word for word in argv if word != "--xdsl"])
    arguments = parse_arguments(argv)
    if arguments.version:
        print(f"mlc-opt {__version__}")
        return 0
    if arguments.list_passes:
        from mlc.tools.list_passes import list_passes

        list_passes(sys.stdout)
        return 0
    if arguments.print_grammar is not None:
        from mlc.tools.print_grammar import print_grammar

        print_grammar(arguments.print_grammar, sys.stdout)
        return 0
    if arguments.print_pipeline:
        from mlc.compiler.backends import stages_of
        from mlc.compiler.emit_text import last_level
        from mlc.tools.print_pipeline import print_pipeline

        passes, _ = _passes(arguments)
        stages = stages_of(arguments.options.target)
        upto = last_level(arguments.text_form)
        print_pipeline(arguments.pipeline, passes, arguments.options_of, upto, stages, sys.stdout)
        return 0
    source = open_model(arguments.input)
    if source is not None:  # which holds the weights that the text only names
        check_not_input(arguments.output, [arguments.input])
    text, file = read_text(arguments.input) if source is None else ("", source.file)
    if arguments.run_reproducer:
        arguments = _reproducer_arguments(text, arguments)
    if arguments.options.target != "native":
        from mlc.targets.machine import resolve_target

        resolve_target(arguments.options.target)
    passes, notes = _passes(arguments)
    chunks = list(_split(text)) if arguments.split_input_file else [text]
    output, status = io.StringIO(), 0
    for index, chunk in enumerate(chunks):
        if index:
            output.write(f"{_SEPARATOR}\n")
        status = max(status, _process(chunk, file, arguments, passes, notes, output))
    if status == 0 or arguments.output == "-":
        with open_output(arguments.output) as stream:
            stream.write(output.getvalue())
    return status


def _process(
    chunk: str, file: str, arguments: OptArguments, passes: Sequence[Pass], notes: LevelNotes, output: TextIO
) -> int:
    """Run one file, or one part of a split file; errors are reported here, so that other parts still run."""
    from mlc.compiler.compilation import new_context

    ctx = new_context(arguments.options.target, arguments.allow_unregistered_dialect)
    error: UserError | CompilerBug | None = None
    try:
        text = _transform(chunk, file, ctx, arguments, passes, notes)
        output.write(text)
    except (UserError, CompilerBug) as e:
        error = e
    if arguments.verify_diagnostics and not isinstance(error, CompilerBug):
        return _compare_diagnostics(chunk, file, ctx, arguments, error)
    print_remarks(ctx, remarks=arguments.remarks)
    return report("mlc-opt", error) if error else 0


def _transform(
    chunk: str,
    file: str,
    ctx: CompilerContext,
    arguments: OptArguments,
    passes: Sequence[Pass],
    notes: LevelNotes,
) -> str:
    """Parse, run the passes, and give the requested text."""

    from mlc.compiler.compilation import parse_verified
    from mlc.pass_manager.manager import PassManager
    from mlc.pass_manager.reproducer import failing_stage
    from mlc.tools.observers import observers

    base = Path.cwd() if arguments.input == "-" else Path(arguments.input).parent
    source = open_model(arguments.input)
    module = parse_verified(chunk, file, ctx, base) if source is None else source.module(ctx)
    if source is not None:
        ctx.resources.respell(Path.cwd())
    if arguments.reduce or arguments.reduce_while is not None:
        return _reduce(module, passes, ctx, arguments, notes)
    watching = observers(arguments, ctx, arguments.options.threads)
    text = (lambda: chunk) if source is None else (lambda: _text_again(source, ctx.target))
    manager = PassManager(ctx, [*watching, notes], arguments.verify_each, text)
    manager.run(module, passes)
    manager.finish(module)
    if arguments.run_reproducer and (stage := failing_stage(chunk)) is not None:
        print(f"note: the error that this file is to reproduce, in {stage}, does not occur any more", file=sys.stderr)
    for observer in watching:
        observer.report()
    if (picture := arguments.picture) is not None:
        from mlc.tools.pictures.of_module import draw

        return draw(module, *picture)
    from mlc.compiler.emit_text import emit_text

    if arguments.output != "-":
        ctx.resources.respell(Path(arguments.output).parent)
    return emit_text(
        module,
        ctx,
        arguments.emit,
        generic=arguments.print_op_generic,
        debuginfo=arguments.print_debuginfo,
        opt_level=arguments.opt_level,
    )


def _text_again(source: ModelSource, target: str) -> str:
    from mlc.tools.compile_arguments import text_again

    return text_again(source, target, Bindings())  # passes bind inputs here


def _reduce(
    module: ModuleOp, passes: Sequence[Pass], ctx: CompilerContext, arguments: OptArguments, notes: LevelNotes
) -> str:
    """A reproducer with as little of `module` as shows what it shows."""
    from mlc.pass_manager.late_checking import LateChecker
    from mlc.tools.observers import observers
    from mlc.tools.reduce_error import ReducedRun, reduce_module
    from mlc.tools.reduce_predicates import KeptPredicate, parse_predicate

    keep = parse_predicate(arguments.reduce_while) if arguments.reduce_while is not None else None
    arguments.check_each |= isinstance(keep, KeptPredicate) and keep.checks_each

    def watching(own: CompilerContext) -> list[Instrumentation]:
        return observers(arguments, own, arguments.options.threads, checker=LateChecker)

    return reduce_module(module, ReducedRun(passes, ctx, watching, arguments.verify_each), keep, notes)


def _passes(arguments: OptArguments) -> tuple[list[Pass], LevelNotes]:
    """The passes to run, and what tells of those that are asked for at the wrong level."""
    from mlc.compiler.emit_text import last_level
    from mlc.pass_manager.level_notes import LevelNotes
    from mlc.pass_manager.options import parse_words

    upto = last_level(arguments.text_form)
    has_level = any(entry.startswith("-O") for entry in arguments.pipeline)
    if not has_level:
        _check_no_option_of_pipelines(arguments.options)
    if arguments.emit.startswith("mlir:") and not has_level:
        raise UserError(
            f"--emit={arguments.emit} says where the default pipeline stops: add one of -O0 to -O{HIGHEST}, "
            "or name the passes and leave the level out (--emit=mlir)"
        )
    arguments.options.check()
    result: list[tuple[Pass, bool]] = []
    named: list[Pass] = []
    for entry in arguments.pipeline:
        if entry.startswith("-O"):
            from mlc.compiler.backends import stages_of
            from mlc.pass_manager.default_passes import passes_of

            options = arguments.options_of(entry)
            for step in default_steps(options, upto, stages=stages_of(arguments.options.target)):
                is_required = step.since == 0 and not step.origin
                result += [(pass_, is_required) for pass_ in passes_of([step], options)]
        else:
            for word in parse_words(entry):
                named += [] if word.pipeline else word.passes
                result += [(pass_, False) for pass_ in word.passes]
    if arguments.shape or arguments.value:
        from mlc.frontends.onnx.to_graph.bind_inputs import BindInputsPass

        result.insert(0, (BindInputsPass(tuple(arguments.shape), tuple(arguments.value)), True))
    passes = [pass_ for pass_, _ in result]
    if arguments.pass_bisect_limit is not None:
        from mlc.tools.pass_limit import limited

        passes = limited(result, arguments.pass_bisect_limit, sys.stderr)
    # A reproducer lists all passes of a default pipeline, whatever the level that its module is at.
    return passes, LevelNotes([] if arguments.run_reproducer else named, sys.stderr)


def _check_no_option_of_pipelines(options: PipelineOptions) -> None:
    """Raises: UserError if an option is given that passes take from default pipelines alone."""
    for name, choice, value in options.chosen():
        if choice.of_pipelines_alone:
            takers = [stage.flag_with(name, value) for stage in PIPELINE if name in stage.options]
            raise UserError(
                f"{flag_of(name)} {value} is for the default pipeline: add one of -O0 to -O{HIGHEST}"
                + (f", or give it to a pass: {' or '.join(takers)}" if takers else "")
            )


def _split(text: str) -> Iterator[str]:
    """The parts between separator lines, each with empty lines in front so that line numbers stay those of the file."""
    lines: list[str] = []
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        if line.rstrip() == _SEPARATOR:
            yield "\n" * start + "".join(lines)
            lines, start = [], number
        else:
            lines.append(line)
    yield "\n" * start + "".join(lines)


def _reproducer_arguments(text: str, arguments: OptArguments) -> OptArguments:
    from mlc.pass_manager.reproducer import reproducer_arguments

    recorded = reproducer_arguments(text)
    if recorded is None:
        raise UserError(f"'{arguments.input}' is not a reproducer: its first line has to start with '// mlc-opt '")
    plugins = plugin_arguments_of(recorded)
    if (programs := [*plugins.load_dialect, *plugins.load_pass]) and not arguments.allow_plugins:
        raise UserError(
            f"'{arguments.input}' runs the Python files {', '.join(programs)}; required: --allow-plugins, if you trust "
            "them"
        )
    given = parse_arguments(recorded)
    return dataclasses.replace(
        given,
        input=arguments.input,
        output=arguments.output,
        run_reproducer=True,
        reduce=arguments.reduce,
        reduce_while=arguments.reduce_while,
    )


def _compare_diagnostics(
    chunk: str, file: str, ctx: CompilerContext, arguments: OptArguments, error: UserError | None
) -> int:
    from mlc.tools.expected_diagnostics import (
        diagnostics_of,
        diagnostics_of_remarks,
        mismatches,
        parse_expectations,
    )

    found = diagnostics_of(error) if error else []
    found += diagnostics_of_remarks(ctx)
    optional = () if arguments.remarks else ("remark",)
    errors = mismatches(parse_expectations(chunk, file), found, file, optional)
    return max([0, *(report("mlc-opt", e) for e in errors)])


if __name__ == "__main__":
    sys.exit(main())
