"""What a compilation carries besides the IR: registered dialects, weight data, remarks."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from mlc.support.absent_callers import AbsentCallers
from mlc.support.errors import SourceLocation
from mlc.support.functions import is_private
from mlc.support.locations import location_of
from mlc.support.open_dialect import OpenDialect
from mlc.support.resources import Resources
from mlc.support.shared_panels import SharedPanels


@dataclass(frozen=True)
class Remark:
    """One decision of a pass: told to a user who asks with `--remarks`, or, as a warning, to everybody."""

    message: str
    location: SourceLocation | None
    kernel: str | None = field(default=None, compare=False)
    """The private function that it is about, as far as that is known: several may be of one place in the source."""
    ops: tuple[Operation, ...] = field(default=(), compare=False, repr=False)
    """What it is about, as long as there are no kernels: the first one that will be in a kernel decides."""

    def __str__(self) -> str:
        return f"{self.location}: {self.message}" if self.location else self.message


@dataclass(frozen=True)
class RuleSchedule:
    """What is known of a schedule that no person wrote."""

    others: tuple[Attribute, ...] | None = None
    """For one of a template of mlc, the other candidates, which are taken if it is wrong. None for one of a plugin, or
    a record, whose mistakes are told."""


class ScheduleRecords(Protocol):
    """What was measured of schedules, as `schedule` asks for it (`mlc.schedules.records`)."""

    def best(
        self, kernel: FuncOp, module: ModuleOp, constants: Container[tuple[str, int]], ctx: CompilerContext
    ) -> Sequence[Any] | None:
        """The recorded steps for `kernel`, a function of `module` at the tensor level; None if there are none.

        `constants` holds the arguments (name of the function, position) that are known when a program is compiled.
        """
        ...


@dataclass
class CompilerContext(Context):
    """xDSL's context plus the data that belongs to a compilation.

    As in MLIR, the blobs behind `dense_resource<name>` belong to the context, not to the IR.
    """

    resources: Resources = field(default_factory=Resources)
    remarks: list[Remark] = field(default_factory=list[Remark])
    warnings: list[Remark] = field(default_factory=list[Remark])
    rule_schedules: dict[tuple[str, Attribute], RuleSchedule] = field(
        default_factory=dict[tuple[str, Attribute], RuleSchedule]
    )
    """The schedules that `schedule` has written, each by the name of its function and itself: others are a person's."""
    shared_panels: SharedPanels | None = None
    """What the modules of this context share, if there are several: the variants of a model for several shapes."""
    records: ScheduleRecords | None = None
    """What was measured of schedules; None if `schedule` asks nothing."""
    absent_callers: AbsentCallers | None = None
    """What is known of the callers of a kernel that is compiled by itself; None where callers are in the module."""
    target: str = "native"
    """The target that passes ask for machine facts (`mlc.targets.machine`)."""

    def get_optional_op(self, name: str, *, dialect_stack: Sequence[str] = ()) -> type[Operation] | None:
        """The class of an op by its name, also of one that an open dialect does not list."""
        dialect = self.get_optional_dialect(name.partition(".")[0]) if "." in name else None
        if isinstance(dialect, OpenDialect) and (made := dialect.op_named(name)) is not None:
            return made
        return super().get_optional_op(name, dialect_stack=dialect_stack)

    def remark(self, op: Operation, message: str, *others: Operation) -> None:
        """Record why something was done, or not done, to `op`; or to `others`, should no kernel compute `op`."""
        self.remarks.append(remark_about(message, op, *others))

    def attribute_remarks(self, kernels: Mapping[Operation, str]) -> None:
        """Say of each remark which of the kernels it is about, by the ops that these compute."""
        for i, each in enumerate(self.remarks):
            if each.ops:
                kernel = next((kernels[op] for op in each.ops if op in kernels), None)
                self.remarks[i] = replace(each, kernel=kernel, ops=())

    def warn(self, op: Operation, message: str) -> None:
        """Record that what a person asked for in `op` was not done."""
        self.warnings.append(Remark(message, location_of(op)))

    def warn_at(self, location: SourceLocation, message: str) -> None:
        """Record what is wrong with a text that still means something: of equal messages the first one."""
        if all(each.message != message for each in self.warnings):
            self.warnings.append(Remark(message, location))

    def clone(self) -> CompilerContext:
        """A copy that shares weight data but not registrations, remarks or warnings."""
        base = super().clone()
        return CompilerContext(
            base.allow_unregistered,
            base._loaded_dialects,  # pyright: ignore[reportPrivateUsage]
            base._loaded_ops,  # pyright: ignore[reportPrivateUsage]
            base._loaded_attrs,  # pyright: ignore[reportPrivateUsage]
            base._loaded_types,  # pyright: ignore[reportPrivateUsage]
            base._registered_dialects,  # pyright: ignore[reportPrivateUsage]
            self.resources.clone(),
            target=self.target,
        )


def remark_about(message: str, op: Operation, *others: Operation) -> Remark:
    """A remark about `op`, or about `others` should no kernel compute `op`, which is recorded nowhere yet."""
    kernel = _kernel_around(op)
    return Remark(message, location_of(op), kernel, (op, *others) if kernel is None else ())


def _kernel_around(op: Operation) -> str | None:
    """The name of the private function that `op` is, or is in."""
    current: Operation | None = op
    while current is not None and not isinstance(current, FuncOp):
        current = current.parent_op()
    return current.sym_name.data if current is not None and is_private(current) else None
