"""mlc for JAX: functions compiled when they are called, or ahead of time.

```python
@mlc.jax.jit                                        # in place of jax.jit
def step(params, batch): ...

gradient = mlc.jax.jit(jax.grad(loss))              # transformations of JAX come first
compiled = mlc.jax.compile(step, params, batch)     # for the shapes of examples
compiled.save("step.so")                            # needs neither JAX nor Python to run
```

Arrays go in and out without copies. Options are those of `mlc.compile`: `mlc.jax.jit(f, threads=2)`.

JAX traces a function and lowers it to StableHLO text, which is read like any other. Arrays that the function closes
over become arguments first, then constants by reference, so that no text holds their digits. Results are fresh
arrays, or lie in the memory of a donated argument. XLA itself calls functions with many small results (`_xla_call.py`).
"""

from __future__ import annotations

from mlc.frameworks._package import require

require("jax")

from mlc.frameworks.jax._compiled import Compiled, compile  # noqa: E402
from mlc.frameworks.jax._jit import jit  # noqa: E402

__all__ = ["Compiled", "compile", "jit"]
