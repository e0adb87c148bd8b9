"""mlc for PyTorch: a backend of `torch.compile`, and compilation ahead of time.

```python
fast = torch.compile(model, backend="mlc")         # calls, gradients and training as before
print(mlc.torch.report())                          # what runs natively, and what stays in torch, and why

compiled = mlc.torch.compile(model, (x,))          # -> mlc.Model, which needs neither torch nor Python to run
compiled.save("model.so")
```

Options of the backend are those of `mlc.compile`: `torch.compile(model, backend="mlc", options={"threads": 2})`.
"""

from __future__ import annotations

from mlc.frameworks.torch._backend import backend
from mlc.frameworks.torch._export import compile
from mlc.frameworks.torch._graphs import refresh
from mlc.frameworks.torch._report import Report, report, reset

__all__ = ["Report", "backend", "compile", "refresh", "report", "reset"]
