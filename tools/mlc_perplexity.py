"""Measure how well a language model in a file of GGUF predicts a text: its perplexity, as llama.cpp defines it. The
text is cut into chunks as long as the context, and the second half of each is scored. Numbers of models with different
tokens cannot be compared.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from mlc.compiler.options import OPTIONS
from mlc.generation.generator import Generator
from mlc.generation.perplexity import Perplexity, perplexities
from mlc.support.errors import UserError
from mlc.tools.compile_arguments import add_options
from mlc.tools.driver import ArgumentParser, Namespace, read_text


@dataclass(kw_only=True)
class Arguments:
    """The parsed command line."""

    model: str
    text: str
    context: int
    chunks: int | None
    chosen: dict[str, Any] = field(default_factory=dict[str, Any])


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    add = parser.add_argument
    add("model", help="the model: a file of GGUF")
    add("text", help="a file of text; '-' is standard input")
    add("--context", type=int, default=512, metavar="N", help="the tokens of a chunk (512)")
    add("--chunks", type=int, metavar="N", help="end after so many chunks (all)")
    add_options(parser, OPTIONS)


def run(arguments: Namespace) -> None:
    """Compile if need be, then read chunk by chunk; numbers so far go to standard error, the last one to output."""
    args = Arguments(**vars(arguments))
    if args.context < 2:
        raise UserError(f"found a context of {args.context} tokens; required: at least 2, of which one is scored")
    if args.chunks is not None and args.chunks < 1:
        raise UserError(f"found --chunks {args.chunks}; required: 1 or more")
    text, _ = read_text(args.text)
    model = Generator.load(args.model, args.context, **args.chosen)
    found = Perplexity()
    for number, found in enumerate(islice(perplexities(model, text), args.chunks), 1):
        print(f"chunk {number}: {found.value:.4f}", file=sys.stderr, flush=True)
    print(f"perplexity {found.value:.4f} ± {found.error:.4f}, of {found.count} tokens")
