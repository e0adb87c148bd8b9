"""Quantisation after training: a model of floats becomes one whose products take integers of 8 bits.

| step | file |
|---|---|
| inputs to measure with: a file, a folder, arrays, or random numbers | `samples.py` |
| which ops are products, and along which axis weights have scales of their own | `products.py` |
| runs of the compiled model that also give what is inside | `observation.py` |
| from the numbers that a tensor has to a scale and a zero point | `calibration.py` |
| weights alone: integers of 4 or 8 bits, in groups | `weights.py` |
| `graph.quantize` and `graph.dequantize` before a product | `insertion.py` |
| what each product is off, and which stay in floats | `planning.py` |

What is decided stands in the IR: a product has `mlc.precision = "i8"`, and `mlc.error`, its error relative to that of
floats; of weights alone `"i4 weights"`. One with `mlc.precision = "f32"` stays in floats, whatever wrote that.
"""

from mlc.quantization.calibration import METHODS
from mlc.quantization.planning import QuantizedModel, Row
from mlc.quantization.quantize import quantize

__all__ = ["METHODS", "QuantizedModel", "Row", "quantize"]
