"""How patterns for ATen find their arguments: by name, or by place where a version of torch has another name."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")

from mlc.dialects import aten
from mlc.dialects.aten.schemas import schema_of
from mlc.frontends.operators.pattern_files import import_patterns
from mlc.frontends.torch.to_graph import Unconvertible, _calls
from mlc.frontends.torch.to_graph._conversion import ATEN_PAIRS, ATEN_PASS
from mlc.pass_manager.lowering import lowered_ops

_CDIST = {"grad": True, "x1": True, "x2": True, "p": True, "cdist": True}


@pytest.mark.parametrize(
    ("wanted", "given", "places"),
    [
        (_CDIST, ["grad", "x1", "x2", "p", "cdist"], ["grad", "x1", "x2", "p", "cdist"]),
        (_CDIST, ["grad", "x1", "x2", "p", "cdist_result"], ["grad", "x1", "x2", "p", "cdist_result"]),
        (_CDIST, ["gradient", "x1", "x2", "p", "cdist"], ["gradient", "x1", "x2", "p", "cdist"]),
        ({"self": True, "src": True}, ["self", "dim", "src"], ["self", "src"]),
        ({"self": True, "value": False}, ["self", "other"], ["self"]),
    ],
)
def test_a_name_that_the_schema_lacks_is_found_by_its_place(
    wanted: dict[str, bool], given: list[str], places: list[str]
) -> None:
    assert list(_calls.places_of(wanted, given).values()) == places


@pytest.mark.parametrize("given", [["grad", "x1", "x2", "p"], ["grad", "x1", "x2", "p", "q", "r"]])
def test_an_argument_that_is_not_there_is_no_other(given: list[str]) -> None:
    with pytest.raises(Unconvertible, match=f"no argument 'cdist' of it; it has {', '.join(given)}"):
        _calls.places_of(_CDIST, given)


def test_every_pattern_finds_its_arguments_in_this_torch() -> None:
    import_patterns("mlc.frontends.torch.to_graph")
    looked = 0
    for op, pattern in (*lowered_ops(ATEN_PASS), *lowered_ops(ATEN_PAIRS)):
        schema = schema_of(op.name)
        wanted: Any = getattr(pattern, "wanted", None)
        if wanted is not None and issubclass(op, aten.AtenOp) and schema is not None:
            names = [a.name for a in schema.arguments]
            assert set(_calls.places_of(wanted, names)) >= {n for n, needed in wanted.items() if needed}, op.name
            looked += 1
    assert looked > 300
