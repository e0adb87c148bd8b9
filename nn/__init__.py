"""Layers of language models, which write graph ops, and architectures that are made of them.

A layer is a value: it holds its weights and numbers, and a call with a `GraphBuilder` and the rows of a chunk of tokens
writes what it computes. Rows are `[n, width]` of f32.

```python
h = RMSNorm(weights.vector("norm.weight", width), 1e-5)(b, x, places)
y = SwiGlu(gate=Linear.of(weights, "gate", hidden, width), up=…, down=…)(b, h)
```

`architectures/` has one file for each architecture that files of GGUF name, which reads like its description.
"""

from __future__ import annotations

from mlc.nn.attention import Attention
from mlc.nn.linear import Embedding, Linear
from mlc.nn.mlp import Gated, Mlp
from mlc.nn.norm import LayerNorm, RMSNorm
from mlc.nn.places import TokenPlaces
from mlc.nn.rotary import Rotary

__all__ = ["Attention", "Embedding", "Gated", "LayerNorm", "Linear", "Mlp", "RMSNorm", "Rotary", "TokenPlaces"]
