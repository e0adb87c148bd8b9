"""Functions in LLVM IR that a machine is measured with, for what the loop dialect has no words: single instructions.

Each takes the address of some memory, a number of steps, and an address for what it computes. Chains of one instruction
that wait for nothing but themselves show its latency; enough of them side by side show how many start per cycle (the
method of Agner Fog's "Instruction tables", and of Abel and Reineke, "uops.info", ASPLOS 2019). A walk along pointers
shows the latency of memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.targets.machine import Machine

CLOCK_CYCLES = 16
"""The cycles of a step of `clock`: additions and exclusive ors of integers take one each, on every CPU of the table."""
CHASES = 8
"""The loads of a step of `chase`."""
SIDE_BY_SIDE = 8
"""The accesses of a step of `loads` and `stores`."""


@dataclass(frozen=True)
class ProbeCode:
    """The text of one function, `void symbol(ptr memory, i64 steps, ptr result)`."""

    symbol: str
    text: str
    per_step: int
    """How many instructions of its kind a step has."""


def clock(machine: Machine) -> ProbeCode:
    """A chain of additions whose time says how long a cycle takes."""
    lines: list[str] = []
    value = "%x"
    for i in range(CLOCK_CYCLES // 2):
        lines += [f"%s{i} = add i64 {value}, %y", f"%e{i} = xor i64 %s{i}, %z"]
        value = f"%e{i}"
    return _loop(
        machine,
        "clock",
        ["%y = load volatile i64, ptr %memory", "%z = load volatile i64, ptr %memory"],
        [("%x", "i64", "%y", value)],
        lines,
        CLOCK_CYCLES,
    )


def chase(machine: Machine) -> ProbeCode:
    """Loads each of which says where the next one is."""
    lines = [f"%p{i + 1} = load ptr, ptr %p{i}" for i in range(CHASES)]
    start = ["%start = load ptr, ptr %memory"]
    return _loop(machine, "chase", start, [("%p0", "ptr", "%start", f"%p{CHASES}")], lines, CHASES)


def loads(machine: Machine) -> ProbeCode:
    """Loads of vectors that are in the first cache."""
    vector = f"<{machine.lanes(32)} x float>"
    lines = [_place(i, machine) for i in range(SIDE_BY_SIDE)]
    lines += [f"%v{i} = load volatile {vector}, ptr %at{i}, align 64" for i in range(SIDE_BY_SIDE)]
    return _loop(machine, "loads", [], [], lines, SIDE_BY_SIDE)


def stores(machine: Machine) -> ProbeCode:
    """Stores of vectors to the first cache."""
    vector = f"<{machine.lanes(32)} x float>"
    lines = [_place(i, machine) for i in range(SIDE_BY_SIDE)]
    lines += [f"store volatile {vector} zeroinitializer, ptr %at{i}, align 64" for i in range(SIDE_BY_SIDE)]
    return _loop(machine, "stores", [], [], lines, SIDE_BY_SIDE)


def write(machine: Machine, size: int) -> ProbeCode:
    """A step writes `size` bytes, line by line; its instructions are counted as bytes."""
    vector, bytes_of = f"<{machine.lanes(32)} x float>", machine.vector_bits // 8
    block = SIDE_BY_SIDE * bytes_of
    size = size // block * block
    inner = [f"br label %row\nrow:\n%n = phi i64 [0, %loop], [%next, %row]\n{_at('%base', '%memory', '%n')}"]
    for i in range(SIDE_BY_SIDE):
        inner += [_at(f"%at{i}", "%base", str(i * bytes_of))]
        inner += [f"store volatile {vector} zeroinitializer, ptr %at{i}, align {bytes_of}"]
    inner += ["%next = add i64 %n, " + str(block), f"%more = icmp ult i64 %next, {size}"]
    inner += ["br i1 %more, label %row, label %last, !llvm.loop !0", "last:"]
    return _loop(machine, f"write_{size}", [], [], inner, size, "%last")


def chains(
    machine: Machine,
    symbol: str,
    kind: str,
    op: str,
    count: int,
    declaration: str = "",
    casts: Sequence[str] = (),
    before: Sequence[str] = (),
) -> ProbeCode:
    """`count` chains of one instruction on values of the type `kind`.

    Args:
        op: the instruction, in which `{a}` stands for the value of the chain, and `%b` and `%c` are constant.
        casts: what makes operands of other types of these.
        before: instructions before it in each chain, whose results are named by `{i}`, the number of the chain.
    """
    start = [f"%b = load volatile {kind}, ptr %memory, align 64", f"%c = load volatile {kind}, ptr %memory, align 64"]
    start += [*casts, *(f"%s{i} = load volatile {kind}, ptr %memory, align 64" for i in range(count))]
    carried = [(f"%a{i}", kind, f"%s{i}", f"%n{i}") for i in range(count)]
    lines = [line.format(a=f"%a{i}", i=i) for i in range(count) for line in (*before, f"%n{{i}} = {op}")]
    return _loop(machine, symbol, start, carried, lines, count, declaration=declaration)


def gathers(machine: Machine, count: int) -> ProbeCode:
    """Gathers of numbers that say what to gather next."""
    lanes = machine.lanes(32)
    kind = f"<{lanes} x i32>"
    mask = f"<{lanes} x i1> <{', '.join(['i1 true'] * lanes)}>"
    start = [f"%s{i} = load volatile {kind}, ptr %memory, align 64" for i in range(count)]
    lines: list[str] = []
    for i in range(count):
        lines += [f"%at{i} = getelementptr i32, ptr %memory, {kind} %a{i}"]
        call = f"@llvm.masked.gather.v{lanes}i32.v{lanes}p0(<{lanes} x ptr> %at{i}, i32 4, {mask}, {kind} poison)"
        lines += [f"%n{i} = call {kind} {call}"]
    carried = [(f"%a{i}", kind, f"%s{i}", f"%n{i}") for i in range(count)]
    name = f"{kind} @llvm.masked.gather.v{lanes}i32.v{lanes}p0(<{lanes} x ptr>, i32, <{lanes} x i1>, {kind})"
    return _loop(machine, "gathers", start, carried, lines, count, declaration=f"declare {name}")


def matrices(machine: Machine, symbol: str, count: int) -> ProbeCode:
    """Products of matrices that fill registers, added to `count` others in turn.

    Nothing but a register's number says what an instruction reads, so its chain is as long as the loop.
    """
    registers, product = machine.matrix_registers, machine.matrix_instruction("i8", "i8")
    assert registers is not None and product is not None
    configuration = machine.instruction_set.matrix_configuration(
        [(registers.rows, registers.row_bytes)] * registers.number
    )
    numbers, size = range(registers.number), 8 * len(configuration)
    start = [f"%sizes = alloca [{size} x i8], align 64"]
    for place, word in enumerate(configuration):
        start += [_at(f"%size{place}", "%sizes", str(8 * place)), f"store volatile i64 {word}, ptr %size{place}"]
    start += [f"call void @{registers.configure}(ptr %sizes)"]
    start += [f"call void @{registers.zero}(i8 {number})" for number in numbers]
    factors = f"i8 {registers.number - 2}, i8 {registers.number - 1}"
    lines = [f"call void @{product}(i8 {number}, {factors})" for number in range(count)]
    declarations = [
        f"declare void @{registers.configure}(ptr)",
        f"declare void @{registers.zero}(i8)",
        f"declare void @{registers.release}()",
        f"declare void @{product}(i8, i8, i8)",
    ]
    text = _function(symbol, start, [], lines, ends=[f"call void @{registers.release}()"])
    return ProbeCode(symbol, "\n".join([*declarations, text, _tail(machine)]), count)


def preparation(machine: Machine) -> ProbeCode:
    """Asks the system for registers that hold matrices, and stores its answer, 0 if it gives them."""
    start = ["%status = call i32 @mlc_prepare_matrices()", "store volatile i32 %status, ptr %result"]
    text = _function("prepare_matrices", start, [], [])
    return ProbeCode("prepare_matrices", "\n".join(["declare i32 @mlc_prepare_matrices()", text, _tail(machine)]), 1)


def thread_tasks(machine: Machine) -> str:
    """`shared` lets two threads run a task each, `steps` times, by the hook of artifacts; `alone` runs one as often.

    The memory holds how many cycles a task takes.
    """
    calls = {
        "shared": "call void @mlc_parallel_for(ptr @task, ptr %memory, i64 2)",
        "alone": "call void @task(ptr %memory, i64 %i)",
    }
    functions = [_function(symbol, [], [], [call]) for symbol, call in calls.items()]
    return "\n".join(["declare void @mlc_parallel_for(ptr, ptr, i64)", _TASK, *functions, _tail(machine)])


_TASK = """
define void @task(ptr %memory, i64 %index) noinline {
entry:
  %end = alloca i64
  %cycles = load volatile i64, ptr %memory
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i.next, %loop]
  %x = phi i64 [%index, %entry], [%e, %loop]
  %s = add i64 %x, %cycles
  %e = xor i64 %s, %index
  %i.next = add i64 %i, 2
  %again = icmp ult i64 %i.next, %cycles
  br i1 %again, label %loop, label %done, !llvm.loop !0
done:
  store volatile i64 %e, ptr %end
  ret void
}
"""

_Carried = tuple[str, str, str, str]
"""A value that a loop carries: its name, its type, what it starts from, and what it is next."""


def _loop(
    machine: Machine,
    symbol: str,
    start: Sequence[str],
    carried: Sequence[_Carried],
    lines: Sequence[str],
    per_step: int,
    last_block: str = "%loop",
    declaration: str = "",
) -> ProbeCode:
    text = _function(symbol, start, carried, lines, last_block)
    return ProbeCode(symbol, "\n".join([declaration, text, _tail(machine)]), per_step)


def _function(
    symbol: str,
    start: Sequence[str],
    carried: Sequence[_Carried],
    lines: Sequence[str],
    last_block: str = "%loop",
    ends: Sequence[str] = (),
) -> str:
    """A loop; what it carries is stored after it, so that nothing is dead."""
    phis = [f"{name} = phi {kind} [{first}, %entry], [{after}, {last_block}]" for name, kind, first, after in carried]
    kept = [f"store volatile {kind} {after}, ptr %result, align 8" for _, kind, _, after in carried]
    return "\n".join(
        [
            f"define void @{symbol}(ptr %memory, i64 %steps, ptr %result) #0 {{",
            *("entry:", *start, "br label %loop"),
            *("loop:", f"%i = phi i64 [0, %entry], [%i.next, {last_block}]", *phis, *lines),
            "%i.next = add i64 %i, 1",
            "%again = icmp ult i64 %i.next, %steps",
            "br i1 %again, label %loop, label %done, !llvm.loop !0",
            *("done:", *kept, *ends, "ret void", "}"),
        ]
    )


def _tail(machine: Machine) -> str:
    """Attributes, and that loops stay as they are."""
    words = " ".join(f'"{key}"="{value}"' for key, value in machine.function_attributes.items())
    disabled = '!0 = distinct !{!0, !1}\n!1 = !{!"llvm.loop.unroll.disable"}'
    return f"attributes #0 = {{ nounwind {words} }}\n{disabled}\n"


def _place(index: int, machine: Machine) -> str:
    return _at(f"%at{index}", "%memory", str(index * max(64, machine.vector_bits // 8)))


def _at(name: str, base: str, offset: str) -> str:
    return f"{name} = getelementptr i8, ptr {base}, i64 {offset}"
