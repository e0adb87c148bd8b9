"""Loading and calling compiled models. Needs NumPy only, nothing of the compiler."""

from mlc.runtime.library import ArtifactError
from mlc.runtime.model import InputError, Model, load

__all__ = ["ArtifactError", "InputError", "Model", "load"]
