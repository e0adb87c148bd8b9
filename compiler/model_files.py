"""A model in two files: text, and the weights that it names, in a file of safetensors beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import DenseResourceAttr, ModuleOp

from mlc.support.context import CompilerContext
from mlc.support.dtypes import in_safetensors
from mlc.support.errors import UserError
from mlc.support.resources import Resources
from mlc.targets.output import staged_output


def model_files(output: str, what: str, instead: str = "") -> tuple[Path, Path]:
    """The files of text and of weights for `-o OUTPUT`, which `what`, such as "an import", writes.

    Raises:
        UserError: the output is none for text, or the weights would replace a file that belongs to no such text.
    """
    path = Path(output)
    if output == "-":
        advice = f"; {instead}" if instead else ""
        raise UserError(f"{what} writes two files, the text and the weights beside it: -o model.mlir{advice}")
    if path.suffix != ".mlir":
        raise UserError(f"'{output}' is to hold text: give it a name that ends in .mlir")
    weights = path.with_suffix(".safetensors")
    if weights.exists() and not path.exists():
        raise UserError(
            f"'{weights}' is there already, and no '{path}' that {what} wrote with it: choose another output"
        )
    return path, weights


def weights_of(module: ModuleOp, resources: Resources) -> dict[str, Any]:
    """The data behind the resources that a module uses, by name."""
    names: dict[str, None] = {}
    for op in module.walk():
        for value in (*op.properties.values(), *op.attributes.values()):
            if isinstance(value, DenseResourceAttr):
                names[value.resource_handle.data] = None
    return {name: resources.array(name) for name in names}


def write_model(module: ModuleOp, ctx: CompilerContext, output: Path) -> dict[str, Any]:
    """Write the text `output`, and its weights to a file of the same name that ends in .safetensors; none if there are
    none. Gives the weights, which the context then reads from that file.

    Raises:
        OutputError: a file cannot be written.
    """
    from mlc.compiler.emit_text import emit_text

    weights = output.with_suffix(".safetensors")
    tensors = weights_of(module, ctx.resources)
    with staged_output(weights) as staged:
        _save(tensors, staged)
    ctx.resources = Resources()
    if tensors:
        ctx.resources.open_file("weights", weights.name, output.parent, None)
    with staged_output(output) as staged:
        staged.write_text(emit_text(module, ctx, "mlir"), encoding="utf-8")
    if not tensors:
        weights.unlink(missing_ok=True)
    return tensors


def _save(tensors: dict[str, Any], path: Path) -> None:
    import numpy as np
    from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]

    save_file({name: in_safetensors(np.ascontiguousarray(array)) for name, array in tensors.items()}, str(path))
    path.chmod(0o644)
