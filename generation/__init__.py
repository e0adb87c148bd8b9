"""Text from language models in files of GGUF: tokens and back, chats, sampling, and calls that keep caches.

```python
from mlc.generation.generator import Generator

model = Generator.load("model.gguf")
for piece in model.stream("The capital of France is", most=16):
    print(piece, end="", flush=True)
```
"""
