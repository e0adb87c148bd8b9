"""Pipelines of scikit-learn, fitted to its own data sets and exported by skl2onnx, give what scikit-learn gives."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import mlc

pytest.importorskip("skl2onnx")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

TOLERANCE = 1e-4
"""scikit-learn computes in f64, what it exports in f32; relative to the largest element."""


def _sk(path: str, *arguments: Any, **options: Any) -> Any:
    """`sklearn.<path>(…)`."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"sklearn.{module}"), name)(*arguments, **options)


def _after_scaling(path: str, *arguments: Any, **options: Any) -> Any:
    scaler, estimator = _sk("preprocessing.StandardScaler"), _sk(path, *arguments, **options)
    return _sk("pipeline.make_pipeline", scaler, estimator)


def _logistic(first: Any) -> Any:
    return _sk("pipeline.make_pipeline", first, _sk("linear_model.LogisticRegression", max_iter=3000))


_SEED: dict[str, Any] = {"random_state": 0}
_TREES: dict[str, Any] = {"n_estimators": 20, **_SEED}
_Made = tuple[str, Callable[[], Any]]
CLASSIFIERS: dict[str, _Made] = {
    "logistic": ("iris", lambda: _after_scaling("linear_model.LogisticRegression")),
    "sgd": ("iris", lambda: _after_scaling("linear_model.SGDClassifier", loss="log_loss", **_SEED)),
    "perceptron": ("iris", lambda: _after_scaling("linear_model.Perceptron")),
    "tree": ("iris", lambda: _sk("tree.DecisionTreeClassifier", **_SEED)),
    "forest": ("wine", lambda: _sk("ensemble.RandomForestClassifier", **_TREES)),
    "extra_trees": ("digits", lambda: _sk("ensemble.ExtraTreesClassifier", **_TREES)),
    "gradient_boosting": ("iris", lambda: _sk("ensemble.GradientBoostingClassifier", **_TREES)),
    "ada_boost": ("iris", lambda: _sk("ensemble.AdaBoostClassifier", **_TREES)),
    "svc": ("iris", lambda: _after_scaling("svm.SVC")),
    "svc_polynomial": ("iris", lambda: _after_scaling("svm.SVC", kernel="poly", degree=2)),
    "one_class": ("iris", lambda: _after_scaling("svm.OneClassSVM")),
    "neighbours": ("iris", lambda: _sk("neighbors.KNeighborsClassifier", 3)),
    "gaussian_bayes": ("iris", lambda: _sk("naive_bayes.GaussianNB")),
    "multinomial_bayes": ("digits", lambda: _sk("naive_bayes.MultinomialNB")),
    "bernoulli_bayes": ("digits", lambda: _sk("naive_bayes.BernoulliNB", binarize=8.0)),
    "mlp": ("iris", lambda: _after_scaling("neural_network.MLPClassifier", (16,), max_iter=200, **_SEED)),
    "lda": ("iris", lambda: _sk("discriminant_analysis.LinearDiscriminantAnalysis")),
    "k_means": ("iris", lambda: _sk("cluster.KMeans", 4, n_init=2, **_SEED)),
    "isolation_forest": ("iris", lambda: _sk("ensemble.IsolationForest", **_TREES)),
    "components": ("wine", lambda: _logistic(_sk("decomposition.PCA", 5))),
    "missing": ("iris with gaps", lambda: _logistic(_sk("impute.SimpleImputer"))),
    "selection": ("wine", lambda: _logistic(_sk("feature_selection.SelectKBest", k=5))),
}
REGRESSORS: dict[str, _Made] = {
    "ridge": ("diabetes", lambda: _after_scaling("linear_model.Ridge")),
    "lasso": ("diabetes", lambda: _sk("linear_model.Lasso", alpha=0.1)),
    "tree": ("diabetes", lambda: _sk("tree.DecisionTreeRegressor", max_depth=5, **_SEED)),
    "forest": ("diabetes", lambda: _sk("ensemble.RandomForestRegressor", **_TREES)),
    "gradient_boosting": ("diabetes", lambda: _sk("ensemble.GradientBoostingRegressor", **_TREES)),
    "svr": ("diabetes", lambda: _after_scaling("svm.SVR", C=10)),
    "neighbours": ("diabetes", lambda: _sk("neighbors.KNeighborsRegressor", 4)),
}
TRANSFORMERS: dict[str, _Made] = {
    "normalizer": ("wine", lambda: _sk("preprocessing.Normalizer")),
    "normalizer_max": ("wine", lambda: _sk("preprocessing.Normalizer", "max")),
    "one_hot": ("rounded iris", lambda: _sk("preprocessing.OneHotEncoder", sparse_output=False)),
    "polynomials": ("wine", lambda: _sk("preprocessing.PolynomialFeatures", 2)),
    "bins": ("wine", lambda: _sk("preprocessing.KBinsDiscretizer", 4, encode="ordinal")),
    "svd": ("wine", lambda: _sk("decomposition.TruncatedSVD", 4, **_SEED)),
}


def _data(name: str) -> tuple[Any, Any]:
    """Inputs as f32, and targets."""
    of_name = name.removeprefix("rounded ").removesuffix(" with gaps")
    loaded: Any = getattr(import_module("sklearn.datasets"), f"load_{of_name}")(return_X_y=True)
    x, y = loaded[0].astype(np.float32), loaded[1]
    if name.startswith("rounded"):
        x = x.round()
    if name.endswith("with gaps"):
        x[::7, 1] = np.nan
    return x, y


def _outputs(estimator: Any, x: Any, **options: Any) -> list[Any]:
    """What mlc makes of the exported estimator."""
    exported = import_module("skl2onnx").to_onnx(
        estimator, x[:1], target_opset={"": 17, "ai.onnx.ml": 3}, options=options or None
    )
    return list(mlc.compile(exported.SerializeToString(), shapes={"X": x.shape}).run({"X": x}).values())


def _compare(found: Any, expected: Any) -> None:
    found = np.asarray(found).reshape(expected.shape)
    assert np.abs(found - expected).max() <= TOLERANCE * np.abs(expected).max()


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers(name: str) -> None:
    """Labels are equal, and probabilities where there are any."""
    data, make = CLASSIFIERS[name]
    x, y = _data(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = make().fit(x, y)
    has_probabilities = hasattr(estimator, "predict_proba")
    labels, *rest = _outputs(estimator, x, **({"zipmap": False} if has_probabilities else {}))
    np.testing.assert_array_equal(labels.reshape(-1), estimator.predict(x))
    if has_probabilities:
        _compare(rest[0], estimator.predict_proba(x))


def _check_method(made: _Made, method: str) -> None:
    """What mlc makes of an estimator is what this method of it gives."""
    data, make = made
    x, y = _data(data)
    estimator = make().fit(x, y)
    _compare(_outputs(estimator, x)[0], getattr(estimator, method)(x))


@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors(name: str) -> None:
    _check_method(REGRESSORS[name], "predict")


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_transformers(name: str) -> None:
    _check_method(TRANSFORMERS[name], "transform")
