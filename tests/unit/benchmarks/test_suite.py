"""The cases: valid in both languages, the same function in both, counted right."""

from __future__ import annotations

import importlib.util
import math
import re
from pathlib import Path

import numpy as np
import pytest

from mlc.benchmarks.case import Case
from mlc.benchmarks.engines import TOLERANCE, reference_output, relative_error, saved_source
from mlc.benchmarks.peers import available_peers, onnx_model
from mlc.benchmarks.suite import cases_by_family
from mlc.compiler.compilation import new_context, parse_verified

_CASES = {case.name: case for _, case in cases_by_family()}
_SMALL = ["matmul-17x1000x33", "matvec-1x512x512", "mlp-784-200-10-batch-1", "softmax-12x128x128"]
_SMALL_FOR_PEERS = [*_SMALL, "odd-3x3-37-53-13x13", "depthwise-3x3-960-7x7", "bert-encoder-layer", "inverted-residual"]


def test_names_are_unique_and_selectable() -> None:
    assert len(_CASES) == len(cases_by_family())
    assert [case.name for _, case in cases_by_family("^sum-rows")] == ["sum-rows-2048x2048"]


@pytest.mark.parametrize("case", _CASES.values(), ids=list(_CASES))
def test_text_takes_and_gives_what_the_case_says(case: Case, tmp_path: Path) -> None:
    # Weights of the right shape, without their numbers: the largest are 16 MB.
    zeros = {name: np.zeros(shape, np.float32) for name, shape in case.weights.items()}
    case.__dict__["tensors"] = zeros
    try:
        module = parse_verified(saved_source(case, tmp_path), case.name, new_context(), tmp_path)
    finally:
        del case.__dict__["tensors"]
    signature = re.search(r"\((.*?)\) -> (\S+) \{", str(module).replace("\n", " "))
    assert signature is not None
    shapes = [*case.inputs.values(), case.output]
    assert re.findall(r"tensor<(.*?)xf32>", signature[0]) == ["x".join(map(str, shape)) for shape in shapes if shape]


@pytest.mark.parametrize("name", _SMALL)
def test_numpy_computes_what_the_text_means(name: str) -> None:
    case = _CASES[name]
    output = np.zeros(case.output, np.float32)
    assert case.numpy is not None
    case.numpy(*case.tensors.values(), out=output)
    assert relative_error(output, reference_output(case)) < TOLERANCE


@pytest.mark.parametrize("name", _SMALL_FOR_PEERS)
def test_peers_compute_what_the_text_means(name: str) -> None:
    case = _CASES[name]
    peers = available_peers()
    if not peers:
        pytest.skip('no peer is installed: pip install -e ".[bench]"')
    expected = reference_output(case)
    for prepare in peers.values():
        runner = prepare(case, 1)
        runner.call()
        assert relative_error(runner.output(), expected) < TOLERANCE


@pytest.mark.skipif(importlib.util.find_spec("onnx") is None, reason="onnx is not installed")
@pytest.mark.parametrize("name", ["resnet-3x3-64-64-56x56", "bottleneck", "llama-decoder-layer"])
def test_onnx_text_is_valid(name: str) -> None:
    assert onnx_model(_CASES[name]).graph.output[0].name == "y"


@pytest.mark.parametrize(
    ("name", "flops"),
    [
        ("matmul-1024x1024x1024", 2 * 1024**3),
        ("matmul-12x128x64x128", 2 * 12 * 128 * 64 * 128),
        ("resnet-7x7-3-64-224x224-s2", 236_027_904),
        ("resnet-3x3-64-64-56x56", 231_211_008),
        ("depthwise-3x3-96-112x112-s2", 2 * 9 * 96 * 56 * 56),
        ("bert-encoder-layer", 478_150_656),
    ],
)
def test_flops(name: str, flops: int) -> None:
    assert _CASES[name].flops == flops


def test_bytes_are_inputs_weights_and_output() -> None:
    assert _CASES["matvec-1x512x512"].bytes == 4 * (512 + 512 * 512 + 512)
    assert _CASES["sum-all-2048x2048"].bytes == 4 * (2048 * 2048 + 1)


def test_resnet_50_has_its_flops() -> None:
    """Each shape by how often it occurs: 8.2 GFLOP in all convolutions, 4.1 GMAC as published."""
    counts = {"1x1-256-64-56": 2, "3x3-64-64-56": 3, "1x1-64-256-56": 4, "1x1-128-512": 4, "1x1-512-128": 3}
    counts |= {"3x3-128-128-28": 3, "1x1-256-1024": 6, "1x1-1024-256": 5, "3x3-256-256-14": 5}
    counts |= {"1x1-512-2048": 3, "1x1-2048-512": 2, "3x3-512-512-7": 2}
    total = 0
    for name, case in _CASES.items():
        if name.startswith("resnet") and name != "resnet-50":
            total += case.flops * next((n for part, n in counts.items() if part in name), 1)
    assert math.isclose(total, 8.174e9, rel_tol=0.01)
    classifier = 2 * 2048 * 1000
    assert _CASES["resnet-50"].flops == total + classifier


def test_networks_have_their_parameters() -> None:
    """25.6 and 3.5 million as published, less the two numbers of each batch norm that folding saves."""
    for name, published in {"resnet-50": 25.557e6, "mobilenet-v2": 3.505e6}.items():
        weights = _CASES[name].weights.values()
        folded = sum(shape[0] for shape in weights if len(shape) == 1) - 1000
        assert math.isclose(sum(map(math.prod, weights)) + folded, published, rel_tol=1e-3)


def test_masks_hide_what_they_should() -> None:
    bert, llama = _CASES["bert-encoder-layer"].tensors["mask"], _CASES["llama-decoder-layer"].tensors["mask"]
    assert bert[0, 0, 0, 0] == 0
    assert bert[0, 0, 0, -1] < -1000
    assert llama[3, 3] == 0
    assert llama[3, 4] < -1e30


def test_relative_error_of_other_shapes_and_nan_is_infinite() -> None:
    ones = np.ones(3, np.float32)
    assert relative_error(ones, np.ones(4, np.float32)) == math.inf
    assert relative_error(ones * np.nan, ones) == math.inf
    assert relative_error(ones * 2, ones) == 1
