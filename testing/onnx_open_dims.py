"""How much of ONNX takes dims of which only a range is known: the cases of `onnx.backend.test`, with dims left open.

    python -m mlc.testing.onnx_open_dims                    all cases, by the reference semantics of the graph level
    python -m mlc.testing.onnx_open_dims --only Conv,Gemm   cases of these operators

Of each case, all dims of one extent are left open at a time: the model is converted for extents from 1 to 3 more than
that, and computes the case. What lies after the data are NaN, and integers that are no indices, so that who takes it
for data is found out.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from mlc.dialects.onnx.schemas import onnx_package
from mlc.support.bindings import Bindings, ExtentRange
from mlc.support.errors import CompilerBug, UserError
from mlc.testing import onnx_conformance as conformance

_MORE = 3
"""How much longer than its data a dim can be."""
_OPEN = "open_dim"
"""The name of the dim that is left open."""


@dataclass(frozen=True)
class OpenOutcome:
    """What became of a case whose dims of one extent were left open."""

    name: str
    extent: int
    operator: str
    status: str
    """`pass`, `mismatch`, `refused` or `bug`."""
    detail: str = ""


def run_case(name: str) -> list[OpenOutcome]:
    """The outcomes of a case, one for each extent of its inputs; none if mlc does not compute it with known extents."""
    case = conformance.cases()[name]
    if case.model is None:
        return []
    fixed = conformance.run_case(name, native=False)
    if fixed.status == "bug":
        return [OpenOutcome(name, 0, fixed.operators[0], fixed.status, fixed.detail)]
    if fixed.status != "pass":
        return []
    found: list[OpenOutcome] = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        path, data_sets = conformance.prepare(case, Path(folder))
        inputs, outputs = data_sets[0]
        arrays = [np.asarray(each) for each in inputs]
        operator = conformance.operators_of(path)[0]
        for extent in sorted({e for a in arrays for e in a.shape if e}):
            try:
                made = _run(path, arrays, extent)
            except UserError as e:
                outcome = "refused", e.message
            except CompilerBug as e:
                outcome = "bug", f"{e.stage}: {e.message}"
            except Exception as e:
                outcome = "bug", f"{type(e).__name__}: {e}"
            else:
                if made is None:
                    continue
                problem = conformance.difference(made, outputs, case.rtol, case.atol)
                outcome = ("pass", "") if problem is None or conformance.is_random(name) else ("mismatch", problem)
            found.append(OpenOutcome(name, extent, operator, outcome[0], outcome[1][:300]))
    return found


def _run(path: Path, arrays: Sequence[Any], extent: int) -> list[Any] | None:
    """What a model with open dims makes of inputs; None if no input that it computes with has a dim of that extent.

    Raises:
        UserError: the model is refused with these dims open.
    """
    return conformance.with_fewest_values(arrays, lambda bound: _run_bound(path, arrays, extent, bound))


def _run_bound(path: Path, arrays: Sequence[Any], extent: int, bound: Sequence[int]) -> list[Any] | None:
    from mlc.compiler.compilation import new_context
    from mlc.frontends.onnx.reader import read_onnx
    from mlc.frontends.onnx.to_graph.bind_inputs import bind
    from mlc.frontends.onnx.to_graph.convert_onnx_to_graph import ConvertOnnxToGraphPass
    from mlc.reference.interpreter import run_function
    from mlc.runtime.extents import actual_outputs
    from mlc.support.functions import NAME, extents_in
    from mlc.syntax import verify_module

    if all(i in bound or extent not in a.shape for i, a in enumerate(arrays)):
        return None
    ctx = new_context()
    module = read_onnx(_opened(path, arrays, extent, bound), ctx)
    function: Any = next(iter(module.ops))
    names = [dict(each.data)[NAME].data for each in function.arg_attrs.data]
    values = {names[i]: arrays[i] for i in bound}
    bind(module, Bindings({_OPEN: ExtentRange(1, extent + _MORE)}, values), ctx)
    ConvertOnnxToGraphPass().run(module, ctx)
    verify_module(module)
    given = [_with_room(a, extent) for i, a in enumerate(arrays) if i not in bound]
    found = run_function(module, "main", [*given, np.asarray(extent)], ctx.resources)
    return actual_outputs(
        found, [extents_in(each.data) for each in function.res_attrs] if function.res_attrs else [()] * len(found)
    )


def _opened(path: Path, arrays: Sequence[Any], extent: int, bound: Sequence[int]) -> Path:
    """The file of a model whose inputs, but those that are bound to values, have open dims in place of `extent`."""
    onnx = cast(Any, onnx_package())
    model = onnx.load(str(path))
    for number, (spec, array) in enumerate(zip(model.graph.input, arrays, strict=True)):
        dims = spec.type.tensor_type.shape.dim
        del dims[:]
        for each in array.shape:
            dims.add(**({"dim_param": _OPEN} if each == extent and number not in bound else {"dim_value": each}))
    del model.graph.value_info[:]
    for each in model.graph.output:
        if each.type.HasField("tensor_type"):
            each.type.tensor_type.ClearField("shape")
    file = path.with_name(f"open{extent}.onnx")
    onnx.save(model, str(file))
    return file


def _with_room(array: Any, extent: int) -> Any:
    """An input with room for longer dims, in which nothing may be used."""
    unusable = {"f": np.nan, "c": np.nan, "b": True}.get(array.dtype.kind, 111)
    found = np.full([e + _MORE if e == extent else e for e in array.shape], unusable, array.dtype)
    found[tuple(map(slice, array.shape))] = array
    return found


def table(outcomes: Sequence[OpenOutcome]) -> str:
    """How many outcomes of each kind there are, by operator."""
    rows: dict[str, Counter[str]] = defaultdict(Counter[str])
    for each in outcomes:
        rows[each.operator][each.status] += 1
    lines = [f"{'operator':32} {'pass':>6} {'refused':>8} {'mismatch':>9} {'bug':>5}"]
    for operator, n in sorted(rows.items()):
        lines.append(f"{operator:32} {n['pass']:6} {n['refused']:8} {n['mismatch']:9} {n['bug']:5}")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the cases, print the table and what failed; 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="operators, with commas between them")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--refused", action="store_true", help="print what is refused, too")
    args = parser.parse_args(argv)
    wanted = {word for word in args.only.split(",") if word}
    names = [
        name
        for name, case in conformance.cases().items()
        if case.model is not None and (not wanted or {node.op_type for node in case.model.graph.node} & wanted)
    ]
    with ProcessPoolExecutor(args.workers) as pool:
        outcomes = [each for found in pool.map(run_case, names, chunksize=4) for each in found]
    print(table(outcomes))
    for each in outcomes:
        if each.status in ("mismatch", "bug") or (args.refused and each.status == "refused"):
            print(f"{each.status}: {each.name}, dims of {each.extent}: {each.detail}")
    totals = Counter(each.status for each in outcomes)
    print(", ".join(f"{n} {status}" for status, n in sorted(totals.items())))
    return 1 if totals["mismatch"] or totals["bug"] else 0


if __name__ == "__main__":
    sys.exit(main())
