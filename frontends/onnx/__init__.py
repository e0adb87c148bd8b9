"""Models of ONNX, as files, into the `onnx` dialect: `source` for the compiler, `reader` for what it reads."""

SUFFIX = "onnx"
