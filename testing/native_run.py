"""Running a module that is in memory as native code."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast


def run_native(module: Any, ctx: Any, arrays: Sequence[Any]) -> list[Any]:
    """Compile a module for this machine, as the default pipeline does, and call its model; gives the results in order.

    Raises:
        UserError, CompilerBug: it cannot be compiled.
    """
    from mlc.compiler.compilation import Compilation
    from mlc.compiler.options import CompileOptions
    from mlc.pass_manager.manager import PassManager
    from mlc.runtime import load

    with tempfile.NamedTemporaryFile(suffix=".so", delete=False) as file:
        path = Path(file.name)
    try:
        Compilation(module, ctx, CompileOptions(), PassManager(ctx)).build("shared", path)
        found = load(path, temporary=True)(*arrays)
    finally:
        path.unlink(missing_ok=True)
    return [*cast("tuple[Any, ...]", found)] if isinstance(found, tuple) else [found]
