"""Tuples, and calls of functions that mlc knows by name: those by which programs check themselves, and LAPACK's."""

from __future__ import annotations

from typing import cast

from mlc.dialects.stablehlo import HloOp, hlo
from mlc.reference.execution import Array, Frame, executes
from mlc.reference.stablehlo.expectations import almost_equal, close, equal
from mlc.reference.stablehlo.lapack import lapack_results
from mlc.support.locations import error_at


@executes(hlo("tuple"))
def make_tuple(op: HloOp, frame: Frame) -> None:
    """A value of several."""
    frame[op.results[0]] = cast(Array, tuple(frame[v] for v in op.operands))


@executes(hlo("get_tuple_element"))
def get_tuple_element(op: HloOp, frame: Frame) -> None:
    """One of them."""
    frame[op.results[0]] = cast("tuple[Array, ...]", frame[op.operands[0]])[op.number("index")]


@executes(hlo("custom_call"))
def custom_call(op: HloOp, frame: Frame) -> None:
    """An expectation, or a function of LAPACK.

    Raises:
        UserError: the function is unknown, or the expectation does not hold.
    """
    name = op.word("call_target_name")
    values = [frame[v] for v in op.operands]
    if name == "check.expect_eq":
        equal(op, values[0], values[1])
    elif name == "check.expect_close":
        close(op, values[0], values[1], 0, 3)
    elif name == "check.expect_almost_eq":
        almost_equal(op, values[0], values[1], 1e-3)
    elif (found := lapack_results(op, values)) is not None:
        for result, value in zip(op.results, found, strict=True):
            frame[result] = value
    else:
        raise error_at(op, f"stablehlo.custom_call: mlc has no function '{name}'; it runs what is written in StableHLO")
