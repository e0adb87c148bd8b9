"""Read a prompt with a language model in a file of GGUF, and print what follows. The model is compiled first, and found
in the cache later.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

from mlc.generation.chat import Message, chat_tokens
from mlc.generation.generator import Generator
from mlc.generation.json_schema import JsonSchemas
from mlc.support.errors import UserError
from mlc.tools.driver import ArgumentParser, Namespace, read_text
from mlc.tools.text_arguments import TextArguments, add_text_arguments, show


@dataclass(kw_only=True)
class Arguments(TextArguments):
    """The parsed command line."""

    model: str
    prompt: str
    chat: bool
    json_schema: str | None


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    add = parser.add_argument
    add("model", help="the model: a file of GGUF")
    add("prompt", help="the text that it continues, or a message with --chat; '-' is standard input")
    add("--chat", action="store_true", help="the prompt is a message, which the template of the file makes a text of")
    what = "write JSON of the schema in a file, '-' for standard input; -n may end it early (needs llguidance)"
    add("--json-schema", metavar="FILE", help=what)
    add_text_arguments(parser, temperature=0, most=64)


def run(arguments: Namespace) -> None:
    """Compile if need be, read, print."""
    args = Arguments(**vars(arguments))
    if args.system is not None and not args.chat:
        raise UserError("found --system without --chat; required: both, as it is a message of a chat")
    if args.prompt == args.json_schema == "-":
        raise UserError(
            "the prompt and --json-schema are both '-'; required: one of them, as standard input is read once"
        )
    sampling = args.sampling()
    prompt = sys.stdin.read() if args.prompt == "-" else args.prompt
    schema = None if args.json_schema is None else _schema(args.json_schema)
    model = Generator.load(args.model, args.context, **args.chosen)
    schemas = JsonSchemas(model.tokenizer, model.vocabulary)
    constraint = None if schema is None else schemas.constraint(schema)
    if args.chat:
        system: list[Message] = [] if args.system is None else [{"role": "system", "content": args.system}]
        tokens = chat_tokens(model.file, [*system, {"role": "user", "content": prompt}], model.tokenizer)
    else:
        tokens = model.tokenizer.encoded(prompt)
        print(prompt, end="", flush=True)
    for piece in model.stream(tokens, args.n, sampling, args.stop, constraint):
        show(piece)
    print()
    args.report(model.speed)


def _schema(file: str) -> object:
    """Raises: UserError if the file cannot be read, or is not JSON."""
    text, name = read_text(file)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as e:
        raise UserError(f"'{name}' is not JSON: {e}") from None
