"""Read a prompt with a language model in a file of GGUF, and print what follows. The model is compiled first, and found
in the cache later.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from mlc.generation.chat import Message, chat_text
from mlc.generation.generator import Generator
from mlc.support.errors import UserError
from mlc.tools.driver import ArgumentParser, Namespace
from mlc.tools.text_arguments import TextArguments, add_text_arguments, show


@dataclass(kw_only=True)
class Arguments(TextArguments):
    """The parsed command line."""

    model: str
    prompt: str
    chat: bool


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    add = parser.add_argument
    add("model", help="the model: a file of GGUF")
    add("prompt", help="the text that it continues, or a message with --chat; '-' is standard input")
    add("--chat", action="store_true", help="the prompt is a message, which the template of the file makes a text of")
    add_text_arguments(parser, temperature=0, most=64)


def run(arguments: Namespace) -> None:
    """Compile if need be, read, print."""
    args = Arguments(**vars(arguments))
    if args.system is not None and not args.chat:
        raise UserError("found --system without --chat; required: both, as it is a message of a chat")
    sampling = args.sampling()
    prompt = sys.stdin.read() if args.prompt == "-" else args.prompt
    model = Generator.load(args.model, args.context, **args.chosen)
    if args.chat:
        system: list[Message] = [] if args.system is None else [{"role": "system", "content": args.system}]
        prompt = chat_text(model.file, [*system, {"role": "user", "content": prompt}], model.tokenizer.tokens)
    else:
        print(prompt, end="", flush=True)
    for piece in model.stream(prompt, args.n, sampling):
        show(piece)
    print()
    args.report(model.speed)
