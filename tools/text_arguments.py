"""The options of commands that write text with a language model."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

from mlc.compiler.options import OPTIONS
from mlc.generation.generator import Speed
from mlc.generation.sampling import Sampling
from mlc.support.errors import UserError
from mlc.tools.compile_arguments import add_options
from mlc.tools.driver import ArgumentParser


@dataclass(kw_only=True)
class TextArguments:
    """The parsed options."""

    n: int
    temperature: float
    top_k: int
    top_p: float
    min_p: float
    seed: int
    repetition_penalty: float
    frequency_penalty: float
    presence_penalty: float
    stop: list[str]
    context: int | None
    system: str | None
    speed: bool
    chosen: dict[str, Any] = field(default_factory=dict[str, Any])

    def sampling(self) -> Sampling:
        """How tokens are drawn.

        Raises:
            UserError: a number is out of range.
        """
        if self.n < 0:
            raise UserError(f"found -n {self.n}; required: 0 or more")
        if "" in self.stop:
            raise UserError("found an empty --stop; required: a text")
        penalties = self.repetition_penalty, self.frequency_penalty, self.presence_penalty
        return Sampling(self.temperature, self.top_k, self.top_p, self.min_p, self.seed, *penalties)

    def report(self, speed: Speed) -> None:
        """Say how fast tokens were read and written, if that is asked for."""
        rows = ("read", speed.read, speed.reading), ("written", speed.written, speed.writing)
        for done, count, seconds in rows if self.speed else ():
            print(f"{done}: {count} tokens, {count / seconds if seconds else 0:.1f} per second", file=sys.stderr)


def add_text_arguments(parser: ArgumentParser, temperature: float, most: int) -> None:
    """Declare the options, with a temperature and the most tokens to write where these are not given."""
    add, default = parser.add_argument, Sampling()
    add("-n", type=int, default=most, metavar="N", help=f"the most tokens to write ({most})")
    drawn = f"0 for the most likely token, or what logits are divided by to draw one ({temperature:g})"
    add("--temperature", type=float, default=temperature, metavar="T", help=drawn)
    add("--top-k", type=int, default=default.top_k, metavar="K", help="draw one of the K most likely tokens (40)")
    add("--top-p", type=float, default=default.top_p, metavar="P", help="of those that together are P likely (0.95)")
    add("--min-p", type=float, default=default.min_p, metavar="P", help="of those P times as likely as the best (0.05)")
    add("--seed", type=int, default=0, metavar="N", help="equal seeds draw equal tokens (0)")
    repeated = "what makes tokens less likely that came before, in prompt or answer; more than 1 (1)"
    add("--repetition-penalty", type=float, default=1.0, metavar="X", help=repeated)
    often = "what is taken from the logit of a token for each time that it stands in the answer (0)"
    add("--frequency-penalty", type=float, default=0.0, metavar="X", help=often)
    add("--presence-penalty", type=float, default=0.0, metavar="X", help="the same, once for each token (0)")
    add("--stop", action="append", default=[], metavar="TEXT", help="end before this text; may be repeated")
    add("--context", type=int, metavar="N", help="the most tokens of all (what the model was trained for, up to 4096)")
    add("--system", metavar="TEXT", help="what a chat starts with")
    add("--speed", action="store_true", help="say at the end how many tokens were read and written in a second")
    add_options(parser, OPTIONS)


def show(piece: str) -> None:
    """Print what a model writes, without what would change the terminal."""
    shown = "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in piece)
    print(shown, end="", flush=True)
