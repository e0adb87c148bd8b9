"""The levels of the IR, and what the pipeline is named that leads to each."""

from mlc.support.torch_namespaces import NAMESPACES

LEVELS = ("graph", "tensor", "loop", "llvm")
"""The levels of the IR, from the model to machine code."""
SOURCE_LEVELS = {
    "onnx": ("onnx",),
    "aten": tuple(NAMESPACES),
    "stablehlo": ("stablehlo", "chlo", "sdy"),
    "gguf": ("gguf",),
}
"""The levels of models that come from elsewhere, each with its dialects. They stand beside one another above the first
of `LEVELS`, to which `convert-<level>-to-graph` leads."""
LEVEL_OF = {
    dialect: level for level, dialects in (*SOURCE_LEVELS.items(), *((x, (x,)) for x in LEVELS)) for dialect in dialects
}
"""The level that all ops of a dialect belong to; others may be of several."""
LOWER_TO = {level: f"lower-to-{'loops' if level == 'loop' else level}" for level in LEVELS}
"""The pipeline that reaches each level, from any one above."""
