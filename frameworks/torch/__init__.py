"""mlc for PyTorch: a backend of `torch.compile`, and compilation ahead of time.

```python
fast = torch.compile(model, backend="mlc")         # calls, gradients and training as before
print(mlc.torch.report())                          # what runs natively, and what stays in torch, and why

compiled = mlc.torch.compile(model, (x,))          # -> mlc.Model, which needs neither torch nor Python to run
compiled.save("model.so")
```

Options of the backend are those of `mlc.compile`: `torch.compile(model, backend="mlc", options={"threads": 2})`.

AOTAutograd gives graphs of forward, backward and inference passes. A graph is compiled when it is called, since
extents are numbers then: `CompiledGraph` keeps an entry for each set of extents. One code serves all extents up to some
where each operator is proven to be right for them (`_open.py`); code for a power of two of rows serves fewer rows where
it is proven that no row depends on another one (`_rows.py`). In inference, weights are
constants of the code, packed as its loops read them; an entry notes the tensors and their versions, and each call
compares. In training they are inputs, in torch's memory. What mlc cannot convert stays in torch, and the rest of the
graph becomes parts around it. No error of mlc reaches the user's model: the model runs in torch, with a warning and a
line in the report.
"""

from __future__ import annotations

from mlc.frameworks._package import require

require("torch")

from mlc.frameworks.torch._backend import backend  # noqa: E402
from mlc.frameworks.torch._export import compile  # noqa: E402
from mlc.frameworks.torch._graphs import refresh  # noqa: E402
from mlc.frameworks.torch._report import Report, report, reset  # noqa: E402

__all__ = ["Report", "backend", "compile", "refresh", "report", "reset"]
