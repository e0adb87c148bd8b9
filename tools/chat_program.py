"""`mlc compile model.gguf -o chat --chat`: a language model, its tokenizer and its template as one program."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mlc.frontends.gguf.source import MOST_PLACES, GgufModel
from mlc.support.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mlc.support.model_source import ModelSource
    from mlc.targets.program import RunnerSource
    from mlc.tools.compile_arguments import CompileArguments


def chat_program(
    source: ModelSource, args: CompileArguments, output: str, form: str
) -> tuple[CompileArguments, Callable[[Any], RunnerSource]]:
    """How the model is compiled, and the program around it; of the shapes, only `context` can be given.

    Raises:
        UserError: the model is none of GGUF, or has no template that a program of its own can have; or an option is
            wrong.
    """
    from mlc.frontends.gguf.file import open_gguf
    from mlc.frontends.gguf.language_model import language_model
    from mlc.generation.executable.program import ChatProgram
    from mlc.generation.generator import CHUNKS

    if not isinstance(source, GgufModel):
        raise UserError(f"found --chat with '{source.file}'; required: a language model in a file of GGUF")
    if form != "exe":
        raise UserError(f"found --chat with -o {output}; required: one program, whose name has no suffix")
    shapes = dict(args.bindings.shapes)
    context, trained = shapes.pop("context", None), language_model(file := open_gguf(source.path, source.file)).context
    if shapes or args.bindings.choices or args.bindings.values:
        raise UserError("found --shape or --value with --chat; required: --shape context=N at most")
    context = min(trained, MOST_PLACES) if context is None else context
    if not isinstance(context, int) or not 0 < context <= trained:
        raise UserError(f"found a context of {context} tokens; required: 1 to {trained}, as the model was trained")
    chat = ChatProgram.of(file, context)
    # What people type is short, and each length has code of its own, which is half of the program.
    lengths = f"1,{CHUNKS[0]}" if context >= CHUNKS[0] else "1"
    return replace(args, shape=[f"n={lengths}", f"context={context}"]), chat.around
