"""Prints a model of many ops, one relu among them: `python long_model.py COUNT`."""

from __future__ import annotations

import random
import sys

KIND = "tensor<4x8xf32>"


def main(count: int) -> None:
    """Each op reads the one before; half of them read one of the thirty before that as well."""
    rng = random.Random(0)
    values = ["%x", "%y"]
    print(f"func.func @main(%x: {KIND}, %y: {KIND}) -> {KIND} {{")
    for number in range(count):
        name = "relu" if number == count // 2 else rng.choice(["tanh", "neg", "sin", "add", "sub"])
        others = [rng.choice(values[-30:-1])] if name in ("add", "sub") else []
        types = ", ".join([KIND] * (1 + len(others))) + f" -> {KIND}" * bool(others)
        print(f"  %{number} = graph.{name} {', '.join([values[-1], *others])} : {types}")
        values.append(f"%{number}")
    print(f"  return {values[-1]} : {KIND}\n}}")


main(int(sys.argv[1]))
