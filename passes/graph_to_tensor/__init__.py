"""From whole-tensor operators to index notation.

What is exported here is for patterns of `convert-graph-to-tensor`, in this folder or in a plugin: derive from
`ToTensor`, or from `Elementwise` where a point of the result needs one point of each operand, and register by
`lowers`. Subscripts are made of `d(0)`, `d(1)`, …, the dims of an op, of which `every(n)` gives the first; `dims_of`
gives dims usual names.

Three kinds of types end at this conversion. Unsigned integers become signless ones, and arguments and results that
were unsigned are marked `mlc.unsigned` (`_signedness.py`). Floats of 16 bits and less are types of memory: a
kernel computes in f32 and rounds each result (`_halves.py`), so that no result depends on which ops share a kernel.
Floats of 8 bits and less, and integers of less than 8, are codes in bytes: conversions become arithmetic on codes
(`_codes.py`), and `mlc.stored` marks what callers see.
"""

from mlc.passes.graph_to_tensor._builder import Builder, d, dims_of, every
from mlc.passes.graph_to_tensor._elementwise import Elementwise
from mlc.passes.graph_to_tensor._patterns import ToTensor
from mlc.passes.graph_to_tensor._points import Body, Points, unchanged

__all__ = ["Body", "Builder", "Elementwise", "Points", "ToTensor", "d", "dims_of", "every", "unchanged"]
