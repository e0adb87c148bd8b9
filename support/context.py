"""What a compilation carries besides the IR: registered dialects, weight data, remarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.context import Context
from xdsl.ir import Attribute, Operation

from mlc.support.errors import SourceLocation
from mlc.support.locations import location_of
from mlc.support.open_dialect import OpenDialect
from mlc.support.resources import Resources
from mlc.support.shared_panels import SharedPanels


@dataclass(frozen=True)
class Remark:
    """One decision of a pass: told to a user who asks with `--remarks`, or, as a warning, to everybody."""

    message: str
    location: SourceLocation | None

    def __str__(self) -> str:
        return f"{self.location}: {self.message}" if self.location else self.message


@dataclass
class CompilerContext(Context):
    """xDSL's context plus the data that belongs to a compilation.

    As in MLIR, the blobs behind `dense_resource<name>` belong to the context, not to the IR.
    """

    resources: Resources = field(default_factory=Resources)
    remarks: list[Remark] = field(default_factory=list[Remark])
    warnings: list[Remark] = field(default_factory=list[Remark])
    rule_schedules: set[tuple[str, Attribute]] = field(default_factory=set[tuple[str, Attribute]])
    """The schedules that `schedule` has written, each with the name of its function: others are a person's."""
    shared_panels: SharedPanels | None = None
    """What the modules of this context share, if there are several: the variants of a model for several shapes."""
    records: Any = None
    """What was measured of schedules (`mlc.tuning.recorded_schedules`), for `schedule`; None if nothing is asked."""
    target: str = "native"
    """The target that passes ask for machine facts (`mlc.targets.machine`)."""

    def get_optional_op(self, name: str, *, dialect_stack: Sequence[str] = ()) -> type[Operation] | None:
        """The class of an op by its name, also of one that an open dialect does not list."""
        dialect = self.get_optional_dialect(name.partition(".")[0]) if "." in name else None
        if isinstance(dialect, OpenDialect) and (made := dialect.op_named(name)) is not None:
            return made
        return super().get_optional_op(name, dialect_stack=dialect_stack)

    def remark(self, op: Operation, message: str) -> None:
        """Record why something was done, or not done, to `op`."""
        self.remarks.append(Remark(message, location_of(op)))

    def warn(self, op: Operation, message: str) -> None:
        """Record that what a person asked for in `op` was not done."""
        self.warnings.append(Remark(message, location_of(op)))

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
