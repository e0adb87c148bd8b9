"""A model and all that another machine needs to compile it as this one would: one value that can be sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from mlc import plugins
from mlc.compiler.compilation import Compilation, new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.manager import PassManager
from mlc.tuning.workplace import text_without_weights, used_resources

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mlc.plugins.arguments import PluginArguments
    from mlc.support.context import CompilerContext


@dataclass(frozen=True)
class ModelParcel:
    """A model as it was read, before any pass has run: another machine has other facts, by which kernels are made."""

    text: str
    """Without weights."""
    weights: Mapping[str, NDArray[Any]]
    options: CompileOptions
    kernel: str | None
    """The only kernel to tune; None for all."""
    plugins: Sequence[tuple[str, str, bytes]] = ()
    """Kind, name and contents of the files with dialects and passes of other people, in the order of loading."""

    @staticmethod
    def of(
        module: ModuleOp, ctx: CompilerContext, options: CompileOptions, kernel: str | None, arguments: PluginArguments
    ) -> ModelParcel:
        """`module` is the model as it was read; `arguments` name the files of plugins."""
        weights = {name: np.array(ctx.resources.array(name)) for name in used_resources(module)}
        named = {
            "irdl": arguments.irdl_file,
            "dialect": arguments.load_dialect,
            "pass": arguments.load_pass,
        }
        files = [(kind, Path(file).name, Path(file).read_bytes()) for kind, some in named.items() for file in some]
        return ModelParcel(text_without_weights(module, ctx), weights, options, kernel, files)

    def compilation(self, folder: Path) -> Compilation:
        """The model at the tensor level, by the facts of this machine; files of plugins go to `folder`.

        Raises:
            UserError: the model cannot be compiled here, or a plugin not be loaded.
        """
        loaders = {"irdl": plugins.load_irdl, "dialect": plugins.load_dialect, "pass": plugins.load_pass}
        for number, (kind, name, contents) in enumerate(self.plugins):
            file = folder / str(number) / name
            file.parent.mkdir()
            file.write_bytes(contents)
            loaders[kind](str(file))
        ctx = new_context(self.options.target)
        for name, array in self.weights.items():
            ctx.resources.define(name, array)
        module = parse_verified(self.text, "model.mlir", ctx, folder)
        compilation = Compilation(module, ctx, self.options, PassManager(ctx))
        compilation.lower("tensor")
        return compilation
