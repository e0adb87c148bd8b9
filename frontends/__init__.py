"""Models of other formats: one folder for each source, and the operator library that they share.

Each source has a dialect for its own operators, and three things are kept apart.

Reading decides nothing. It makes one op of each node. The dialects `onnx` and `aten` are made from the schemas of the
packages `onnx` and `torch`; `stablehlo` is written by hand from its specification. Names of nodes become locations,
which errors cite. Weights stay in the file and are mapped. `mlc-opt model.onnx` prints what came in, and that text is
a test's input like any other.

Binding (`bind-inputs`) gives open dims their extents, and gives values to inputs that only choose between
computations: `--shape batch=1`, `--value sr=16000`.

Conversion (`to_graph/`) is a set of patterns, one file per family of operators. Patterns write graph ops with the
`GraphBuilder` of `operators/`, which computes at once, by the reference semantics, what depends on constants only. So
the computation of shapes (`Shape`, `Gather`, `Concat`, `Range`, an `If` on such a value) is gone afterwards, and each
op has one meaning. What cannot be converted raises `Unconvertible` with the reason; the conversion goes on with what
does not depend on it and reports all reasons together, as `mlc check` does.

| | onnx | aten | stablehlo |
|---|---|---|---|
| types of results | follow in program order, as patterns run | are given by torch, and checked | stand in the text |
| shapes | bound first, then computed | known: torch traces with them | known |
| without a pattern | the function body of the specification | the decomposition that torch gives | an error |
| complex numbers | an error | pairs of real tensors | pairs of real tensors |

A result whose length depends on data has the shape of its upper bound; the actual extent is an i64 value
(`operators/extents.py`). Levels below know nothing of it: all elements are defined, and the attribute `mlc.extents`
of a result names the outputs that hold extents.

Random numbers have no state: `graph.philox` maps a position, a key and a counter to bits, so it is pure
(`operators/random_numbers.py`).
"""
