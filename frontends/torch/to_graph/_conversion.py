"""One run of the conversion, and what it says of an operator that has no pattern."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.ir import Operation, SSAValue

from mlc.dialects import aten, graph
from mlc.dialects.aten.open_extents import SIZES
from mlc.dialects.aten.schemas import op_name, tags_of
from mlc.frontends.operators.complex_values import is_complex
from mlc.frontends.operators.extents import result_extents
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize
from mlc.frontends.torch.to_graph._bodies import CountingConversion, convert_bodies
from mlc.frontends.torch.to_graph._decompositions import Decompositions
from mlc.pass_manager.lowering import LoweringDriver, lowering_of
from mlc.support.errors import LOAD_PASS
from mlc.support.torch_namespaces import NAMESPACES

ATEN_PASS = "convert-aten-to-graph"
"""The pass that patterns register for."""
ATEN_PAIRS = f"{ATEN_PASS} (complex)"
"""What those register for that are for calls with complex numbers."""

NO_ATEN_PATTERN = ("mlc has no pattern for this operator; ", LOAD_PASS, " adds one (docs/pytorch.md)")
"""Why an op is refused that nothing converts."""
OF_COMPLEX = "it computes with complex numbers, for which mlc has no pattern here"
"""Why one is refused that real numbers may have."""

_BECAUSE = {
    "nondeterministic_seeded": "it draws random numbers, which torch's own generator does",
    "dynamic_output_shape": "the shape of its result depends on data",
    "data_dependent_output": "it asks for numbers while the graph is made",
}
"""Why operators have no pattern, by torch's tags."""
_OWN_REASONS = {
    "_linalg_check_errors": "it raises an exception if a matrix is singular, or not positive definite, which depends "
    "on data",
    "cholesky": "it raises an exception if a matrix is not positive definite, which depends on data; "
    "torch.linalg.cholesky is native but for that check",
    "linalg_eig": "mlc has no eigenvalues of matrices that are not symmetric",
    "linalg_eigvals": "mlc has no eigenvalues of matrices that are not symmetric",
    "linalg_ldl_factor_ex": "mlc has no factors of symmetric matrices that are not definite",
    "linalg_ldl_solve": "mlc has no factors of symmetric matrices that are not definite",
}
"""Why single operators have no pattern."""


def without_pattern(name: str, is_complex: bool = False) -> Unconvertible:
    """Why an op with this name is refused, for which there is no pattern."""
    if (reason := _OWN_REASONS.get(name.removeprefix("aten."))) is None:
        otherwise = OF_COMPLEX if is_complex else NO_ATEN_PATTERN
        return Unconvertible(next((_BECAUSE[tag] for tag in tags_of(name) if tag in _BECAUSE), otherwise))
    return Unconvertible(reason)


@dataclass
class AtenConversion(CountingConversion):
    """One run of the conversion from ATen."""

    PASS: ClassVar[str] = ATEN_PASS
    extents: list[AnySize] = field(default_factory=list["AnySize"])
    """Those that calls of the function in hand give."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.knowledge.hand_on = result_extents
        self.decompositions = Decompositions(has_pattern)
        self.of_pairs = LoweringDriver(ATEN_PAIRS, self)

    def lower(self, ops: Iterable[Operation]) -> None:
        """Convert ops, in program order. One without a pattern becomes what torch says that it is made of, or is
        refused."""
        for op in list(ops):
            driver = self.of_pairs if has_complex(op) else self.driver
            if driver.handles(op):
                driver.lower([op])
            elif isinstance(op, graph.IfOp | graph.WhileOp):
                convert_bodies(self, op)
            elif not isinstance(op, aten.AtenOp):
                continue
            elif op.results and all(result.first_use is None for result in op.results):
                continue  # what nobody reads is not computed, and need not be known
            elif any(self.is_lost(v) for v in op.operands):
                self.lose(op)
            elif any(v in self.knowledge.extents for v in op.operands):
                cause = self.knowledge.cause_of(next(iter(_extents(self, op))))
                self.refuse(op, (*_objection(op).words, f"; an extent of an operand {cause}"))
            elif self.extents and SIZES in op.attributes:
                self.refuse(op, (*_objection(op).words, "; an extent of its result is known at the call only"))
            elif (body := self.decompositions.expand(op, self.resources)) is not None:
                self.lower(body)
            else:
                self.refuse(op, _objection(op))


def _extents(run: AtenConversion, op: Operation) -> Iterable[SSAValue]:
    return (extent for v in op.operands for extent in run.knowledge.extents.get(v, {}).values())


def has_pattern(overload: object) -> bool:
    """Whether there is a pattern for an `OpOverload`."""
    namespace, _, rest = op_name(overload).partition(".")
    if namespace not in NAMESPACES:
        return False
    return any(lowering_of(name, aten.op(rest, namespace)) is not None for name in (ATEN_PASS, ATEN_PAIRS))


def has_complex(op: Operation) -> bool:
    """Whether an op takes or gives complex numbers."""
    return isinstance(op, aten.AtenOp) and any(map(is_complex, (*op.operands, *op.results)))


def _objection(op: Operation) -> Unconvertible:
    return without_pattern(op.name, has_complex(op))
