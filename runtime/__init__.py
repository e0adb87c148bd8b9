"""Loading and calling compiled models. Needs NumPy only, nothing of the compiler."""

from mlc.runtime.library import ArtifactError
from mlc.runtime.model import InputError, Model
from mlc.runtime.opening import load
from mlc.runtime.shaped_model import ShapedModel

__all__ = ["ArtifactError", "InputError", "Model", "ShapedModel", "load"]
