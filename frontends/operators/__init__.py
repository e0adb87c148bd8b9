"""The library of operators that sources share: `GraphBuilder` writes graph ops, and functions beside it write recurrent
cells, einsum, running sums, norms, resampling, sorting and the like in terms of these. The conversions of `onnx/`,
`torch/` and `stablehlo/` call them; `conversions.py` is how they register functions. Nothing here imports a pass."""
