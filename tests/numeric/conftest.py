"""Running compiled modules: in this process, or in an emulator for other architectures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

import mlc
from mlc.compiler.compilation import Compilation, new_context
from mlc.compiler.model_inputs import Calls
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.manager import PassManager
from mlc.targets import host
from mlc.targets.machine import resolve_target
from mlc.targets.toolchain import find_emulator
from mlc.tools.execution import EmulatedModel

Array = NDArray[Any]
_FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Code is compiled and run for many machines here, so all of it is slow."""
    for item in items:
        if item.path.is_relative_to(_FOLDER):
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def run_compiled(tmp_path: Path) -> Callable[..., list[Array]]:
    """`run_compiled(module, inputs, target="native", opt_level=3)`: the outputs of the module's `main`, compiled.

    The last arguments are the precision and the accuracy. Skips the test if no way to run code for the target is here.
    """

    def run(
        module: ModuleOp,
        inputs: Sequence[Array],
        target: str = "native",
        opt_level: int = 3,
        precision: str = "f32",
        accuracy: str = "exact",
    ) -> list[Array]:
        if resolve_target(target).arch != host.architecture():
            options = CompileOptions(target, opt_level=opt_level, precision=precision, accuracy=accuracy)
            return _emulated(module, inputs, options, tmp_path / "model")
        try:
            model = mlc.compile(module, target=target, opt_level=opt_level, precision=precision, accuracy=accuracy)
        except mlc.ArtifactError as e:
            pytest.skip(str(e))
        outputs = model.run({info.name: array for info, array in zip(model.inputs, inputs, strict=True)})
        return [outputs[info.name] for info in model.outputs]

    return run


def _emulated(module: ModuleOp, inputs: Sequence[Array], options: CompileOptions, path: Path) -> list[Array]:
    arch = resolve_target(options.target).arch
    if find_emulator(arch) is None:
        pytest.skip(f"there is no emulator of {arch} on this machine")
    ctx = new_context(options.target)
    compilation = Compilation(module.clone(), ctx, options, PassManager(ctx))
    signature = compilation.lower_fully()
    compilation.build_program(compilation.program(signature), "exe", path)
    calls = Calls(1, tuple(inputs), (True,) * len(inputs), False)
    return [np.asarray(o[0]) for o in EmulatedModel(path, arch, signature).run(calls)]
