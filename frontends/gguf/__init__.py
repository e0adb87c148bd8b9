"""Language models in files of GGUF: `file` reads them, `formats` says how weights are stored, `to_graph` converts.

A file holds metadata, which say what the architecture is, and tensors, which are mapped and not read before they are
needed. What an architecture computes is defined elsewhere, and found by its name (`architecture`).
"""

SUFFIX = "gguf"
