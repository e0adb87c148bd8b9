"""Talk with a language model in a file of GGUF: each line of standard input is a message, which it answers. The end of
the input, or an empty line, is the end of the chat.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from mlc.generation.chat import Message, chat_tokens
from mlc.generation.generator import Generator
from mlc.tools.driver import ArgumentParser, Namespace
from mlc.tools.text_arguments import TextArguments, add_text_arguments, show


@dataclass(kw_only=True)
class Arguments(TextArguments):
    """The parsed command line."""

    model: str


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("model", help="the model: a file of GGUF with a template for chats")
    add_text_arguments(parser, temperature=0.7, most=512)


def run(arguments: Namespace) -> None:
    """Compile if need be, then answer line by line."""
    args = Arguments(**vars(arguments))
    sampling, messages = args.sampling(), list[Message]()
    if args.system is not None:
        messages.append({"role": "system", "content": args.system})
    model = Generator.load(args.model, args.context, **args.chosen)
    while (line := _line()) is not None:
        messages.append({"role": "user", "content": line})
        tokens = chat_tokens(model.file, messages, model.tokenizer)
        answer = ""
        for piece in model.stream(model.forget(tokens), args.n, sampling, args.stop):
            answer += piece
            show(piece)
        print(flush=True)
        messages.append({"role": "assistant", "content": answer})
    args.report(model.speed)


def _line() -> str | None:
    """The next message; None at the end."""
    if sys.stdin.isatty():
        print("> ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip() or None
