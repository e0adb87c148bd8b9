"""The default pipelines, as data: which passes run, in which order, from which optimisation level on, and why."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.pass_manager.ir_levels import LEVELS, SOURCE_LEVELS
from mlc.pass_manager.pipeline_options import PipelineOptions
from mlc.pass_manager.places import with_placed
from mlc.pass_manager.stage import Stage


def has_threads(options: PipelineOptions) -> bool:
    """Whether more than one thread may be used."""
    return options.threads > 1


def is_fast(options: PipelineOptions) -> bool:
    """Whether algorithms with larger errors may be used."""
    return options.accuracy == "fast"


def is_narrow(options: PipelineOptions) -> bool:
    """Whether factors of f32 are rounded to bf16."""
    return options.precision == "bf16"


PIPELINE = (
    Stage(
        "graph", "convert-onnx-to-graph", 0, "a model of ONNX is spelled in the ops of the graph level", source="onnx"
    ),
    Stage("graph", "convert-aten-to-graph", 0, "and so is one of PyTorch", source="aten"),
    Stage("graph", "convert-stablehlo-to-graph", 0, "and so is one of JAX, or of StableHLO", source="stablehlo"),
    Stage(
        "graph",
        "convert-gguf-to-graph{caches=$caches}",
        0,
        "and so is a language model, as its architecture says",
        source="gguf",
    ),
    Stage("graph", "fold-empty", 0, "what has no elements is known: nothing below has to compute nothing"),
    Stage("graph", "sink-dequantize", 1, "quantised numbers are moved while they are short"),
    Stage("graph", "canonicalize", 1, "later passes meet one spelling of each thing"),
    Stage("graph", "raise-softmax", 1, "what is spelled out as a maximum, exponentials and a sum is one kernel"),
    Stage("graph", "shrink-windows", 1, "taps of a window that meet nothing but padding"),
    Stage("graph", "fold-batch-norm", 1, "a batch norm after a convolution is a change of its weights"),
    Stage(
        "graph",
        "use-integer-products{precision=$precision}",
        1,
        "products of quantised numbers are those of integers where these are faster, with exact sums",
    ),
    Stage("graph", "use-short-weights", 1, "large quantised weights stay short, as they are read faster"),
    Stage(
        "graph", "quantize-rows", 1, "rows of 8 bits are multiplied faster with these, with larger errors", when=is_fast
    ),
    Stage("graph", "shorten-scales", 1, "weights of integers come with scales of 16 bits, and stay as short"),
    Stage(
        "graph",
        "use-short-factors{precision=$precision}",
        1,
        "floats of 16 bits are multiplied as such where that is faster, and summed in f32",
    ),
    Stage(
        "graph", "narrow-products{precision=$precision}", 1, "shorter factors are faster, with errors", when=is_narrow
    ),
    Stage("graph", "convert-layout", 2, "convolutions vectorise over channels, which have to be innermost"),
    Stage("graph", "flatten-windows", 2, "few channels fill no matrix of a register: a row of a window does"),
    Stage("graph", "fold-constants", 1, "transposed or folded weights are computed now, once"),
    Stage("graph", "fold-scales", 1, "what quantises a product divides by no scale: that is in the factors before it"),
    Stage("graph", "use-lookup-tables", 1, "a function of a number of 8 bits has 256 results: they are looked up"),
    Stage("graph", "cse", 1, "folding leaves equal constants and equal ops"),
    Stage("graph", "dce", 1, "and ops without users"),
    Stage("graph", "use-winograd", 2, "3 x 3 convolutions have fewer products, and larger errors", when=is_fast),
    Stage("graph", "hoist-from-scans", 1, "products that no step has to wait for are one, before the loop"),
    Stage("graph", "where-to-if", 1, "steps of which nothing is taken compute nothing"),
    Stage("graph", "merge-products{threads=$threads}", 2, "narrow products of one input are a wide one, full of lanes"),
    Stage(
        "graph",
        "widen-factors{precision=$precision}",
        1,
        "bytes that no instruction multiplies are stored as the pairs of 16 bits that they would become each time",
    ),
    Stage("graph", "hoist-padding", 1, "who computes an image stores it with its border: no copy for the convolution"),
    Stage("graph", "fuse", 1, "each group becomes one kernel, so values stay in registers between ops"),
    Stage("tensor", "convert-graph-to-tensor", 0, "from what the model says to what each kernel computes per point"),
    Stage("tensor", "wrap-scalars", 0, "models take and give memory: a scalar is a tensor, or a buffer, of rank 0"),
    Stage(
        "tensor", "convert-linalg-to-tensor", 0, "what upstream MLIR writes as linalg on tensors is index notation, too"
    ),
    Stage("tensor", "fold-moves", 1, "what was transposed, sliced or reshaped is read where it lies"),
    Stage("tensor", "sink-factors", 1, "a softmax before a product divides the results, not the terms"),
    Stage(
        "tensor", "skip-roundings{precision=$precision}", 1, "a number in a register has bits to spare", when=is_narrow
    ),
    Stage("tensor", "outline-kernels", 1, "and what has not come from the graph level gets kernels here"),
    Stage("tensor", "collapse-dims", 1, "fewer, longer loops; a 1 x 1 convolution is a matrix product"),
    Stage("tensor", "unify-dims", 1, "a step of a schedule means the same in each nest of a kernel"),
    Stage("tensor", "limit-dims", 2, "where an extent is known at run time, loops end there: the rest is padding"),
    Stage(
        "tensor",
        "deduplicate-kernels",
        1,
        "equal layers share one kernel: less to compile, warmer instruction cache",
    ),
    Stage("tensor", "schedule", 2, "chooses tiles, packing and vector dimensions from shapes and machine facts"),
    Stage("loop", "convert-tensor-to-loop", 0, "from what is computed to in which order"),
    Stage("loop", "convert-scf-to-loop", 0, "and so are the loops of upstream MLIR"),
    Stage("loop", "outline-loops", 2, "loops that a function came with are scheduled as kernels are, by proof"),
    Stage("loop", "inline-kernels", 2, "a loop over a few numbers keeps them in registers, from kernel to kernel"),
    Stage("loop", "write-in-place", 2, "what is only computed to be concatenated is stored where it goes: no copies"),
    Stage("loop", "apply-schedule{accuracy=$accuracy}", 2, "carries out the steps that `schedule`, or a person, wrote"),
    Stage("loop", "transpose-loads", 2, "blocks that are read by columns are read by rows, and shuffled in registers"),
    Stage("loop", "merge-loads", 2, "dot products take words from lanes of a register, which one load fills"),
    Stage("loop", "pair-rows", 2, "two rows and two columns are one instruction where the target has it"),
    Stage("loop", "fold-storage", 2, "fused loops need a row of a buffer at a time, which stays in the first cache"),
    Stage("loop", "forward-stores", 2, "and one number of a row not even that: it stays in a register"),
    Stage("loop", "merge-stores", 2, "vectors of bytes fill a register, and one instruction makes and stores them"),
    Stage("loop", "blocked-summation", 0, "a sum of millions of numbers is as good as one of a few hundred"),
    Stage(
        "loop",
        "expand-math{precision=$precision}",
        0,
        "exp, tanh and the like become polynomials: artifacts call no libm",
    ),
    Stage("loop", "parallelize{threads=$threads}", 1, "spreads loops over threads where that pays", when=has_threads),
    Stage(
        "loop", "merge-kernels", 1, "what differs in the place of its arguments alone is one kernel, called with parts"
    ),
    Stage("loop", "plan-memory", 0, "every buffer gets an offset in one workspace: artifacts allocate nothing"),
    Stage("loop", "cse", 2, "unrolled bodies repeat loads and index arithmetic"),
    Stage("loop", "sink", 2, "values are computed where they are needed, which leaves registers to accumulators"),
    Stage("loop", "split-vectors", 1, "three registers, which LLVM would pad to four, become two and one"),
    Stage("llvm", "convert-loop-to-llvm", 0, "from loops to blocks, from memrefs to pointers"),
)

BY_KERNEL = (
    "apply-schedule",
    "transpose-loads",
    "merge-loads",
    "pair-rows",
    "fold-storage",
    "forward-stores",
    "merge-stores",
    "blocked-summation",
    "expand-math",
    "parallelize",
    "plan-memory",
    "cse",
    "sink",
    "split-vectors",
    "convert-loop-to-llvm",
)
"""Passes from `apply-schedule` on that make the same of a kernel whatever else is in the module. Of its callers they
ask which arguments are constants (`support/absent_callers.py`)."""

_FOR_ALL_MACHINES = {
    "fold-empty",
    "canonicalize",
    "fold-constants",
    "cse",
    "dce",
    "fuse",
    "collapse-dims",
    "unify-dims",
}
"""Passes of the graph and the tensor level that ask for no fact of a machine, besides those that no program can do
without."""
TO_PLAIN_LOOPS = (
    *(s for s in PIPELINE if s.level in ("graph", "tensor") and (s.since == 0 or s.passes in _FOR_ALL_MACHINES)),
    *(s for s in PIPELINE if s.passes in ("convert-tensor-to-loop", "convert-scf-to-loop")),
)
"""What leads models of all sources to loops on any machine: with what a backend adds, a pipeline of its own."""

LEVEL_CONVERSIONS = {level: next(step.passes for step in PIPELINE if step.level == level) for level in LEVELS[1:]}
"""The pass that reaches each level below the first."""

TEXT_OF_UPSTREAM = {"tensor": "convert-linalg-to-tensor", "loop": "convert-scf-to-loop"}
"""Conversions of text of upstream MLIR, by the level that they lead to, which they run after the conversion to."""


def level_conversions(start: str, end: str) -> list[str]:
    """The passes that lead from a level down to another one; none if that is not below."""
    first = -1 if start in SOURCE_LEVELS else LEVELS.index(start)
    levels = LEVELS[first + 1 : 0 if end in SOURCE_LEVELS else LEVELS.index(end) + 1]
    return [f"convert-{start}-to-graph" if level == LEVELS[0] else LEVEL_CONVERSIONS[level] for level in levels]


def default_steps(
    options: PipelineOptions,
    upto: str = LEVELS[-1],
    after: str | None = None,
    stages: Sequence[Stage] = PIPELINE,
) -> list[Stage]:
    """The steps of `-O<level>` as far as the level `upto`, starting after the level `after` if given; those of
    plugins at their places. `stages` are those of a backend.

    Raises:
        UserError: a plugin places a pass at no pass.
    """
    first = LEVELS.index(after) + 1 if after else 0
    levels = LEVELS[first : LEVELS.index(upto) + 1]
    opt_level = options.opt_level
    steps = [step for step in stages if step.since <= opt_level and (step.when is None or step.when(options))]
    return [step for step in with_placed(steps, opt_level) if step.level in levels]
