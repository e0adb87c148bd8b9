"""How much of ONNX mlc computes: the cases of `onnx.backend.test`, by operator.

    python -m mlc.testing.onnx_conformance                    all cases, as native code
    python -m mlc.testing.onnx_conformance --reference        the graph level by its reference semantics: faster
    python -m mlc.testing.onnx_conformance --only Conv,Gemm   cases of these operators
    python -m mlc.testing.onnx_conformance --every 10         a tenth of all

A case passes if all outputs agree within its own tolerances, have its types and its shapes; floats of 16 bits may
differ by two units in the last place, where a tolerance asks for less than one. Shapes, axes and sizes that
a case gives as inputs are bound as values where the conversion needs to know them. Of random numbers only types and
shapes are compared: no specification says which numbers they are.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from mlc.dialects.onnx.schemas import onnx_package
from mlc.frontends.operators.refusals import ConversionError
from mlc.support.bindings import Bindings
from mlc.support.errors import CompilerBug, UserError, UserErrors
from mlc.testing.native_run import run_native
from mlc.testing.onnx_weights import with_seeded_weights

_T = TypeVar("_T")
FAMILIES = ("node", "simple", "pytorch-converted", "pytorch-operator", "real")


_RANDOM = ("bernoulli", "training_dropout")
"""What the names of cases say whose outputs are random numbers; without a ratio to drop there are none."""
_TWO_UNITS = {"float16": 2**-9, "bfloat16": 2**-6}
"""Twice the distance from 1 to the next number."""


@dataclass(frozen=True)
class CaseOutcome:
    """What became of a case."""

    name: str
    operators: tuple[str, ...]
    status: str
    """`pass`, `mismatch`, `unsupported` or `bug`."""
    detail: str = ""


@cache
def cases() -> dict[str, Any]:
    """All cases by name, of every kind."""
    loader = cast(Any, onnx_package("onnx.backend.test.loader"))

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return {f"{kind}/{case.name}": case for kind in FAMILIES for case in loader.load_model_tests(kind=kind)}


def run_case(name: str, native: bool = True) -> CaseOutcome:
    """Run one case."""
    case = cases()[name]
    operators: tuple[str, ...] = ()
    try:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            path, data_sets = prepare(case, Path(folder))
            operators = operators_of(path)
            for inputs, outputs in data_sets:
                found = _run(path, inputs, native)
                atol = np.inf if is_random(name) else case.atol
                if (problem := difference(found, outputs, case.rtol, atol)) is not None:
                    return CaseOutcome(name, operators, "mismatch", problem)
        return CaseOutcome(name, operators, "pass")
    except UserErrors as e:
        return CaseOutcome(name, operators, "unsupported", "; ".join(each.message for each in e.errors)[:300])
    except UserError as e:
        return CaseOutcome(name, operators, "unsupported", e.message[:300])
    except CompilerBug as e:
        return CaseOutcome(name, operators, "bug", f"{e.stage}: {e.message}"[:300])
    except Unusable as e:
        return CaseOutcome(name, operators, "unsupported", str(e)[:300])
    except Exception as e:
        return CaseOutcome(name, operators, "bug", f"{type(e).__name__}: {e}"[:300])


def is_random(name: str) -> bool:
    """Whether the outputs of a case are random numbers."""
    return any(word in name for word in _RANDOM) and "zero_ratio" not in name


class Unusable(Exception):
    """A case has inputs or outputs that are not tensors of numbers."""


def prepare(case: Any, folder: Path) -> tuple[Path, list[tuple[list[Any], list[Any]]]]:
    """The file of a case, perhaps in `folder`, and its pairs of inputs and outputs."""
    onnx = cast(Any, onnx_package())

    if case.data_sets is not None:
        path = folder / "model.onnx"
        onnx.save(case.model, str(path))
        return path, [([_array(a) for a in i], [_array(a) for a in o]) for i, o in case.data_sets]
    if case.model_dir is not None:
        path = Path(case.model_dir) / "model.onnx"
        found = sorted(Path(case.model_dir).glob("test_data_set_*"))
        return path, [(_tensors(d, "input", path), _tensors(d, "output", path)) for d in found]
    path = with_seeded_weights(Path(str(onnx.__file__)).parent.parent / case.url, folder)
    return path, [_seeded(path)]


def _tensors(folder: Path, noun: str, model: Path) -> list[Any]:
    onnx = cast(Any, onnx_package())

    skeleton = onnx.load(str(model), load_external_data=False).graph
    names = list(skeleton.input if noun == "input" else skeleton.output)
    result: list[Any] = []
    for i in range(len(list(folder.glob(f"{noun}_*.pb")))):
        data = (folder / f"{noun}_{i}.pb").read_bytes()
        if names[i].type.WhichOneof("value") != "tensor_type":
            raise Unusable(f"{noun} {i} is not a tensor")
        result.append(onnx.numpy_helper.to_array(onnx.TensorProto.FromString(data)))
    return result


def _array(value: Any) -> Any:
    """A tensor that a case spells as a message, as an array."""
    onnx = cast(Any, onnx_package())
    return onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


def _seeded(path: Path) -> tuple[list[Any], list[Any]]:
    """Inputs by a fixed seed, and what ONNX Runtime makes of them."""
    runtime = cast(Any, importlib.import_module("onnxruntime"))
    session: Any = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    rng: Any = np.random.default_rng(1)
    inputs: list[Any] = [rng.standard_normal(i.shape).astype(np.float32) for i in session.get_inputs()]
    return inputs, session.run(None, {i.name: a for i, a in zip(session.get_inputs(), inputs, strict=True)})


def operators_of(path: Path) -> tuple[str, ...]:
    """The operators of a model, in order."""
    onnx = cast(Any, onnx_package())

    found: dict[str, None] = {}

    def visit(graph: Any) -> None:
        for node in graph.node:
            prefix = f"{node.domain}." if node.domain not in ("", "ai.onnx") else ""
            found[prefix + node.op_type] = None
            for each in node.attribute:
                if each.HasField("g"):
                    visit(each.g)

    visit(onnx.load(str(path), load_external_data=False).graph)
    return tuple(found)


def _run(path: Path, inputs: Sequence[Any], native: bool) -> list[np.ndarray[Any, Any]]:
    if not all(isinstance(each, np.ndarray | np.generic) for each in inputs):
        raise Unusable("an input is not a tensor")
    arrays = [np.asarray(each) for each in inputs]
    if any(a.dtype.kind in "OSU" for a in arrays):
        raise Unusable("an input holds strings")
    return with_fewest_values(arrays, lambda bound: _run_bound(path, arrays, bound, native))


def with_fewest_values(arrays: Sequence[Any], run: Callable[[Sequence[int]], _T]) -> _T:
    """The result of `run`, which gets the numbers of as few inputs to bind to values as the conversion lets go.

    Raises:
        UserError: the first one of `run` that says that a value is needed, or another one.
    """
    numbers = range(len(arrays))
    integers = [i for i in numbers if arrays[i].dtype.kind in "iub"]
    short = [i for i in numbers if arrays[i].ndim < 2]
    both = [i for i in short if i in integers]
    attempts: list[list[int]] = [[], both, short, integers, [*numbers]] if arrays else [[]]
    error: UserError | None = None
    for bound in attempts:
        try:
            return run(bound)
        except UserError as e:
            errors = e.errors if isinstance(e, UserErrors) else (e,)
            if not any(isinstance(each, ConversionError) and each.reason.needs_value for each in errors):
                raise
            error = error or e
    assert error is not None
    raise error


def _run_bound(path: Path, arrays: Sequence[Any], bound: Sequence[int], native: bool) -> list[Any]:
    from mlc.compiler.compilation import new_context
    from mlc.frontends.onnx.reader import read_onnx
    from mlc.frontends.onnx.to_graph.bind_inputs import bind
    from mlc.frontends.onnx.to_graph.convert_onnx_to_graph import ConvertOnnxToGraphPass
    from mlc.reference.interpreter import run_function
    from mlc.runtime.extents import actual_outputs
    from mlc.support.functions import NAME, extents_in
    from mlc.syntax import verify_module

    ctx = new_context()
    module = read_onnx(path, ctx)
    function: Any = next(iter(module.ops))
    names = [dict(each.data)[NAME].data for each in function.arg_attrs.data]  # pyright: ignore
    if len(names) != len(arrays):
        raise Unusable(f"{len(arrays)} inputs for {len(names)}")
    shapes = {n: a.shape for n, a in zip(names, arrays, strict=True)}
    bind(module, Bindings(shapes, {names[i]: arrays[i] for i in bound}), ctx)
    ConvertOnnxToGraphPass().run(module, ctx)
    verify_module(module)
    rest = [a for i, a in enumerate(arrays) if i not in bound]
    if not native:
        found = run_function(module, "main", rest, ctx.resources)
        return actual_outputs(found, [extents_in(each.data) for each in function.res_attrs])
    return run_native(module, ctx, rest)


def difference(found: Sequence[Any], wanted: Sequence[Any], rtol: float, atol: float) -> str | None:
    """What is not as the case wants it."""
    if len(found) != len(wanted):
        return f"{len(found)} outputs, wanted {len(wanted)}"
    for i, (a, b) in enumerate(zip(found, wanted, strict=True)):
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype != b.dtype:
            return f"output {i} is of {a.dtype}, wanted {b.dtype}"
        if a.shape != b.shape:
            return f"output {i} has shape {a.shape}, wanted {b.shape}"
        try:
            units = _TWO_UNITS.get(b.dtype.name, 0.0)
            np.testing.assert_allclose(
                a.astype(np.float64) if a.dtype.kind in "fV" else a,
                b.astype(np.float64) if b.dtype.kind in "fV" else b,
                rtol=max(rtol, units),
                atol=atol,
            )
        except AssertionError as e:
            return " ".join(str(e).split())[:200]
    return None


def run(names: Sequence[str], native: bool, workers: int) -> Iterator[CaseOutcome]:
    """Run cases in processes of their own."""
    if workers == 1:
        for name in names:
            yield run_case(name, native)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(run_case, names, [native] * len(names), chunksize=8)


def sample() -> list[str]:
    """A case for each operator, the first of its name, and those of no single operator: what is run at each change."""
    first: dict[str, str] = {}
    for name, case in cases().items():
        nodes = case.model.graph.node if case.model is not None else ()
        first.setdefault(f"{nodes[0].domain}.{nodes[0].op_type}" if len(nodes) == 1 else name.partition("/")[0], name)
    return list(first.values())


def table(outcomes: Sequence[CaseOutcome]) -> str:
    """Passes, mismatches, bugs and unsupported cases by operator, the first that a case names."""
    rows: dict[str, Counter[str]] = defaultdict(Counter[str])
    for each in outcomes:
        rows[each.operators[0] if each.operators else "?"][each.status] += 1
    lines = [f"{'operator':32} {'pass':>6} {'mismatch':>9} {'unsupported':>12} {'bug':>5}"]
    for operator, counts in sorted(rows.items()):
        lines.append(
            f"{operator:32} {counts['pass']:6} {counts['mismatch']:9} {counts['unsupported']:12} {counts['bug']:5}"
        )
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the cases, print the table and what failed; 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", action="store_true", help="run the graph level, without compiling")
    parser.add_argument("--only", default="", help="operators, with commas between them")
    parser.add_argument("--name", default="", help="a part of the names of cases")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", metavar="FILE", help="write all outcomes there, with what went wrong")
    parser.add_argument(
        "--outcomes",
        metavar="FILE",
        help="put what docs/generate_onnx.py reads there, beside the outcomes of other cases",
    )
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth case")
    args = parser.parse_args(argv)
    names = [name for name in cases() if args.name in name]
    if args.only:
        wanted = {word.lower() for word in args.only.split(",")}
        names = [n for n in names if _named(n) & wanted]
    names = names[:: args.every]
    start = time.perf_counter()
    outcomes = list(run(names, not args.reference, args.workers))
    print(table(outcomes))
    for each in outcomes:
        if each.status in ("mismatch", "bug") or (args.only and each.status != "pass"):
            print(f"{each.status}: {each.name}: {each.detail}")
    totals = Counter(each.status for each in outcomes)
    print(", ".join(f"{n} {status}" for status, n in sorted(totals.items())), f"in {time.perf_counter() - start:.0f} s")
    if args.json:
        Path(args.json).write_text(json.dumps([asdict(each) for each in outcomes], indent=1))
    if args.outcomes:
        before = Path(args.outcomes)
        found: dict[str, Any] = json.loads(before.read_text(encoding="utf-8")) if before.exists() else {}
        found = {name: outcome for name, outcome in found.items() if name in cases()}
        found |= {each.name: [each.status, each.operators[0] if each.operators else "?"] for each in outcomes}
        rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(outcome)}" for name, outcome in sorted(found.items()))
        Path(args.outcomes).write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")
    return 1 if totals["mismatch"] or totals["bug"] else 0


def _named(name: str) -> set[str]:
    model = cases()[name].model
    if model is None:
        return set()
    return {node.op_type.lower() for node in model.graph.node}


if __name__ == "__main__":
    sys.exit(main())
