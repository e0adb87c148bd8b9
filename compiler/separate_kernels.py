"""Compiling the kernels of a model one by one, beside each other, and each once for all models.

    @main calls @k(%x, constant w)          @k as a job, with the fact that w is a constant
    func @k { loops }                  ──>  LLVM IR of @k, and how it wants w: from the cache, or from the passes
    @main calls @k(%x, constant w.panels16)
    func @k, declared

What becomes of a kernel from `apply-schedule` on depends on no other function, apart from which arguments are
constants. So its text at that point, without names and locations, is the key of a result in the cache. Kernels of which
that may not be true stay in the module, and so do those that somebody has to be told about: with a schedule that a
person wrote, say. The artifact is the same either way.
"""

from __future__ import annotations

import pickle
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import prod

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseResourceAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i8,
    i64,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.argument_names import argument_name
from mlc.analysis.calls import calls_of_functions
from mlc.analysis.loop_constants import constant_behind, runs_of, users_of_buffer
from mlc.analysis.nests import functions_with_loops
from mlc.analysis.spans import StructureUpToPlaces, spans_of
from mlc.compiler.kernel_job import KERNEL_NAME, OTHERS, CompiledKernel, KernelJob
from mlc.compiler.kernel_processes import compile_jobs
from mlc.compiler.options import CompileOptions
from mlc.compiler.recall import compiler_identity
from mlc.dialects.loop import ConstantOp, LoadOp, ScheduleAttr
from mlc.dialects.loop.steps import ArgumentName, Step, type_hints
from mlc.schedules.own_schedules import is_strict
from mlc.schedules.steps.pack import Packer
from mlc.support.bindings import Bindings
from mlc.support.context import CompilerContext
from mlc.support.functions import ONLY_READ, WORKSPACE, is_private
from mlc.support.ir import clone, made_by, symbols_in
from mlc.support.types import memref_type
from mlc.targets.cache import Cache, digest
from mlc.targets.machine import Machine

_SMALL = 1 << 16
"""Constants of up to this number of bytes may be there twice."""


def compile_separately(
    module: ModuleOp, ctx: CompilerContext, options: CompileOptions, machine: Machine, cache: Cache
) -> dict[str, CompiledKernel]:
    """Compile those kernels of a module before `apply-schedule` that can be compiled by themselves.

    They become declarations, and their calls pass constants as they want them.

    Returns:
        what they are compiled to, by their names.
    """
    candidates = list(_candidates(module, ctx))
    given = _options_of_kernels(options)
    described = repr(machine)
    jobs = {each.name: KernelJob(each.text(ctx), each.constants, given, described) for each in candidates}
    results = _results(jobs, cache)
    packer = Packer.of(module, ctx)
    compiled: dict[str, CompiledKernel] = {}
    for each in candidates:
        if (result := results[each.name]) is not None:
            compiled[each.name] = result.named(each.name)
            each.replace_by(result, packer)
    return compiled


def _results(jobs: Mapping[str, KernelJob], cache: Cache) -> dict[str, CompiledKernel | None]:
    """The results of jobs by names of kernels, from the cache as far as it has them."""
    keys = {name: _key(job) for name, job in jobs.items()}
    by_key = {keys[name]: job for name, job in jobs.items()}
    stored = {key: cache.read(key) for key in by_key}
    missing = [key for key, data in stored.items() if data is None]
    found = {key: pickle.loads(data) for key, data in stored.items() if data is not None}
    for key, result in zip(missing, compile_jobs([by_key[key] for key in missing]), strict=True):
        found[key] = result
        cache.write(key, pickle.dumps(result))
    return {name: found[key] for name, key in keys.items()}


def _key(job: KernelJob) -> str:
    """What the result of a job is cached under."""
    constants = ",".join(map(str, job.constants))
    strict = str(is_strict())
    return digest("kernel", compiler_identity(), *job.options.identity, job.machine, strict, constants, job.text)


def _options_of_kernels(options: CompileOptions) -> CompileOptions:
    """The options of a compilation as far as kernels see them."""
    return replace(options, cc=None, records=None, prefix="", suffix="", bindings=Bindings())


@dataclass(frozen=True)
class _Candidate:
    """A kernel that depends on its callers only by which arguments are constants."""

    function: func.FuncOp
    calls: Sequence[func.CallOp]
    constants: tuple[int, ...]
    others: tuple[Attribute, ...]
    """The schedules that may take the place of its own."""

    @property
    def name(self) -> str:
        return self.function.sym_name.data

    def text(self, ctx: CompilerContext) -> str:
        """A module of the kernel alone, equal for kernels that differ in names and locations."""
        from mlc.syntax import module_text

        copy = clone(self.function)
        assert isinstance(copy, func.FuncOp)
        copy.sym_name = StringAttr(KERNEL_NAME)
        arguments = copy.body.blocks[0].args
        schedules = [copy.attributes["schedule"], *self.others] if "schedule" in copy.attributes else []
        names = {argument_name(a): f"arg{a.index}" for a in arguments}
        if any(isinstance(each, ScheduleAttr) and _names_loops_of(each, names) for each in schedules):
            kept: dict[SSAValue, str | None] = {a: a.name_hint for a in arguments}
        else:
            kept = {}
            schedules = [_renamed(each, names) if isinstance(each, ScheduleAttr) else each for each in schedules]
        if schedules:
            copy.attributes["schedule"], *others = schedules
            copy.attributes[OTHERS] = ArrayAttr(others)
        for op in copy.walk():
            for value in made_by(op):
                value.name_hint = kept.get(value)
        return module_text(ModuleOp([copy]), ctx)

    def replace_by(self, result: CompiledKernel, packer: Packer) -> None:
        """Declare the function as it was compiled, and let calls pass what it takes."""
        for position, layout in result.relaid:
            for call in self.calls:
                packer.pass_relaid(call, position, layout)
        types = [operand.type for operand in self.calls[0].operands]
        facts = [_attributes(each, number in result.written) for number, each in enumerate(result.facts)]
        if result.arena:
            types.append(MemRefType(i8, [result.arena]))
            facts[-1] = DictionaryAttr({**facts[-1].data, WORKSPACE: UnitAttr()})
        declared = func.FuncOp(
            self.name, FunctionType.from_lists(types, []), Region(), "private", arg_attrs=ArrayAttr(facts)
        )
        declared.location = self.function.location
        Rewriter.insert_op(declared, InsertPoint.before(self.function))
        Rewriter.erase_op(self.function)


def _attributes(facts: Mapping[str, int | None], is_written: bool) -> DictionaryAttr:
    """Attributes in LLVM of an argument, as attributes of MLIR, and whether its elements are only read, which LLVM is
    not told of what the threads of a loop read."""
    marks = {} if is_written else {ONLY_READ: UnitAttr()}
    return DictionaryAttr({name: UnitAttr() if n is None else IntegerAttr(n, i64) for name, n in facts.items()} | marks)


def _names_loops_of(schedule: ScheduleAttr, arguments: Iterable[str]) -> bool:
    """Whether a schedule names loops that copy an argument, which are called after it (`pack`)."""
    starts = tuple(f"{name}_" for name in arguments)
    return any(loop.startswith(starts) for step in schedule.steps for loop in step.loops)


def _renamed(schedule: ScheduleAttr, names: Mapping[str, str]) -> ScheduleAttr:
    """A schedule whose steps call arguments otherwise."""
    return ScheduleAttr.of(_step_renamed(step, names) for step in schedule.steps)


def _step_renamed(step: Step, names: Mapping[str, str]) -> Step:
    hints = type_hints(type(step))
    of_arguments = [f.name for f in fields(step) if hints[f.name] == ArgumentName]
    return replace(step, **{name: names.get(getattr(step, name), getattr(step, name)) for name in of_arguments})


def _candidates(module: ModuleOp, ctx: CompilerContext) -> Iterator[_Candidate]:
    """The kernels that can be compiled by themselves."""
    calls = calls_of_functions(module)
    kernels = [f for f in functions_with_loops(module) if is_private(f) and calls.get(f.sym_name.data)]
    apart = [f for f in kernels if f.parent_op() is module and _knows_all(f)]
    left = _may_merge(apart) | _may_share_weights(kernels, calls)
    for function in apart:
        schedule = function.attributes.get("schedule")
        rule = ctx.rule_schedules.get((function.sym_name.data, schedule)) if schedule is not None else None
        if function in left or (schedule is not None and (rule is None or rule.others is None)):
            continue
        of_function = calls[function.sym_name.data]
        yield _Candidate(
            function,
            of_function,
            tuple(_constants(function, of_function)),
            rule.others or () if rule is not None else (),
        )


def _knows_all(function: func.FuncOp) -> bool:
    """Whether a function gives nothing but what it stores, and refers to nothing outside."""
    name = function.sym_name.data
    if not (name.isidentifier() and name.isascii()) or function.function_type.outputs.data:
        return False
    inside = (op for op in function.walk() if op is not function)
    return not any(_is_resource(op) or any(True for _ in symbols_in(op)) for op in inside)


def _is_resource(op: Operation) -> bool:
    return isinstance(op, ConstantOp) and isinstance(op.value, DenseResourceAttr)


def _may_merge(functions: Iterable[func.FuncOp]) -> set[func.FuncOp]:
    """Functions that `merge-kernels` may find to be the same, but for where they read and write."""
    alike: dict[Hashable, list[func.FuncOp]] = {}
    for function in functions:
        kinds = (tuple(type(op) for op in function.walk()), function.attributes.get("schedule"))
        alike.setdefault(kinds, []).append(function)
    found: set[func.FuncOp] = set()
    for group in alike.values():
        same: dict[Hashable, list[func.FuncOp]] = {}
        for function in group if len(group) > 1 else ():
            same.setdefault(StructureUpToPlaces(*spans_of(function)).of(function), []).append(function)
        found.update(f for each in same.values() if len(each) > 1 for f in each)
    return found


def _may_share_weights(kernels: Sequence[func.FuncOp], calls: Mapping[str, Sequence[func.CallOp]]) -> set[func.FuncOp]:
    """Functions that read little of a large constant, which they may read in the order in which another one has it
    (`passes/loop/_tied_weights.py`), and those that may be this other one: they have a constant of that size."""
    sizes: dict[func.FuncOp, set[int]] = {}
    rarely_read: set[int] = set()
    for function in kernels:
        for position in _constants(function, calls[function.sym_name.data]):
            argument = function.body.blocks[0].args[position]
            kind = memref_type(argument)
            elements = prod(kind.get_shape())
            if elements * 8 <= _SMALL:  # of at most 8 bytes each
                continue
            sizes.setdefault(function, set()).add(elements)
            if sum(runs_of(op) for op in users_of_buffer(argument) if isinstance(op, LoadOp)) < elements:
                rarely_read.add(elements)
    return {function for function, found in sizes.items() if found & rarely_read}


def _constants(function: func.FuncOp, calls: Sequence[func.CallOp]) -> Iterator[int]:
    """The positions of arguments for which all calls pass constants."""
    for position in range(len(function.args)):
        if all(constant_behind(call.operands[position]) is not None for call in calls):
            yield position
