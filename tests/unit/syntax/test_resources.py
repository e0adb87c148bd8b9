"""Weight data: files and bytes that a text names, and their checks against the types that use them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from safetensors import numpy as safetensors

from mlc.syntax.errors import LIMIT

from .conftest import Syntax

USE = "%w = arith.constant dense_resource<{name}> : tensor<{type}>\n"
EXTERNAL = '{-# external_resources: { mlc: { weights: "w.safetensors" } } #-}'
BLOB = '{-# dialect_resources: { builtin: { "0.w": "0x040000000000803F00000040" } } #-}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save = cast(Any, safetensors).save_file
    save({"fc1.weight": np.arange(6, dtype="float32").reshape(2, 3)}, tmp_path / "w.safetensors")
    return tmp_path


def test_a_weight_file(syntax: Syntax, folder: Path) -> None:
    text = USE.format(name="fc1.weight", type="2x3xf32") + EXTERNAL
    module = syntax.parse(text, folder)
    assert syntax.ctx.resources.array("fc1.weight").tolist() == [[0, 1, 2], [3, 4, 5]]
    printed = syntax.print(module)
    assert 'weights: "w.safetensors"' in printed
    assert Syntax().parse(printed, folder)


def test_bytes_in_the_text(syntax: Syntax) -> None:
    module = syntax.parse(USE.format(name='"0.w"', type="2xf32") + BLOB)
    assert syntax.ctx.resources.array("0.w").tolist() == [1.0, 2.0]
    printed = syntax.print(module)
    assert 'dense_resource<"0.w">' in printed
    assert '"0.w": "0x040000000000803F00000040"' in printed
    assert Syntax().print(Syntax().parse(printed)).startswith("builtin.module")


def test_arrays_of_passes_are_printed(syntax: Syntax) -> None:
    name = syntax.ctx.resources.add(np.array([1, -2], dtype="int64"), "packed")
    printed = syntax.print(syntax.parse(USE.format(name=name, type="2xi64")))
    again = Syntax()
    again.parse(printed)
    assert again.ctx.resources.array(name).tolist() == [1, -2]


def test_a_text_without_its_weights(syntax: Syntax) -> None:
    """As many are told as of other errors."""
    uses = [f"%w{i} = arith.constant dense_resource<w{i}> : tensor<2xf32>\n" for i in range(LIMIT + 5)]
    errors = syntax.errors("".join(uses))
    assert len(errors) == LIMIT
    assert all(f"'w{i}'" in error for i, error in enumerate(errors))


def test_a_weight_file_that_was_cut_off(syntax: Syntax, folder: Path) -> None:
    """At any length: what is not there would be a signal when it is read."""
    file, text = folder / "w.safetensors", USE.format(name="fc1.weight", type="2x3xf32") + EXTERNAL
    content = file.read_bytes()
    for size in range(len(content)):
        file.write_bytes(content[:size])
        (error, *_) = Syntax().errors(text, folder)
        assert "'w.safetensors' is not a safetensors file: it" in error
        if size == len(content) - 1:
            assert f"it has {size} bytes, and 'fc1.weight' ends at byte {size + 1}: it is cut off" in error


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("[]", "its header is not a JSON object"),
        ("{ ", "its header is not a JSON object"),
        ("[" * 100_000, "its header is not a JSON object"),
        ('{"w": 1}', "'w' lacks its dtype, its shape or its data_offsets"),
        ('{"w": {"dtype": "F32", "shape": [1]}}', "'w' lacks its dtype, its shape or its data_offsets"),
        ('{"w": {"dtype": "F8", "shape": [1], "data_offsets": [0, 4]}}', "'w' has the unsupported dtype F8"),
        ('{"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}', "the bytes of 'w' do not fit its shape"),
        ('{"w": {"dtype": "F32", "shape": [-1, -1], "data_offsets": [0, 4]}}', "the bytes of 'w' do not fit its shape"),
        ('{"w": {"dtype": "F32", "shape": [1.0], "data_offsets": [0, 4]}}', "the bytes of 'w' do not fit its shape"),
        ('{"w": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}}', "the bytes of 'w' do not fit its shape"),
    ],
)
def test_a_wrong_header(header: str, message: str, syntax: Syntax, folder: Path) -> None:
    (folder / "w.safetensors").write_bytes(len(header).to_bytes(8, "little") + header.encode() + bytes(4))
    (error, *_) = syntax.errors(USE.format(name="w", type="1xf32") + EXTERNAL, folder)
    assert message in error


@pytest.mark.parametrize(("op", "fits"), [("graph.constant", False), ("arith.constant", True)])
def test_unsigned_data_is_signless_where_integers_have_no_sign(
    op: str, fits: bool, syntax: Syntax, tmp_path: Path
) -> None:
    cast(Any, safetensors).save_file({"w": np.array([1, 255], np.uint8)}, tmp_path / "w.safetensors")
    text = f"func.func @f() {{\n  %0 = {op} dense_resource<w> : tensor<2xi8>\n  return\n}}\n" + EXTERNAL
    if fits:
        syntax.parse(text, tmp_path)
    else:
        (error,) = syntax.errors(text, tmp_path)
        assert error == "2:8 resource 'w' has elements of type uint8, but tensor<2xi8> has int8"


@pytest.mark.parametrize("dtype", ["bf16", "f16", "i16", "ui8", "f64"])
def test_any_element_type_of_whole_bytes(dtype: str) -> None:
    size = {"bf16": 2, "f16": 2, "i16": 2, "ui8": 1, "f64": 8}[dtype]
    text = USE.format(name="w", type=f"2x{dtype}") + BLOB.replace('"0.w"', "w")
    text = text.replace("0000803F00000040", "01" * 2 * size)
    syntax = Syntax()
    assert ("01" * 2 * size) in syntax.print(syntax.parse(text))


@pytest.mark.parametrize(
    ("use", "metadata", "message"),
    [
        (
            ("fc1.wieght", "2x3xf32"),
            EXTERNAL,
            "unknown resource 'fc1.wieght', did you mean 'fc1.weight'? (looked in",
        ),
        (("fc1.weight", "3x2xf32"), EXTERNAL, "resource 'fc1.weight' has shape 2x3, but tensor<3x2xf32> has shape 3x2"),
        (
            ("fc1.weight", "2x3xf64"),
            EXTERNAL,
            "resource 'fc1.weight' has elements of type float32, but",
        ),
        (("x", "2xf32"), "", "unknown resource 'x' (the text names no weight file)"),
        (('"0.w"', "3xf32"), BLOB, "resource '0.w' has 8 bytes, but tensor<3xf32> needs 12"),
        (("a", "2xf32"), EXTERNAL.replace("w.safe", "v.safe"), "weight file 'v.safetensors' not found"),
        (("a", "2xf32"), BLOB.replace("dialect_", "some_"), "metadata is dialect_resources or external_resources"),
        (("a", "2xf32"), BLOB.replace("0x", ""), "the data of resource '0.w' is a string that starts with 0x"),
    ],
)
def test_wrong_resources(use: tuple[str, str], metadata: str, message: str, syntax: Syntax, folder: Path) -> None:
    (error, *_) = syntax.errors(USE.format(name=use[0], type=use[1]) + metadata, folder)
    assert error.split(" ", 1)[1].startswith(message)
