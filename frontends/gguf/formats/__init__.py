"""How weights are stored in files of GGUF: one file for each block format, found by its name.

A format is a class of `BlockFormat` with the number that files call it by, or of `GroupedFormat` if its numbers are
short integers with a scale, and perhaps an offset, for each group. The structs are those of ggml
(https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h). A plugin adds one by an entry point of the group
`mlc.block_formats`.
"""
