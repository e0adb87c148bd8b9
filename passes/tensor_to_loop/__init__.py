"""From index notation to loops over buffers.

What is exported here is for patterns of `convert-tensor-to-loop` in a plugin. A pattern meets operands that are
buffers already, and replaces its op by loops that store to the `destination` of each result; `parallel_nest` makes
loops around what it is given.

This is bufferization in destination-passing style. Each structured op becomes a nest of loops named after its dims.
If all readers of a value are in one nest and read each of its points exactly once, at the same point, the value is
fused into that nest: an activation stands between the reduction loop and the only store. So epilogue fusion is no
special case.

Reductions carry their accumulator as a value of the loop (`iter_args`), never through memory. That is what makes the
steps of schedules simple: unrolling a parallel loop around a reduction *jams* it, so the accumulators of a register
tile are carried vectors, and no pass knows what a matmul is.

A scan becomes a `loop.for` that carries buffers: a step reads where the step before wrote. A carried value has two
buffers that alternate, and the last one is that of the result; a value that is also stacked is read from the stack.

A result marked `mlc.donated = n` may lie in the memory of argument `n` (`_donation.py`): if the last read of the
argument precedes the first write of the result, the result reuses its buffer; otherwise it gets its own, and is copied.
"""

from mlc.dialects.loop.nests import parallel_nest
from mlc.passes.tensor_to_loop._functions import destination

__all__ = ["destination", "parallel_nest"]
