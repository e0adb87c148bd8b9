"""The options that passes of the default pipelines follow, each in one place.

An option is a field of `PipelineOptions` with a `Choice` in its metadata. A pass takes it as `$name` in its stage of a
pipeline, or the stage asks it by `when`. Command lines (those of `mlc-opt` too), `mlc.compile`, the frameworks, the key
of what was compiled before and the page `docs/options.md` follow from the field (`compiler/options.py`). Type checkers
cannot read metadata: its type for Python stands in `PythonPipelineOptions`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, SupportsIndex, TypedDict

from mlc.support.errors import UserError

HIGHEST = 3
"""The highest `-O` level, and the default."""
KEEP = "keep"
"""The precision by which quantised products are integers, also where f32 is faster."""
Kind = Literal["name", "number", "path"]
"""What a value is: text, a whole number, or the path of a file."""


@dataclass(frozen=True)
class Choice:
    """How an option is given, and which values it has."""

    kind: Kind
    help: str
    """What it is, in one line, as `--help` and the documentation say it."""
    what: str = ""
    """What its value has to be, in words for an error, where `choices` do not say it."""
    flag: str = ""
    """The flag of command lines, where it is not `--` and the name."""
    metavar: str | None = None
    choices: Sequence[Any] | None = None
    least: int | None = None
    """The smallest number that it may be, if there is one."""
    of_frameworks: bool = True
    """Whether `torch.compile(options=…)` and `mlc.jax.jit` take it."""
    known_by_contents: bool = False
    """Whether what it names is part of the key of an artifact by its contents, not by its name."""
    of_pipelines_alone: bool = True
    """Whether `mlc-opt` has no use for it but in default pipelines."""

    @property
    def required(self) -> str:
        """What its value has to be, in words for an error."""
        if self.choices is None:
            return self.what
        *others, last = map(str, self.choices)
        return f"{', '.join(others)} or {last}"

    def check(self, name: str, value: object, taker: str = "") -> None:
        """Check the value that an option of this choice has, or `taker` is given for it.

        Raises:
            UserError: the option cannot have it.
        """
        wrong = self.choices is not None and value not in self.choices
        wrong = wrong or (self.least is not None and isinstance(value, int) and value < self.least)
        if wrong:
            found = f"'{value}'" if isinstance(value, str) else value
            raise UserError(f"{taker}found {name} {found}; required: {self.required}")


def option(default: Any, about: Choice) -> Any:
    """A field that a user chooses."""
    return field(default=default, metadata={"option": about})


def choices_of(options: type[PipelineOptions]) -> Mapping[str, Choice]:
    """What users choose, by name."""
    return {f.name: f.metadata["option"] for f in fields(options) if "option" in f.metadata}


@dataclass(frozen=True)
class PipelineOptions:
    """What the default pipeline of a compilation depends on."""

    target: str = option(
        "native",
        Choice(
            "name",
            "the machine to compile for (see 'mlc targets')",
            "a name, such as 'native'",
            metavar="NAME",
            known_by_contents=True,
            of_pipelines_alone=False,
        ),
    )
    threads: int = option(
        1,
        Choice(
            "number",
            "threads that one call may use (1)",
            "a whole number, at least 1",
            metavar="N",
            least=1,
            of_pipelines_alone=False,
        ),
    )
    opt_level: int = option(
        HIGHEST, Choice("number", f"optimisation level ({HIGHEST})", flag="-O", choices=range(HIGHEST + 1))
    )
    accuracy: str = option(
        "exact",
        Choice("name", "whether algorithms with larger errors may be used (exact)", choices=("exact", "fast")),
    )
    """`exact` keeps to what the model says but for the order of sums; `fast` takes algorithms with larger errors."""
    precision: str = option(
        "f32",
        Choice(
            "name",
            "bf16: factors of products of f32 are rounded to bf16 where that is faster, and summed in f32; keep: "
            "quantised ones are integers, those of 16 bits stay short, also where f32 is faster (f32)",
            choices=("f32", "bf16", KEEP),
        ),
    )
    """The types of the factors of products. Quantised ones are integers where these are faster, and else f32; with
    `bf16` factors of f32 are rounded to bf16 where that is faster, with sums of f32; with `keep` quantised ones are
    integers."""

    caches: str = option(
        "f32",
        Choice(
            "name",
            "how language models store keys and values: f16 takes half the memory, with products in f32 (f32)",
            choices=("f32", "f16"),
            of_frameworks=False,
        ),
    )
    """What the caches of language models are stored as."""

    def check(self) -> None:
        """Raises: UserError if an option has a value that it cannot have."""
        for name, choice in choices_of(type(self)).items():
            choice.check(name, getattr(self, name))

    def chosen(self) -> Iterator[tuple[str, Choice, Any]]:
        """The options that are not at their defaults, with what they are set to."""
        for name, choice in choices_of(type(self)).items():
            if (value := getattr(self, name)) != getattr(type(self), name):
                yield name, choice, value


class PythonPipelineOptions(TypedDict, total=False):
    """The types of the fields of `PipelineOptions` that Python programs give, for type checkers."""

    target: str
    threads: SupportsIndex
    opt_level: SupportsIndex
    accuracy: str
    precision: str
    caches: str


def require_option(name: str, value: object, taker: str) -> None:
    """Check the value of an option of pipelines that a pass is given.

    Raises:
        UserError: the option cannot have it.
    """
    choices_of(PipelineOptions)[name].check(name, value, f"{taker}: ")
