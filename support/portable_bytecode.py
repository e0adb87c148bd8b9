"""Portable artifacts of StableHLO, which `jax.export` writes: bytecode of MLIR that is read through jaxlib."""

from __future__ import annotations

import importlib
import re
from typing import Any, cast

from mlc.support.errors import UserError

_START = b"ML\xefR"
_PRODUCER = re.compile(rb"ML\xefR[^\0]*?StableHLO_v")
"""The producer stands after the version of the format, and ends in 0."""


def text_of_artifact(data: bytes, file: str) -> str | None:
    """The text of a portable artifact; None for data of another kind. `file` stands in messages.

    Raises:
        UserError: jaxlib is not installed, or cannot read it.
    """
    if not data.startswith(_START) or _PRODUCER.match(data) is None:
        return None
    try:
        ir, stablehlo, *others = (
            cast(Any, importlib.import_module(f"jaxlib.mlir.{name}"))
            for name in ("ir", "dialects.stablehlo", "dialects.chlo", "dialects.sdy")
        )
    except ImportError:
        raise UserError(
            f"'{file}' is a portable artifact of StableHLO, which is read through jaxlib; jaxlib is not installed: "
            "pip install \"mlc[jax]\", or write the text that 'jax.export' has, str(exported.mlir_module())"
        ) from None
    with ir.Context() as context:
        for dialect in (stablehlo, *others):
            dialect.register_dialect(context)
        try:
            return str(stablehlo.deserialize_portable_artifact(context, data))
        except Exception as e:
            reason = str(e).strip().partition("\n")[0] or type(e).__name__
            raise UserError(f"'{file}' is a portable artifact of StableHLO that jaxlib cannot read: {reason}") from None
