"""The schemas of the operators that ONNX Runtime adds are those of the runtime."""

# Neither package has types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

import pytest

from mlc.dialects.onnx import op
from mlc.dialects.onnx.contributed import contributed
from mlc.frontends.operators.pattern_files import import_patterns
from mlc.pass_manager.lowering import lowering_of

onnx: Any = pytest.importorskip("onnx")
state: Any = pytest.importorskip("onnxruntime.capi.onnxruntime_pybind11_state")
_NAMES = sorted(contributed())


def _of_runtime() -> dict[tuple[str, str], Any]:
    return {(s.domain, s.name): s for s in state.get_all_operator_schema() if s.since_version == 1}


_OF_RUNTIME = _of_runtime()


def _operands(formals: Any) -> list[tuple[str, str]]:
    return [(each.name, str(each.option).rpartition(".")[2]) for each in formals]


def _default(said: bytes) -> Any:
    message = onnx.AttributeProto.FromString(said)
    return onnx.helper.get_attribute_value(message) if message.name else None


@pytest.mark.parametrize("name", _NAMES, ids=[".".join(name) for name in _NAMES])
def test_operands_and_attributes(name: tuple[str, str]) -> None:
    """A version of the runtime may lack what a later one adds, and has nothing that the schema here lacks."""
    own, other = contributed()[name], _OF_RUNTIME[name]
    for mine, formals in ((own.inputs, other.inputs), (own.outputs, other.outputs)):
        theirs = _operands(formals)
        assert _operands(mine)[: len(theirs)] == theirs
    assert set(other.attributes) <= set(own.attributes)
    for key, said in other.attributes.items():
        mine = own.attributes[key]
        assert (mine.type.name, mine.required) == (str(said.type).rpartition(".")[2], said.required)
        default = None if said.required else _default(said._default_value)
        found = _default(mine.default_value.SerializeToString())
        assert found == (pytest.approx(default) if isinstance(default, float) else default)


def test_each_has_a_conversion() -> None:
    import_patterns("mlc.frontends.onnx.to_graph")
    missing = [name for name in _NAMES if lowering_of("convert-onnx-to-graph", op(name[1], name[0])) is None]
    assert missing == []
