"""mlc: a machine-learning compiler from model text to native code.

```python
model = mlc.compile("mlp.mlir")        # -> mlc.Model; target="haswell", threads=4, … as on the command line
y = model(x)                           # NumPy arrays in and out
model.save("mlp.so")                   # needs nothing else to run
mlc.load("mlp.so")(x)
module = mlc.parse("mlp.mlir")         # the IR, as an xDSL module
mlc.quantize("mlp.mlir", x).save("int8.mlir")  # products of integers of 8 bits: docs/quantization.md
mlc.load_dialect("poly.py")            # a dialect of your own, in one file: docs/writing-a-dialect.md
```
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # that of `typing` takes time, and a command line is not interruptible before this is read
if TYPE_CHECKING:
    from mlc.api import compile, context_of, parse
    from mlc.compiler.background import wait
    from mlc.compiler.compilation import new_context
    from mlc.frameworks import jax as jax
    from mlc.frameworks import torch as torch
    from mlc.pass_manager.manager import PassManager
    from mlc.plugins import load_dialect, load_pass
    from mlc.quantization import quantize
    from mlc.runtime import ArtifactError, InputError, Model, ShapedModel, load
    from mlc.runtime.tracing import trace
    from mlc.support.errors import CompilerBug, UserError
    from mlc.support.version import __version__
    from mlc.tools.module_builder import new_module
    from mlc.tools.module_view import explore, view

__path__ = [*__path__, os.path.join(os.path.dirname(__file__), "frameworks", "names")]  # noqa: PTH118, PTH120
"""`mlc.torch` is frameworks/torch: a folder `torch` beside this file would hide the package of that name from those who
start Python here."""

__all__ = [
    "ArtifactError",
    "CompilerBug",
    "InputError",
    "Model",
    "PassManager",
    "ShapedModel",
    "UserError",
    "__version__",
    "compile",
    "context_of",
    "explore",
    "load",
    "load_dialect",
    "load_pass",
    "new_context",
    "new_module",
    "parse",
    "quantize",
    "trace",
    "view",
    "wait",
]

_HOMES = {
    "compile": "mlc.api",
    "context_of": "mlc.api",
    "parse": "mlc.api",
    "PassManager": "mlc.pass_manager.manager",
    "wait": "mlc.compiler.background",
    "new_context": "mlc.compiler.compilation",
    "quantize": "mlc.quantization",
    "load_dialect": "mlc.plugins",
    "load_pass": "mlc.plugins",
    "ArtifactError": "mlc.runtime",
    "InputError": "mlc.runtime",
    "Model": "mlc.runtime",
    "ShapedModel": "mlc.runtime",
    "load": "mlc.runtime",
    "trace": "mlc.runtime.tracing",
    "new_module": "mlc.tools.module_builder",
    "explore": "mlc.tools.module_view",
    "view": "mlc.tools.module_view",
    "CompilerBug": "mlc.support.errors",
    "UserError": "mlc.support.errors",
    "__version__": "mlc.support.version",
    "jax": "mlc.frameworks.jax",
    "torch": "mlc.frameworks.torch",
}
"""Where each public name is defined; it is imported when the name is first used."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'mlc' has no attribute '{name}'")
    from importlib import import_module

    home = import_module(_HOMES[name])
    value = home if _HOMES[name].startswith("mlc.frameworks.") else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
