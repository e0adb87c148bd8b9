"""The executable meaning of every op, in NumPy, one module per dialect.

Constant folding uses these evaluators too, so each op has one meaning. `--check-each` runs each function that a pass
changed, before and after it, on several draws of inputs (`inputs.py`): ordinary numbers, all magnitudes, infinities,
NaN, subnormals, zeros of both signs, the extremes of integers. It names the first pass, function and value that
differ. Parallel loops run in lockstep, and in small functions forwards and backwards (`orders.py`).

A pass keeps every bit, or declares how far it moves floats (`Pass.rounding`); what that amounts to in a result is
measured by running the function again with noise (`agreement.py`). Rewrites hold for infinities and NaN as for
numbers, with two exceptions: sums that are not loops yet have no order (`any_order.py`), and products with the zeros
of padding may be left out.

Below the loop level the code itself is run and compared (`tools/native_check.py`).
"""
