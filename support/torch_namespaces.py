"""The namespaces of PyTorch's operators that models are made of: who adds their operators to torch.

A namespace is a dialect, whose folder stands in `dialects/`. To read another one is to add a row and that folder.
"""

from __future__ import annotations

from dataclasses import dataclass

ATEN = "aten"
"""The namespace of torch itself."""


@dataclass(frozen=True)
class TorchNamespace:
    """Where the operators of a namespace come from.

    Attributes:
        module: what adds them to torch when it is imported.
        package: what to install if they are not there.
    """

    module: str
    package: str


NAMESPACES = {
    ATEN: TorchNamespace("torch", "torch"),
    "torchvision": TorchNamespace("torchvision", "torchvision"),
    "quantized_decomposed": TorchNamespace("torch.ao.quantization.fx._decomposed", "torchao"),
    "torchao": TorchNamespace("torchao.quantization", "torchao"),
}
"""By name. Operators of a package are there once its module is imported."""
ADDED = tuple(name for name in NAMESPACES if name != ATEN)
"""Those that packages add."""
