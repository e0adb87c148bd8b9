"""What a type `!quant.uniform<...>` says: by which integers numbers are stored, and which numbers these stand for.

```
!quant.uniform<i8:f32, 0.1:3>                       one scale and one zero point
!quant.uniform<i8<-127:127>:f32:1, {0.1, 0.2:-5}>   integers from -127 to 127, a scale for each element of axis 1
```
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import inf

from xdsl.dialects.builtin import AnyFloat, IntegerType, Signedness, bf16, f16, f32, f64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.kept_text import KeptAsText

_FLOATS: dict[str, AnyFloat] = {"f16": f16, "bf16": bf16, "f32": f32, "f64": f64}
_FORM = re.compile(
    r"""\s* ([iu])(\d+) \s* (?: < \s* (-?\d+) \s* : \s* (-?\d+) \s* > \s* )?
        : \s* (f16|bf16|f32|f64) \s* (?: : \s* (\d+) \s* )? , \s* ( \{ [^{}]* \} | [^{}]* ) \s*""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"\s*([-+0-9.eE]+)\s*(?::\s*(-?\d+)\s*)?")
_WIDTHS = (2, 4, 8, 16, 32)


@dataclass(frozen=True)
class Uniform:
    """Numbers `(q - zero point) * scale` of integers `q`.

    Attributes:
        signed: whether the integers are.
        width: how many bits they have.
        least: the least of them.
        most: the largest one.
        expressed: the type of the numbers.
        axis: the axis whose elements have scales of their own; None if there is one scale.
    """

    signed: bool
    width: int
    least: int
    most: int
    expressed: AnyFloat
    axis: int | None
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]

    @property
    def storage(self) -> IntegerType:
        """The type of the integers in a tensor; those of fewer than 8 bits take a byte each."""
        return IntegerType(max(self.width, 8), Signedness.SIGNLESS if self.signed else Signedness.UNSIGNED)

    def without_axis(self) -> Uniform:
        """The type but for where the axis is, which a transpose moves."""
        return replace(self, axis=None)


def is_uniform(kind: Attribute) -> bool:
    """Whether it is a type of this form."""
    return isinstance(kind, KeptAsText) and kind.name == "quant.uniform"


def uniform_of(kind: Attribute) -> Uniform | None:
    """What the type says; None for another one.

    Raises:
        VerifyException: it is not written as such types are, or what it says is not allowed.
    """
    if not isinstance(kind, KeptAsText) or not is_uniform(kind):
        return None
    found = _FORM.fullmatch(kind.text.data)
    if found is None:
        raise _violation(kind, "required: integers:floats, scale:zero point, or scales of one axis in braces")
    sign, width, least, most, expressed, axis, numbers = found.groups()
    signed, bits = sign == "i", int(width)
    if bits not in _WIDTHS:
        raise _violation(kind, f"integers have {bits} bits; required: 2, 4, 8, 16 or 32")
    limits = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    chosen = limits if least is None else (int(least), int(most))
    if not limits[0] <= chosen[0] < chosen[1] <= limits[1]:
        raise _violation(
            kind, f"integers are from {chosen[0]} to {chosen[1]}; required: within {limits[0]} to {limits[1]}"
        )
    if (axis is None) == numbers.startswith("{"):
        raise _violation(kind, "scales in braces have an axis, and one scale has none")
    pairs = [_NUMBER.fullmatch(each) for each in numbers.strip("{} \t\n").split(",")]
    parts = [(_as_float(pair[1]), int(pair[2] or 0)) for pair in pairs if pair is not None]
    if len(parts) < len(pairs) or not all(0 < scale < inf for scale, _ in parts):
        raise _violation(kind, "scales are positive numbers")
    if not all(chosen[0] <= zero <= chosen[1] for _, zero in parts):
        raise _violation(kind, f"zero points are integers from {chosen[0]} to {chosen[1]}")
    scales, zeros = zip(*parts, strict=True)
    return Uniform(signed, bits, *chosen, _FLOATS[expressed], None if axis is None else int(axis), scales, zeros)


def _as_float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return inf


def _violation(kind: KeptAsText, message: str) -> VerifyException:
    return VerifyException(f"found the type !quant.uniform<{kind.text.data}>; {message}")
