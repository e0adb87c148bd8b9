"""Read a prompt with a language model in a file of GGUF, and print what follows. The model is compiled first, and found
in the cache later.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

from mlc.generation.chat import Message, chat_text
from mlc.generation.generator import Generator
from mlc.generation.sampling import Sampling
from mlc.support.errors import UserError
from mlc.tools.compile_arguments import add_options
from mlc.tools.driver import ArgumentParser, Namespace


@dataclass(kw_only=True)
class Arguments:
    """The parsed command line."""

    model: str
    prompt: str
    n: int
    temperature: float
    top_k: int
    top_p: float
    min_p: float
    seed: int
    context: int | None
    chat: bool
    system: str | None
    speed: bool
    chosen: dict[str, Any] = field(default_factory=dict[str, Any])


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    add, default = parser.add_argument, Sampling()
    add("model", help="the model: a file of GGUF")
    add("prompt", help="the text that it continues, or a message with --chat; '-' is standard input")
    add("-n", type=int, default=64, metavar="N", help="the most tokens to write (64)")
    add("--temperature", type=float, default=0.0, metavar="T", help="0, or what logits are divided by to draw one (0)")
    add("--top-k", type=int, default=default.top_k, metavar="K", help="draw one of the K most likely tokens (40)")
    add("--top-p", type=float, default=default.top_p, metavar="P", help="of those that together are P likely (0.95)")
    add(
        "--min-p", type=float, default=default.min_p, metavar="P", help="of those P times as likely as the first (0.05)"
    )
    add("--seed", type=int, default=0, metavar="N", help="equal seeds draw equal tokens (0)")
    add("--context", type=int, metavar="N", help="the most tokens of all (what the model was trained for, up to 4096)")
    add("--chat", action="store_true", help="the prompt is a message, which the template of the file makes a text of")
    add("--system", metavar="TEXT", help="what a chat starts with")
    add("--speed", action="store_true", help="say at the end how many tokens were read and written in a second")
    add_options(parser)


def run(arguments: Namespace) -> None:
    """Compile if need be, read, print."""
    args = Arguments(**vars(arguments))
    if args.n < 0:
        raise UserError(f"found -n {args.n}; required: 0 or more")
    if args.system is not None and not args.chat:
        raise UserError("found --system without --chat; required: both, as it is a message of a chat")
    sampling = Sampling(args.temperature, args.top_k, args.top_p, args.min_p, args.seed)
    prompt = sys.stdin.read() if args.prompt == "-" else args.prompt
    model = Generator.load(args.model, args.context, **args.chosen)
    if args.chat:
        system: list[Message] = [] if args.system is None else [{"role": "system", "content": args.system}]
        prompt = chat_text(model.file, [*system, {"role": "user", "content": prompt}], model.tokenizer.tokens)
    else:
        print(prompt, end="", flush=True)
    for piece in model.stream(prompt, args.n, sampling):
        print(piece, end="", flush=True)
    print()
    if args.speed:
        speed = model.speed
        for done, count, seconds in (("read", speed.read, speed.reading), ("written", speed.written, speed.writing)):
            print(f"{done}: {count} tokens, {count / seconds if seconds else 0:.1f} per second", file=sys.stderr)
