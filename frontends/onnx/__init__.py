"""Models of ONNX, as files, into the `onnx` dialect."""

from mlc.frontends.onnx.reader import read_onnx

__all__ = ["read_onnx"]
