"""The graph dialect: what ops compute for which `mlc.dialects.graph` alone cannot say it, by family.

Stands beside the op what NumPy says in a few lines. Here is what takes a frame, sums in a fixed order, or shares more
than that. Each module registers what it has when this folder is imported.
"""

from mlc.reference.execution import evaluate
from mlc.support.modules import modules_of

modules_of(__name__)

__all__ = ["evaluate"]
