"""The probes of one machine: which code, on how much memory, and what a call of it does."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from mlc.api import compile as compile_model
from mlc.targets import host
from mlc.targets.machine import Machine
from mlc.tools import probe_code
from mlc.tools.probe_code import CHASES, ProbeCode, chains
from mlc.tools.probe_kernels import FMA_CHAINS, FMA_CHAINS_OF_16_REGISTERS, read_probe
from mlc.tools.probe_library import Array, ProbeLibrary
from mlc.tuning.measure import aligned, repeatedly

IN_FLIGHT = (4, 5, 8, 10, 16)
"""Products of how many multiply-adds start per cycle and how long they take, on the CPUs of the table."""
MEMORY_LEVELS = ("l1", "l2", "l3", "memory")
TASK_CYCLES = 60_000
"""A task of threads that are awake: some 20 µs, more than it takes to share it."""
LONG_TASK_CYCLES = 1_000_000
"""A task for which threads are woken."""
TASKS = 32
_SLEEP = 0.005
"""The seconds after which the threads of a pool sleep for certain."""
_LEAST_MEMORY, _MOST_MEMORY = 64 << 20, 512 << 20
_MEMORY_SHARE = 4
"""How many times the last cache goes into the memory that is read where nothing is to be cached."""
_BYTES = 32 << 20
"""How much a call writes."""
_LINE = 64
_SHUFFLED_LANES = 4
_MANY_LOADS, _FEW_LOADS = 1 << 17, 1 << 14
_FAR = 4 << 20
"""What is larger is in no second cache: walks over it have fewer loads."""


@dataclass(frozen=True)
class Probe:
    """Something to call, and how many instructions, bytes or tasks a call is."""

    call: Callable[[], object]
    work: float
    batches: int = 5
    """How many calls have a best one."""
    prepare: Callable[[], object] = lambda: None
    """To be called before the batches."""


def probes_of(machine: Machine) -> dict[str, Probe]:
    """All probes by name.

    | name | one unit of work |
    |---|---|
    | `clock` | a cycle |
    | `fma 1`, `fma 8`, …, `fma`, `add 1`, … | an instruction, in so many chains or in enough of them |
    | `loads`, `stores`, `gathers`, `shuffles` | an instruction |
    | `mma 1`, `mma` | a product of matrices, where the system lets them be used |
    | `read l2`, `write l2`, `chase l2`, … | a byte, or a load that waits for the one before it |
    | `chase l2 whole`, `chase ways`, `chase sets` | the same on most of a cache, on one set, and on more than a set |
    | `shared`, `alone`, `woken`, `woken alone` | a task of each thread, or of one |

    Raises:
        UserError: there is no usable clang or linker.
    """
    parts = {level: _bytes_to_read(machine, level) for level in MEMORY_LEVELS}
    parts = {level: size for level, size in parts.items() if size}
    code = {"clock": probe_code.clock(machine), "chase": probe_code.chase(machine), **instruction_probes(machine)}
    code |= {f"write {level}": probe_code.write(machine, size) for level, size in parts.items()}
    code |= (products := products_of_matrices(machine))
    library = ProbeLibrary(machine, [*code.values(), *([probe_code.preparation(machine)] if products else [])])
    if products and not library.answers_0("prepare_matrices"):
        code = {name: each for name, each in code.items() if name not in products}
    numbers = aligned(np.full(max(parts.values()) // 4 + 4096, 0.5, np.float32))
    places = aligned(np.random.default_rng(0).integers(0, 1024, 4096).astype(np.int32))
    found: dict[str, Probe] = {}
    for name, each in code.items():
        if each.symbol not in library or name == "chase":
            continue
        is_write = name.startswith("write")
        steps = max(1, _BYTES // each.per_step) if is_write else 4_000_000 // (each.per_step * 4)
        memory = places if name == "gathers" else numbers
        found[name] = Probe(library.caller(each.symbol, memory, steps), steps * each.per_step, 2 if is_write else 5)
    for level, size in parts.items():
        kernel = read_probe(machine, size)
        model = compile_model(kernel.text, target=machine.name)
        inputs = [numbers[: kernel.inputs]]
        found[f"read {level}"] = Probe(repeatedly(model, inputs, 1), kernel.work, 2)
    found |= {name: _chase(library, cells) for name, cells in _walks(machine, parts)}
    return found | (_thread_probes(library) if host.core_count() > 1 else {})


def instruction_probes(machine: Machine) -> dict[str, ProbeCode]:
    """Probes of single instructions."""
    many = FMA_CHAINS if machine.vector_registers >= 32 else FMA_CHAINS_OF_16_REGISTERS
    found = {"loads": probe_code.loads(machine), "stores": probe_code.stores(machine)}
    found["gathers"] = probe_code.gathers(machine, 6)

    def add(name: str, count: int, element: str, op: str) -> None:
        lanes = machine.lanes({"float": 32, "double": 64, "half": 16}[element])
        kind = f"<{lanes} x {element}>"
        intrinsic = f"{kind} @llvm.fma.v{lanes}f{machine.vector_bits // lanes}"
        call = f"call {intrinsic}({kind} {{a}}, {kind} %b, {kind} %c)"
        is_fma = op == "fma" and machine.fma
        text = call if is_fma else f"{'fmul' if op == 'fma' else op} {kind} {{a}}, %b"
        declaration = f"declare {intrinsic}({kind}, {kind}, {kind})" if is_fma else ""
        full = name if count == many else f"{name} {count}"
        found[full] = chains(machine, full.replace(" ", "_"), kind, text, count, declaration)

    for count in (1, *IN_FLIGHT, many):
        add("fma", count, "float", "fma")
    for count in (1, many):
        add("add", count, "float", "fadd")
        add("f64 fma", count, "double", "fma")
    if {"avx512fp16", "fullfp16"} & {*machine.features}:
        add("f16 fma", many, "half", "fma")
    found |= _dots(machine, many)
    lanes = machine.lanes(32)
    mask = ", ".join(
        f"i32 {block + i // 2 + (lanes if i % 2 else 0)}"
        for block in range(0, lanes, _SHUFFLED_LANES)
        for i in range(_SHUFFLED_LANES)
    )
    kind = f"<{lanes} x float>"
    text = f"shufflevector {kind} {{a}}, {kind} %b, <{lanes} x i32> <{mask}>"
    found["shuffles"] = chains(machine, "shuffles", kind, text, 12)
    return found


def _dots(machine: Machine, many: int) -> dict[str, ProbeCode]:
    """Dot products of short types, by the instructions that this architecture has for them."""
    code: dict[str, ProbeCode] = {}
    dots = machine.instruction_set.measured_dots(machine.features, machine.vector_bits)
    lanes = machine.lanes(32)
    for name, dot in dots.items():
        kind, operand = f"<{lanes} x {'float' if dot.element == 'bfloat' else 'i32'}>", dot.operands(lanes)
        intrinsic = f"@{dot.intrinsic}"
        symbol, short = name.replace(" ", "_"), f"{operand} %bb, {operand} %cc"
        casts = [f"%{each * 2} = bitcast {kind} %{each} to {operand}" for each in "bc"]
        if dot.adds:
            declaration = f"declare {kind} {intrinsic}({kind}, {operand}, {operand})"
            text = f"call {kind} {intrinsic}({kind} {{a}}, {short})"
            code[name] = chains(machine, symbol, kind, text, many, declaration, casts)
        else:
            # The sums are factors, too: else LLVM would multiply once, before the loop.
            before = [f"%s16x{{i}} = bitcast {kind} {{a}} to {operand}"]
            before += [f"%p{{i}} = call {kind} {intrinsic}({operand} %s16x{{i}}, {operand} %cc)"]
            declaration, text = f"declare {kind} {intrinsic}({operand}, {operand})", f"add {kind} {{a}}, %p{{i}}"
            code[name] = chains(machine, symbol, kind, text, many, declaration, casts, before)
    return code


def products_of_matrices(machine: Machine) -> dict[str, ProbeCode]:
    """Products of matrices in registers: of as many sums as there are beside the factors, and of one."""
    registers = machine.matrix_registers
    if registers is None or machine.matrix_instruction("i8", "i8") is None:
        return {}
    many = registers.number - 2
    return {"mma": probe_code.matrices(machine, "mma", many), "mma 1": probe_code.matrices(machine, "mma_1", 1)}


def _bytes_to_read(machine: Machine, level: str) -> int:
    """How much is read or written, again and again, to measure a level; 0 if the machine does not have it."""
    if level == "memory":
        wanted = _MEMORY_SHARE * max(machine.l2_bytes, machine.l3_bytes)
        return min(max(_LEAST_MEMORY, wanted), _MOST_MEMORY)
    return {"l1": machine.l1_bytes // 2, "l2": machine.l2_bytes // 2, "l3": machine.l3_bytes // 4}[level]


def _walks(machine: Machine, parts: dict[str, int]) -> Iterator[tuple[str, Array]]:
    """Random walks over memory, by name: arrays in which each line holds the address of the next one."""
    for level, size in parts.items():
        yield f"chase {level}", _walk(size // _LINE, _LINE)
    for level in ("l1", "l2", "l3"):
        if level in parts:
            yield f"chase {level} whole", _walk(3 * getattr(machine, f"{level}_bytes") // 4 // _LINE, _LINE)
    cache = host.first_cache()
    if cache is not None:
        ways = cache[1]
        yield "chase ways", _walk(ways, machine.l1_bytes // ways)
        yield "chase sets", _walk(2 * ways, machine.l1_bytes // ways)


def _walk(places: int, distance: int) -> Array:
    """A cycle through `places` that lie `distance` bytes apart, in random order."""
    step = distance // 8
    cells = aligned(np.zeros(places * step, np.uint64))
    order = np.random.default_rng(1).permutation(places).astype(np.uint64)
    addresses = np.uint64(cells.ctypes.data) + order * np.uint64(distance)
    cells[order * np.uint64(step)] = np.roll(addresses, -1)
    return cells


def _chase(library: ProbeLibrary, cells: Array) -> Probe:
    """A walk that goes on where it stopped, so that it does not meet again soon what it has just brought."""
    loads = _FEW_LOADS if cells.nbytes > _FAR else _MANY_LOADS
    here = np.array([cells.ctypes.data], np.uint64)
    function = library.function("chase")

    def call(alive: Array = cells) -> None:
        del alive
        function(ctypes.c_void_p(int(here[0])), loads // CHASES, here.ctypes.data)

    # What is to be in the last cache is read once, from front to back.
    return Probe(call, loads, 3, cells.max if cells.nbytes < _LEAST_MEMORY else lambda: None)


def _thread_probes(library: ProbeLibrary) -> dict[str, Probe]:
    short, long = (aligned(np.array([cycles], np.int64)) for cycles in (TASK_CYCLES, LONG_TASK_CYCLES))
    return {
        "shared": Probe(library.caller("shared", short, TASKS), TASKS),
        "alone": Probe(library.caller("alone", short, TASKS), TASKS),
        "woken": Probe(library.caller("shared", long, 1), 1, 1, _let_threads_sleep),
        "woken alone": Probe(library.caller("alone", long, 1), 1),
    }


def _let_threads_sleep() -> None:
    """Wait until the threads of the pool sleep."""
    time.sleep(_SLEEP)
