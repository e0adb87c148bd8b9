"""Operators of `ai.onnx.ml` that scale, select and weigh features."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import f32, i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.graph_builder import GraphBuilder, is_float
from mlc.frontends.operators.refusal import Unconvertible

ML = "ai.onnx.ml"


def floats(b: Node, name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """An attribute that is a list of numbers; none where it is left out."""
    return np.asarray(b.list(name), np.float32)


def post_transform(b: Node, scores: SSAValue) -> SSAValue:
    """What an operator makes of its scores, as its attribute says."""
    return transformed(b, b.string("post_transform", "NONE"), scores)


def transformed(b: GraphBuilder, kind: str, scores: SSAValue) -> SSAValue:
    """What becomes of rows of scores, by the name that ONNX gives it."""
    match kind:
        case "NONE":
            return scores
        case "LOGISTIC":
            return b(graph.SigmoidOp, scores)
        case "SOFTMAX":
            return b(graph.SoftmaxOp, scores, len(shape_of(scores)) - 1)
        case "SOFTMAX_ZERO":
            return _softmax_but_zeros(b, scores)
        case "PROBIT":
            return _probit(b, scores)
        case _:
            raise Unconvertible(
                f"post_transform is '{kind}'; mlc knows NONE, LOGISTIC, SOFTMAX, SOFTMAX_ZERO and PROBIT"
            )


def _softmax_but_zeros(b: GraphBuilder, scores: SSAValue) -> SSAValue:
    """A softmax to which scores of zero add nothing; one half each where there are no others."""
    last = [len(shape_of(scores)) - 1]
    largest = b.reduce("max", scores, last, True)
    counts = b.compare("gt", b(graph.AbsOp, scores), b.number(1e-7, scores))
    zeros = b.mul(scores, b(graph.ExpOp, b(graph.NegOp, largest)))
    terms = b.where(counts, b(graph.ExpOp, b.sub(scores, largest)), zeros)
    total = b.reduce("sum", terms, last, True)
    is_zero = b.compare("eq", total, b.number(0, total))
    shares = b.div(terms, b.where(is_zero, b.number(1, total), total))
    return b.where(is_zero, b.number(0.5, shares), shares)


def _probit(b: GraphBuilder, scores: SSAValue) -> SSAValue:
    """The quantile of the normal distribution, by an approximation of the inverse of erf (Winitzki, 2008)."""
    a = 0.147
    x = b.sub(b.add(scores, scores), b.number(1, scores))
    rest = b.mul(b.sub(b.number(1, x), x), b.add(b.number(1, x), x))
    log = b(graph.LogOp, rest)
    first = b.add(b.number(2 / (np.pi * a), x), b.mul(log, b.number(0.5, x)))
    root = b(graph.SqrtOp, b.sub(b.mul(first, first), b.mul(log, b.number(1 / a, x))))
    inverse = b.mul(b(graph.SignOp, x), b(graph.SqrtOp, b.sub(root, first)))
    return b.where(b.compare("eq", rest, b.number(0, x)), b.number(0, x), b.mul(inverse, b.number(1.41421356, x)))


def labels(b: Node, name: str, places: SSAValue) -> SSAValue:
    """The class labels at places among the scores.

    Raises:
        Unconvertible: there are none.
    """
    found = b.attribute(name)
    if not found:
        raise Unconvertible(f"it has no '{name}'")
    if list(found) == list(range(len(found))):
        return places
    return b(graph.GatherOp, b.constant(np.asarray(found, np.int64)), places, 0)


def rows(b: Node) -> SSAValue:
    """The first operand as rows of f32."""
    x = b.cast(b[0], f32)
    return b.reshape(x, (1, *shape_of(x))) if len(shape_of(x)) == 1 else x


@converts("Scaler", domain=ML)
def scaler(b: Node) -> Results:
    """`(x - offset) * scale`, per feature."""
    x = b.cast(b[0], f32)
    offset, scale = floats(b, "offset"), floats(b, "scale")
    x = b.sub(x, b.constant(offset)) if offset.any() else x
    return b.mul(x, b.constant(scale)) if scale.size and (scale != 1).any() else x


@converts("Normalizer", domain=ML)
def normalizer(b: Node) -> Results:
    """Rows divided by their largest absolute value, their sum, or their length."""
    x, kind = b.cast(b[0], f32), b.one_of("norm", "MAX", "L1", "L2")
    last = [b.rank() - 1]
    if kind == "L2":
        norm = b(graph.SqrtOp, b.reduce("sum", b.mul(x, x), last, True))
    elif kind == "L1":
        norm = b.reduce("sum", b(graph.AbsOp, x), last, True)
    else:
        norm = b.reduce("max", x, last, True)
    return b.div(x, b.where(b.compare("eq", norm, b.number(0, norm)), b.number(1, norm), norm))


@converts("Binarizer", domain=ML)
def binarizer(b: Node) -> Results:
    """1 above a threshold, else 0."""
    x = b[0]
    return b.cast(b.compare("gt", x, b.number(b.float("threshold"), x)), element_of(x))


@converts("Imputer", domain=ML)
def imputer(b: Node) -> Results:
    """A value that stands for what is missing, NaN as a rule, is replaced, per feature."""
    x = b[0]
    name = "floats" if is_float(x) else "int64s"
    filling = np.asarray(b.list(f"imputed_value_{name}"))
    missing = b.attribute(f"replaced_value_{name.removesuffix('s')}")
    if not filling.size or missing is None:
        raise Unconvertible(f"it has no attribute 'imputed_value_{name}' for elements of type {element_of(x)}")
    is_nan = is_float(x) and np.isnan(missing)
    other = x if is_nan else b.number(missing, x)
    holes = b.compare("ne" if is_nan else "eq", x, other)
    wide = np.broadcast_to(filling, (b.shape()[-1],)).copy()
    return b.where(holes, b.cast(b.constant(wide), element_of(x)), x)


@converts("OneHotEncoder", domain=ML)
def one_hot_encoder(b: Node) -> Results:
    """A further dim with 1 at the place of the element among categories that are integers."""
    categories = b.attribute("cats_int64s")
    if not categories:
        raise Unconvertible("it has no 'cats_int64s'")
    x = b.cast(b[0], i64)
    apart = b.reshape(x, (*shape_of(x), 1))
    return b.cast(b.compare("eq", apart, b.constant(np.asarray(categories, np.int64))), f32)


@converts("ArrayFeatureExtractor", domain=ML)
def array_feature_extractor(b: Node) -> Results:
    """Columns by their numbers."""
    x, places = b[0], b.reshape(b[1], (int(np.prod(b.shape(1))),))
    taken = b(graph.GatherOp, x, places, b.rank() - 1)
    return b.reshape(taken, (1, *shape_of(taken))) if b.rank() == 1 else taken


@converts("FeatureVectorizer", domain=ML)
def feature_vectorizer(b: Node) -> Results:
    """The operands side by side."""
    parts = [b.cast(v, f32) for v in b.operands]
    return b.concat([b.reshape(v, (shape_of(v)[0], -(-_size(v) // shape_of(v)[0]))) for v in parts], 1)


def _size(value: SSAValue) -> int:
    return int(np.prod(shape_of(value)))


def _scores(b: Node, targets: int) -> SSAValue:
    """`x W + c`, one column for each target."""
    x, weights = rows(b), floats(b, "coefficients")
    matrix = weights.reshape(targets, -1).T.copy()
    result = b.matmul(x, b.constant(matrix))
    constants = floats(b, "intercepts")
    return b.add(result, b.constant(constants)) if constants.size else result


@converts("LinearRegressor", domain=ML)
def linear_regressor(b: Node) -> Results:
    """`x W + c`."""
    return post_transform(b, _scores(b, b.int("targets", 1)))


@converts("LinearClassifier", domain=ML)
def linear_classifier(b: Node) -> Results:
    """The label of the largest score, and all scores; one score alone is that of the second of two classes."""
    names = b.list("classlabels_ints") or b.list("classlabels_strings")
    count = floats(b, "coefficients").size // shape_of(rows(b))[-1]
    scores = _scores(b, count)
    if count == 1 and len(names) == 2:
        chosen = b.cast(b.compare("gt", b.reshape(scores, (shape_of(scores)[0],)), b.number(0, scores)), i64)
        if b.string("post_transform") == "LOGISTIC":
            second = b(graph.SigmoidOp, scores)
            scores = b.concat([b.sub(b.number(1, second), second), second], 1)
        else:
            scores = b.concat([b(graph.NegOp, scores), scores], 1)
    else:
        chosen = b(graph.ArgMaxOp, scores, 1)
        scores = post_transform(b, scores)
    return [labels(b, "classlabels_ints", chosen) if b.wants(0) else None, scores]
