"""A module as people who write passes in notebooks work with it: run passes, look at functions, try patterns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern

from mlc import api
from mlc.compiler.compilation import ModelText, new_context
from mlc.compiler.emit_text import emit_text
from mlc.pass_manager.manager import PassManager, verify
from mlc.pass_manager.options import parse_passes
from mlc.pass_manager.pattern_watch import PatternEvent, PatternWatch
from mlc.pass_manager.registry import suggest
from mlc.support.context import CompilerContext
from mlc.support.errors import Refused, UserError
from mlc.support.functions import is_private
from mlc.tools.compile_arguments import CompileArguments
from mlc.tools.highlight import folded, preformatted
from mlc.tools.pictures.of_module import SUBJECTS, PictureSubject, draw

_MANY_LINES = 40
"""Functions of a module with more lines than this are shown folded."""


def view(model: str | os.PathLike[str] | ModuleOp) -> ModuleView:
    """A view of a model: of text, of the file of that path, or of a module, which stays as it is.

    Raises:
        TypeError, UserError: as `mlc.parse`.
    """
    if isinstance(model, ModuleOp):
        try:
            ctx = api.context_of(model)
        except UserError:  # of a module that was built
            ctx = new_context()
        return ModuleView(model, ctx)
    module = api.parse(model)
    return ModuleView(module, api.context_of(module))


def explore(
    model: str | os.PathLike[str] | ModuleOp | ModuleView, opt_level: int = 3, target: str = "native"
) -> ExploredModel:
    """The page of `mlc explore` for a view, or for what `view` takes; a notebook shows it inside.

    Raises:
        TypeError, UserError: as `view` and `ModuleView.explore`.
    """
    seen = model if isinstance(model, ModuleView) else view(model)
    return seen.explore(opt_level, target)


@dataclass(frozen=True, eq=False, repr=False)
class ModuleView:
    """A module that nobody changes: what does something to it gives another view.

    ```python
    module = mlc.view("mlp.mlir")
    lowered = module.run("fuse, lower-to-tensor")
    lowered.kernels                       # ['linear_relu', 'linear']
    lowered["linear_relu"]                # a function, coloured in a notebook
    module.rewrite(ReluOfRelu())          # before, after, and which pattern applied where
    module.picture()                      # what ops read, as SVG; "calls" of functions, "dominance" of blocks
    module.explore()                      # the page of mlc explore
    mlc.compile(lowered.module)
    ```
    """

    module: ModuleOp
    ctx: CompilerContext

    @property
    def text(self) -> str:
        """The module as text."""
        return emit_text(self.module, self.ctx, "mlir")

    @property
    def functions(self) -> list[str]:
        """The names of all functions."""
        return [op.sym_name.data for op in self.module.ops if isinstance(op, FuncOp)]

    @property
    def kernels(self) -> list[str]:
        """The names of the private functions, in the order of the module."""
        return [op.sym_name.data for op in self.module.ops if isinstance(op, FuncOp) and is_private(op)]

    def __getitem__(self, name: str) -> FunctionView:
        """The function of that name.

        Raises:
            KeyError: there is none.
        """
        for op in self.module.ops:
            if isinstance(op, FuncOp) and op.sym_name.data == name:
                return FunctionView(op)
        guess = suggest(name, self.functions) or f"; the functions are {', '.join(self.functions) or '(none)'}"
        raise KeyError(f"no function '{name}'{guess}")

    def run(self, passes: str) -> ModuleView:
        """The module after passes, which are spelled as for `mlc-opt --pass-pipeline`; verified after each.

        Raises:
            TypeError: they are not a text.
            UserError: there is no such pass, or the module asks for something that one cannot do.
            CompilerBug: a pass is wrong.
        """
        if not isinstance(cast(object, passes), str):
            raise TypeError(f"found {passes!r} as passes; required: their names in a text, such as 'fuse,cse'")
        module, ctx = self.module.clone(), self.ctx.clone()
        PassManager(ctx, verify_each=True).run(module, parse_passes(passes))
        return ModuleView(module, ctx)

    def rewrite(self, *patterns: RewritePattern) -> PatternTrial:
        """What patterns make of the module: the first that applies to an op, until none applies to any. One that raises
        `Refused` leaves the op as it is.

        Raises:
            TypeError: one is no pattern.
            UserError, VerifyException: what they make is not valid.
        """
        for each in patterns:
            _require_pattern(each)
        module, events = self.module.clone(), list[PatternEvent]()
        with PatternWatch(events.append).watching():
            PatternRewriteWalker(_FirstThatApplies(patterns)).rewrite_module(module)
        verify(module)
        names = {type(pattern).__name__ for pattern in patterns}
        tried = list(dict.fromkeys(event for event in events if event.pattern in names))
        return PatternTrial(self, ModuleView(module, self.ctx), tried)

    def picture(self, of: PictureSubject = "ops") -> ModulePicture:
        """A picture, which a notebook shows: of what `ops` read, of which functions `calls` lead to, or of the
        `dominance` of blocks.

        Raises:
            UserError: it would have more nodes than anybody reads.
        """
        if of not in SUBJECTS:
            raise ValueError(f"there is no picture of {of!r}; it is one of {', '.join(SUBJECTS)}")
        return ModulePicture(draw(self.module, "svg", of), draw(self.module, "dot", of))

    def explore(self, opt_level: int = 3, target: str = "native") -> ExploredModel:
        """The page of `mlc explore` for the module, which a notebook shows inside.

        Raises:
            UserError: an option is wrong, or the module asks for something that mlc cannot do.
        """
        from mlc.tools.explorer.collect import document_of
        from mlc.tools.explorer.page import page_of

        chosen = {"opt_level": opt_level, "target": target}
        model = _ViewedModel("module.mlir", Path.cwd(), str(self.module), self.ctx)
        return ExploredModel(page_of([document_of(model, CompileArguments(chosen=chosen))]))

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        text = self.text
        if text.count("\n") <= _MANY_LINES:
            return preformatted(text)
        return "".join(folded(_text_of(op), is_open=not _is_private(op)) for op in self.module.ops)


def _require_pattern(given: object) -> None:
    """Raises: TypeError if it is something else than a pattern, such as the class of one."""
    if not isinstance(given, RewritePattern):
        required = f"{given.__name__}()" if isinstance(given, type) else "an object of a class of RewritePattern"
        raise TypeError(f"found {given!r} as pattern; required: {required}")


@dataclass(frozen=True, eq=False, repr=False)
class FunctionView:
    """One function of a module."""

    function: FuncOp

    @property
    def kernels(self) -> list[str]:
        """The functions that it calls, in order of their first calls."""
        calls = [op.callee.string_value() for op in self.function.walk() if isinstance(op, CallOp)]
        return list(dict.fromkeys(calls))

    def __repr__(self) -> str:
        return _text_of(self.function)

    def _repr_html_(self) -> str:
        return preformatted(repr(self))


@dataclass(frozen=True, eq=False, repr=False)
class PatternTrial:
    """What patterns did to a module."""

    before: ModuleView
    after: ModuleView
    events: Sequence[PatternEvent]
    """Each kind of attempt once: the pattern, the op, where, whether it applied, and why not, if it says so."""

    def __repr__(self) -> str:
        return f"{self.after}\n" + "".join(f"// {line}\n" for line in self.events)

    def _repr_html_(self) -> str:
        cells = "".join(
            f'<td style="width:50%;vertical-align:top;text-align:left"><b>{name}</b>{preformatted(each.text)}</td>'
            for name, each in (("before", self.before), ("after", self.after))
        )
        events = "".join(f"<li>{escape(str(event))}</li>" for event in self.events)
        return f'<table style="table-layout:fixed;width:100%"><tr>{cells}</tr></table><ul>{events}</ul>'


@dataclass(frozen=True, eq=False, repr=False)
class ModulePicture:
    """A picture of a module."""

    svg: str
    dot: str
    """The same for Graphviz."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file whose name ends with `.svg` or `.dot`, as what it is.

        Raises:
            OSError: it cannot be written.
            ValueError: the name ends with something else.
        """
        texts = {".svg": self.svg, ".dot": self.dot}
        if (text := texts.get(suffix := Path(path).suffix.lower())) is None:
            raise ValueError(f"found a name that ends with '{suffix}' for a picture; required: {' or '.join(texts)}")
        Path(path).write_text(text, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<a picture of {len(self.svg):,} characters: .save('picture.svg')>"

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass(frozen=True, eq=False, repr=False)
class ExploredModel:
    """A page of `mlc explore`."""

    page: str
    """A whole document of HTML."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file for browsers.

        Raises:
            OSError: it cannot be written.
        """
        Path(path).write_text(self.page, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<a page of {len(self.page):,} characters: .save('report.html')>"

    def _repr_html_(self) -> str:
        style = "width:100%;height:640px;border:1px solid #8888"
        return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{escape(self.page)}"></iframe>'


@dataclass(frozen=True)
class _ViewedModel(ModelText):
    """The text of a module, with the weights that the module has, wherever they lie."""

    ctx: CompilerContext

    def module(self, ctx: CompilerContext) -> ModuleOp:
        ctx.resources = self.ctx.clone().resources
        return super().module(ctx)


@dataclass
class _FirstThatApplies(RewritePattern):
    """Tries patterns in their order."""

    patterns: Sequence[RewritePattern]

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        for pattern in self.patterns:
            with suppress(Refused):
                pattern.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                return


def _text_of(op: Operation) -> str:
    return str(op)


def _is_private(op: Operation) -> bool:
    return isinstance(op, FuncOp) and is_private(op)
