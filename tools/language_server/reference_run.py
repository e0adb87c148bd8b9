"""Runs a function by the meaning of its ops (`mlc.reference`) and prints random inputs and what it makes of them:
`python -m mlc.tools.language_server.reference_run FILE FUNCTION`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import new_context, parse_verified
from mlc.plugins.arguments import PluginArguments, add_plugin_arguments
from mlc.reference.inputs import Draw, draw_inputs
from mlc.reference.interpreter import interface_of, run_function
from mlc.support.dtypes import dtype_of
from mlc.support.errors import UserError
from mlc.support.semantics import UndefinedBehavior
from mlc.tools.driver import ArgumentParser, Namespace, run_tool

_SHOWN = 64
"""The elements of an array beyond which only the first and the last ones are printed."""


def _run(arguments: Namespace) -> None:
    given = vars(arguments)
    PluginArguments(**{name: given[name] for name in ("load_dialect", "load_pass", "irdl_file")}).load()
    file = Path(given["model"])
    ctx = new_context()
    module = parse_verified(file.read_text(encoding="utf-8"), str(file), ctx, file.parent)
    name = str(given["function"])
    found = [op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == name and op.body.blocks]
    interface = interface_of(found[0]) if found else None
    if interface is None:
        raise UserError(f"'{name}' is not a function on tensors or memrefs, with a body")
    types = [(tuple(kind.get_shape()), dtype_of(kind.element_type)) for kind in interface.inputs]
    if any(size < 0 for shape, _ in types for size in shape):
        raise UserError(f"'{name}' has inputs of open sizes; required: sizes, as --shape gives them to mlc-opt")
    inputs = draw_inputs([0], types, Draw("ordinary"))
    try:
        outputs = run_function(module, name, inputs, ctx.resources)
    except UndefinedBehavior as e:
        raise UserError(f"'{name}' has no meaning for these inputs: {e}") from None
    for kind, arrays in (("input", inputs), ("output", outputs)):
        for number, array in enumerate(arrays):
            print(f"{kind} {number}: {_described(array)}\n")


def _described(array: NDArray[Any]) -> str:
    kind = f"{'x'.join(map(str, array.shape))}{'x' if array.shape else ''}{array.dtype}"
    return f"{kind}\n{np.array2string(array, threshold=_SHOWN, precision=6)}"


def main() -> int:
    """Run it and return the exit status: 0, 1 after a user error."""
    parser = ArgumentParser("reference", __doc__ or "")
    parser.add_argument("model")
    parser.add_argument("function")
    add_plugin_arguments(parser)
    return run_tool("reference", lambda: _run(parser.parse(sys.argv[1:])))


if __name__ == "__main__":
    sys.exit(main())
