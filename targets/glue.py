"""The units around the generated code: what describes a model, its C header, its thread pool, the runner, memcpy."""

from __future__ import annotations

import math
import re
from functools import cache
from importlib import resources

from mlc.support.dtypes import c_constant, dtype_named
from mlc.targets.cache import digest
from mlc.targets.machine import Machine
from mlc.targets.program import Program, Signature, TensorSpec
from mlc.targets.units import Unit
from mlc.targets.variants import ProgramVariants, header_part

PARALLEL_FOR = "mlc_parallel_for"
"""The function that kernels call to spread a loop over threads, see runtime/mlc.h."""
TRACE_START, TRACE_END = "mlc_trace_start", "mlc_trace_end"
"""What a model calls before and after each kernel if it records when they run, see runtime/trace.c."""
PREPARE_MATRICES = "mlc_prepare_matrices"
"""The function that a model with registers for matrices calls first, see runtime/matrices.c."""


def entry_unit(program: Program, machine: Machine) -> Unit:
    """The code that calls the kernels, and what tells of it."""
    entry = program.entry
    text = f"{entry.text}\n{_signature_text(program.signature, machine)}"
    return Unit(entry.name, text, opt_level=entry.opt_level)


def variants_unit(variants: ProgramVariants, machine: Machine) -> Unit:
    """What tells of a model of several variants."""
    return Unit("signature", _signature_text(variants, machine))


def _signature_text(signature: Signature | ProgramVariants, machine: Machine) -> str:
    """Defines `mlc_<name>_workspace_bytes` and `mlc_<name>_signature`, in LLVM IR."""
    text = signature.to_json(machine).encode() + b"\0"
    literal = "".join(f"\\{byte:02X}" for byte in text)
    return f"""@{signature.symbol}_signature_text = private unnamed_addr constant [{len(text)} x i8] c"{literal}"

define i64 @{signature.symbol}_workspace_bytes() {{
  ret i64 {signature.workspace_bytes}
}}

define ptr @{signature.symbol}_signature() {{
  ret ptr @{signature.symbol}_signature_text
}}
"""


def runner_unit(program: Program | ProgramVariants, machine: Machine) -> Unit:
    """The program around the model of an executable. It runs on all CPUs, for it says what one lacks."""
    instruction_set = machine.instruction_set
    features = ", ".join(map(instruction_set.feature_initializer, machine.required_cpu_flags))
    prelude = f"""#define CPU "{machine.cpu}"
#define FEATURES {{{features}}}
"""
    source = _calls_of(program) if program.runner is None else program.runner.source
    text = instruction_set.c_source + prelude + _runtime_file("program.c") + source
    return Unit("runner", text, "c", flags=instruction_set.any_cpu_flags)


def _calls_of(program: Program | ProgramVariants) -> str:
    """The program that calls a model with what it reads."""
    assert isinstance(program, Program), "a program reads elements of one shape"
    signature = program.signature
    prelude = f"""#define MODEL(suffix) {signature.symbol}##suffix
#define INPUTS {len(signature.inputs)}
#define OUTPUTS {len(signature.outputs)}
#define INPUT_BYTES {_c_sizes(signature.inputs)}
#define OUTPUT_BYTES {_c_sizes(signature.outputs)}
"""
    return prelude + _runtime_file("runner.c")


def threads_unit(threads: int, machine: Machine, is_traced: bool = False) -> Unit:
    """The default `mlc_parallel_for`, which runs a loop on at most `threads` threads, and may record when."""
    defines = f"#define THREADS {threads}\n" + "#define TRACED\n" * is_traced
    return Unit("threads", machine.instruction_set.c_source + defines + _runtime_file("threads.c"), "c")


def trace_unit(machine: Machine) -> Unit:
    """What records when kernels run."""
    return Unit("trace", machine.instruction_set.c_source + _runtime_file("trace.c"), "c")


def matrices_unit(machine: Machine) -> Unit:
    """What asks the system for registers that hold matrices."""
    return Unit("matrices", machine.instruction_set.c_source + _runtime_file("matrices.c"), "c")


@cache
def memory_unit() -> Unit:
    """memcpy, memmove and memset, which LLVM calls for large copies even in freestanding code."""
    return Unit("memory", _runtime_file("memory.c"), "c")


def header_text(program: Program | ProgramVariants) -> str:
    """A C header, complete in itself, that declares and documents one model.

    Its guard names the contents: headers of two different models of one name do not hide each other.
    """
    if isinstance(program, ProgramVariants):
        symbol = program.symbol
        body = "\n".join(map(_header_body, program.signatures)) + header_part(program)
    else:
        symbol, body = program.signature.symbol, _header_body(program.signature)
    guard = f"{symbol.upper()}_{digest(body)[:8].upper()}_H"
    return f"{_runtime_file('mlc.h')}\n#ifndef {guard}\n#define {guard}\n{body}#endif\n"


def _header_body(signature: Signature) -> str:
    name, symbol = signature.name, signature.symbol
    macro = symbol.upper()
    arrays = "".join(_c_shape(f"{symbol}_{kind}{i}_shape", t) for kind, i, t in _tensors(signature))
    arrays += "".join(_c_extents(f"{symbol}_{kind}{i}", t) for kind, i, t in _tensors(signature) if t.extents)
    tables = _c_table(signature, "input", signature.inputs) + _c_table(signature, "output", signature.outputs)
    places = _c_places(f"{macro}_INPUT", signature.inputs) + _c_places(f"{macro}_OUTPUT", signature.outputs)
    return f"""/* The model "{name}", compiled by mlc {signature.version}. */

#define {macro}_INPUTS {len(signature.inputs)}
#define {macro}_OUTPUTS {len(signature.outputs)}
#define {macro}_WORKSPACE_BYTES {signature.workspace_bytes}

/* Where each input and output stands in the arrays of a call. */
{places}
{arrays}
{tables}
#ifdef __cplusplus
extern "C" {{
#endif

/* Run the model once. 0 means success; -2 that the system does not grant the registers for matrices (AMX) that a model
   for such a CPU needs, and that nothing was computed. Several threads may call it, each with a workspace of its own.{
        _out_of_range(signature)
    }
   inputs:    one pointer per input, to its elements in row-major order{_open(signature)}
   outputs:   one pointer per output, to room for its elements; must not overlap anything else{_bounded(signature)}
   workspace: {symbol}_workspace_bytes() bytes, 64-byte aligned */
int32_t {symbol}(const void *const *inputs, void *const *outputs, void *workspace);

/* The size of the workspace of one call. */
uint64_t {symbol}_workspace_bytes(void);

/* Names, dtypes and shapes of inputs and outputs, the target and the mlc version, as JSON. */
const char *{symbol}_signature(void);

#ifdef __cplusplus
}}
#endif
"""


def byte_size(spec: TensorSpec) -> int:
    """The size of a tensor in memory."""
    return math.prod(spec.shape) * dtype_named(spec.dtype).itemsize


def _tensors(signature: Signature) -> list[tuple[str, int, TensorSpec]]:
    inputs = [("input", i, t) for i, t in enumerate(signature.inputs)]
    return inputs + [("output", i, t) for i, t in enumerate(signature.outputs)]


def _c_shape(name: str, spec: TensorSpec) -> str:
    # C has no arrays of length 0: the shape of a scalar gets an element that its rank hides.
    return f"static const int64_t {name}[] = {{{', '.join(map(str, spec.shape)) or 0}}};\n"


def _c_extents(name: str, spec: TensorSpec) -> str:
    return f"static const int32_t {name}_extents[] = {{{', '.join(map(str, spec.extents))}}};\n"


def _bounded(signature: Signature) -> str:
    """Lines about the outputs that are as long as data says."""
    return "".join(
        f"\n              output {number} has up to {output.shape[axis]} elements along dim {axis}: output {place} says"
        for number, output in enumerate(signature.outputs)
        for axis, place in enumerate(output.extents)
        if place >= 0
    )


def _out_of_range(signature: Signature) -> str:
    said = "\n   -3 means that an extent is outside of its range, and that nothing was computed."
    return said if any(t.range for t in signature.inputs) else ""


def _open(signature: Signature) -> str:
    """Lines about the inputs that are as long as callers say."""
    lines: list[str] = []
    for number, spec in enumerate(signature.inputs):
        if spec.extents:
            room = "x".join(map(str, spec.shape))
            lines.append(
                f"input {number} needs room for {room} elements, all of which may be read; rows lie as in these"
            )
        for axis, place in enumerate(spec.extents):
            if place >= 0:
                held = signature.inputs[place].range
                ends = "" if held is None else f" from {held[0]} to {held[-1]}"
                ends += f" by {held.step}" if held is not None and held.step > 1 else ""
                lines.append(f"  along dim {axis} as much is data as input {place} says, an int64_t{ends}")
    return "".join(f"\n              {line}" for line in lines)


def _c_table(signature: Signature, kind: str, specs: tuple[TensorSpec, ...]) -> str:
    if not specs:
        return ""
    rows = "".join(
        f'    {{"{_c_escape(t.name)}", {c_constant(t.dtype)}, {len(t.shape)}, {signature.symbol}_{kind}{i}_shape, '
        f"{f'{signature.symbol}_{kind}{i}_extents' if t.extents else 0}}},\n"
        for i, t in enumerate(specs)
    )
    return f"static const mlc_tensor_info {signature.symbol}_{kind}s[] = {{\n{rows}}};\n"


def _c_places(prefix: str, specs: tuple[TensorSpec, ...]) -> str:
    """Constants that name the tensors; characters that C does not know become `_`."""
    names = [re.sub(r"\W", "_", t.name, flags=re.ASCII) for t in specs]
    rows = [f"{prefix}_{n if names.count(n) == 1 else f'{n}_{i}'} = {i}" for i, n in enumerate(names)]
    return f"enum {{ {', '.join(rows)} }};\n" if rows else ""


def _c_escape(text: str) -> str:
    plain = text.isascii() and text.isprintable()
    if plain and '"' not in text and "\\" not in text and "?" not in text:
        return text
    # Octal escapes end after three digits, so whatever follows cannot become part of them.
    return "".join(f"\\{byte:03o}" for byte in text.encode())


def _c_sizes(specs: tuple[TensorSpec, ...]) -> str:
    """An initializer with the byte sizes of `specs`, never an empty one."""
    return f"{{{', '.join(f'{byte_size(t)}u' for t in specs) or '0'}}}"


@cache
def _runtime_file(name: str) -> str:
    return resources.files("mlc.runtime").joinpath(name).read_text(encoding="utf-8")
