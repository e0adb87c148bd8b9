"""The command line of mlc-opt. Every pass is a flag; flags of passes take effect in the order in which they stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mlc.pass_manager.named_pipelines import named_pipeline
from mlc.pass_manager.pipeline_options import HIGHEST, PipelineOptions, choices_of
from mlc.pass_manager.registry import known_words, pass_names, pipeline_names, plugin_passes, plugin_pipelines, suggest
from mlc.plugins.arguments import PluginArguments, add_plugin_arguments, load_plugins_of
from mlc.support.errors import UserError
from mlc.support.former_names import name_today
from mlc.tools.binding_arguments import add_binding_arguments
from mlc.tools.driver import ArgumentParser
from mlc.tools.option_arguments import add_options

if TYPE_CHECKING:
    from mlc.tools.pictures.of_module import PictureSubject

DESCRIPTION = """\
Parse IR, run passes over it in the given order, and print the result.

  mlc-opt model.mlir --fuse --lower-to-loops
  mlc-opt model.mlir --tile="sizes=8,48"
  mlc-opt model.mlir --pass-pipeline="fuse,tile{sizes=8,48}"
  mlc-opt model.mlir -O2 --emit=mlir:loop
"""


@dataclass
class OptArguments(PluginArguments):
    """The parsed command line."""

    input: str = "-"
    output: str = "-"
    pipeline: list[str] = field(default_factory=list[str])
    """In order: pipeline text, or `-O<level>` for a default pipeline."""
    emit: str = "mlir"
    version: bool = False
    list_passes: bool = False
    print_grammar: str | None = None
    print_op_generic: bool = False
    print_debuginfo: bool = False
    print_pipeline: bool = False
    print_ir_before_all: bool = False
    print_ir_before: list[str] = field(default_factory=list[str])
    print_ir_after_all: bool = False
    print_ir_after: list[str] = field(default_factory=list[str])
    print_ir_after_change: bool = False
    print_ir_diff: bool = False
    timing: bool = False
    pass_statistics: bool = False
    print_patterns: str | None = None
    print_ir_after_patterns: bool = False
    print_op_stats: bool = False
    pass_bisect_limit: int | None = None
    verify_each: bool = False
    check_each: bool = False
    split_input_file: bool = False
    verify_diagnostics: bool = False
    allow_unregistered_dialect: bool = False
    run_reproducer: bool = False
    allow_plugins: bool = False
    reduce: bool = False
    reduce_while: str | None = None
    remarks: bool = False
    chosen: dict[str, Any] = field(default_factory=dict[str, Any])
    """The options of default pipelines that are given, by name."""
    seed: int = 0
    shape: list[str] = field(default_factory=list[str])
    value: list[str] = field(default_factory=list[str])

    @property
    def options(self) -> PipelineOptions:
        """Those of default pipelines, but for the level."""
        return PipelineOptions(**self.chosen)

    def options_of(self, entry: str) -> PipelineOptions:
        """The options of the default pipeline that an entry `-O<level>` of the pipeline is."""
        return replace(self.options, opt_level=int(entry[2:]))

    @property
    def picture(self) -> tuple[str, PictureSubject] | None:
        """The language and the subject of the picture that is asked for; None if a text of IR is.

        Raises:
            UserError: there is no such picture.
        """
        if not self.emit.startswith(("dot:", "svg:")):
            return None
        from mlc.tools.pictures.of_module import picture_form

        return picture_form(self.emit)

    @property
    def text_form(self) -> str:
        """The form of the IR that is printed, or of which there is a picture."""
        return self.emit if self.picture is None else "mlir"

    @property
    def opt_level(self) -> int:
        """What clang optimises assembly at: the level of the last default pipeline, or the highest."""
        levels = [int(entry[2:]) for entry in self.pipeline if entry.startswith("-O")]
        return levels[-1] if levels else HIGHEST


def parse_arguments(argv: Sequence[str]) -> OptArguments:
    """Read the command line, and load the plugins that it names.

    Raises:
        UserError: an option or a pass does not exist, or has a wrong value; a plugin cannot be loaded.
    """
    load_plugins_of(argv)
    parser = make_parser()
    for noun, additions in (("pass", plugin_passes), ("pipeline", plugin_pipelines)):
        for name, plugin in additions:
            if f"--{name}" in parser.flags():
                raise UserError(f"{noun} '{name}' of {plugin.origin} has the name of an option of mlc-opt; rename it")
    arguments, unknown = parser.parse_known_args(_pass_flags_to_pipelines(argv), OptArguments())
    if unknown:
        raise _unknown(unknown[0], parser)
    for name in filter(None, (arguments.print_patterns or "").split(",")):
        if name_today("pass", name) not in pass_names():
            raise UserError(f"--print-patterns: unknown pass '{name}'{suggest(name, pass_names())}")
    for flag, names in (("before", arguments.print_ir_before), ("after", arguments.print_ir_after)):
        for number, name in enumerate(names):
            if (found := named_pipeline(name)) is not None:  # the pass that reaches what the pipeline is for
                names[number] = name = found.stages[-1].passes.partition("{")[0]
            names[number] = name = name_today("pass", name)
            if name not in pass_names():
                raise UserError(f"--print-ir-{flag}: unknown pass '{name}'{suggest(name, pass_names())}")
    return arguments


def make_parser() -> ArgumentParser:
    """The options of `mlc-opt`, passes excepted."""
    parser = ArgumentParser("mlc-opt", DESCRIPTION)
    add = parser.add_argument
    add("input", nargs="?", default="-", help="IR text; '-' or nothing: standard input")
    add("-o", dest="output", metavar="FILE", default="-", help="write there instead of to standard output")
    add("--pass-pipeline", dest="pipeline", action="append", metavar="PASSES", help="run these passes")
    for level in "0123":
        text = f"run the default pipeline of level {level}"
        add(f"-O{level}", dest="pipeline", action="append_const", const=f"-O{level}", help=text)
    add("--version", action="store_true", help="print the version of mlc")
    add("--list-passes", action="store_true", help="print every pass with its options")
    add("--print-pipeline", action="store_true", help="print the passes that would run, and why -O runs them")
    add(
        "--print-grammar",
        nargs="?",
        const="",
        metavar="DIALECT",
        help="print the grammar of the core language, or what a dialect adds to it (--print-grammar=graph)",
    )
    forms = (
        "mlir (default), mlir:<level> with -O, llvm-ir, asm, or a picture: dot:ops or svg:ops of what ops read, and "
    )
    forms += "likewise :calls of functions and :dominance of blocks"
    add("--emit", default="mlir", metavar="FORM", help=forms)
    add("--print-op-generic", action="store_true", help="print every op in its generic form")
    add("--print-debuginfo", action="store_true", help="print the location of every op")
    add("--print-ir-before-all", action="store_true", help="print the IR before each pass to standard error")
    add("--print-ir-before", action="append", metavar="PASS", help="the same before one pass; may be repeated")
    add("--print-ir-after-all", action="store_true", help="print the IR after each pass to standard error")
    add("--print-ir-after", action="append", metavar="PASS", help="the same after one pass; may be repeated")
    add("--print-ir-after-change", action="store_true", help="print it only after passes that change it")
    add("--print-ir-diff", action="store_true", help="print only the lines that passes change, with - and + in front")
    add("--timing", action="store_true", help="print how long each pass took to standard error")
    add("--pass-statistics", action="store_true", help="print which ops each pass made, and how often patterns applied")
    words = "print each pattern that a pass tries, and whether it applies (--print-patterns=canonicalize,fuse)"
    add("--print-patterns", nargs="?", const="", metavar="PASS,…", help=words)
    words = "with --print-patterns, the IR after each pattern that applies"
    add("--print-ir-after-patterns", action="store_true", help=words)
    add("--print-op-stats", action="store_true", help="print how many ops of each name there are in the end")
    words = "leave out passes after the Nth that -O0 does not run; say which (with -1 none)"
    add("--pass-bisect-limit", type=int, metavar="N", help=words)
    add("--remarks", action="store_true", help="print what passes decided, and why, to standard error")
    add("--verify-each", action="store_true", help="verify after every pass")
    add(
        "--check-each",
        action="store_true",
        help="run the module before and after every pass on random inputs, and native code at the end",
    )
    add("--split-input-file", action="store_true", help="treat the parts between '// -----' lines as files")
    add("--verify-diagnostics", action="store_true", help="check errors against 'expected-error' comments")
    add("--allow-unregistered-dialect", action="store_true", help="accept ops of unknown dialects")
    add("--run-reproducer", action="store_true", help="take the options from the input's first line")
    add("--allow-plugins", action="store_true", help="let --run-reproducer load the plugins that the input names")
    add("--reduce", action="store_true", help="print the smallest part of the input with the same error of the passes")
    words = "the same, with something else that stays true: a pass changes a value (differs), a pass fails (crashes), "
    words += "message=REGEX, slower=SECONDS, or script=FILE, a program that gets the path of a module"
    add("--reduce-while", metavar="WHAT", help=words)
    flags = {name: each for name, each in choices_of(PipelineOptions).items() if name != "opt_level"}
    add_options(parser, flags)
    add("--seed", type=int, default=0, metavar="N", help="of the random inputs of --check-each")
    add("--xdsl", action="store_true", help="be xdsl-opt: its passes, targets and options ('--xdsl --help' lists them)")
    add_binding_arguments(parser)
    add_plugin_arguments(parser)
    parser.late_epilog = _passes
    return parser


def _passes() -> str:
    """All passes, each with what it does."""
    from mlc.tools.list_passes import summary

    width = max(map(len, pass_names()))
    passes = "".join(f"  --{name:<{width}}  {summary(name)}\n" for name in pass_names())
    pipelines = "".join(f"  --{name:<{width}}  {summary(name)}\n" for name in pipeline_names())
    return f"passes:\n{passes}\npipelines, which stand for several passes:\n{pipelines}".rstrip()


_OPTION_WORD = re.compile(r"[a-z][a-z0-9_-]*=")


def _pass_flags_to_pipelines(argv: Sequence[str]) -> list[str]:
    """Spell `--tile=sizes=8,48` as `--pass-pipeline=tile{sizes=8,48 loops=m,n}`.

    The options of a pass may be one quoted word or follow as words of their own. As in MLIR, one dash does, too.
    """
    known, result, words = known_words() | {*pipeline_names()}, list[str](), list(argv)
    while words:
        word = words.pop(0)
        if word == "--":
            return [*result, word, *words]
        name, _, options = re.sub("^--?", "", word).partition("=")
        if not word.startswith("-") or name not in known:
            result.append(word)
            continue
        parts = [options.strip()] if options.strip() else []
        while words and _OPTION_WORD.match(words[0]):
            parts.append(words.pop(0).strip())
        result.append(f"--pass-pipeline={name}" + (f"{{{' '.join(parts)}}}" if parts else ""))
    return result


def _unknown(word: str, parser: ArgumentParser) -> UserError:
    if not word.startswith("-"):
        return UserError(f"unexpected argument '{word}': mlc-opt reads one input file")
    flag = word.partition("=")[0]
    own, passes = parser.flags(), [f"--{name}" for name in (*pass_names(), *pipeline_names())]
    near = suggest(flag, own + passes)
    if not near:
        return UserError(f"unknown pass or option '{flag}' (--list-passes prints the passes, --help the options)")
    return UserError(f"unknown {'option' if suggest(flag, own) == near else 'pass'} '{flag}'{near}")
