"""From whole-tensor operators to index notation.

What is exported here is for patterns of `lower-to-tensor`, in this folder or in a plugin: derive from `ToTensor`, or
from `Elementwise` where a point of the result needs one point of each operand, and register by `lowers`.
"""

from mlc.passes.graph_to_tensor._builder import Builder
from mlc.passes.graph_to_tensor._elementwise import Elementwise
from mlc.passes.graph_to_tensor._patterns import ToTensor
from mlc.passes.graph_to_tensor._points import Body, Points

__all__ = ["Body", "Builder", "Elementwise", "Points", "ToTensor"]
