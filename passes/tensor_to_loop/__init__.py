"""From index notation to loops over buffers.

What is exported here is for patterns of `convert-tensor-to-loop` in a plugin. A pattern meets operands that are buffers
already, and replaces its op by loops that store to the `destination` of each result; `parallel_nest` makes loops around
what it is given.
"""

from mlc.dialects.loop.nests import parallel_nest
from mlc.passes.tensor_to_loop._functions import destination

__all__ = ["destination", "parallel_nest"]
