"""The graph dialect: whole-tensor operators with value semantics, what a model is made of.

Each file is a family of ops, with their verifiers, canonical patterns and, where NumPy says it in a few lines, what
they compute. A file is found by where it stands; its `__all__` is what can be had as `graph.AddOp`, if the file is
named below. Files that start with `_` are loaded when they are needed.
"""

from __future__ import annotations

from xdsl.ir import Attribute, Dialect, Operation

from mlc.dialects.graph import trigonometry
from mlc.dialects.graph.base import *
from mlc.dialects.graph.binary import *
from mlc.dialects.graph.branches import *
from mlc.dialects.graph.broadcast import *
from mlc.dialects.graph.constant import *
from mlc.dialects.graph.contraction import *
from mlc.dialects.graph.conv_transpose import *
from mlc.dialects.graph.convolution import *
from mlc.dialects.graph.elementwise import *
from mlc.dialects.graph.fusion import *
from mlc.dialects.graph.gather import *
from mlc.dialects.graph.lookup import *
from mlc.dialects.graph.moves import *
from mlc.dialects.graph.normalization import *
from mlc.dialects.graph.pooling import *
from mlc.dialects.graph.quantization import *
from mlc.dialects.graph.random import *
from mlc.dialects.graph.reduction import *
from mlc.dialects.graph.scaled_matmul import *
from mlc.dialects.graph.scan import *
from mlc.dialects.graph.scatter import *
from mlc.dialects.graph.shape import *
from mlc.dialects.graph.slicing import *
from mlc.dialects.graph.sort import *
from mlc.dialects.graph.trigonometry import *
from mlc.dialects.graph.types import *
from mlc.dialects.graph.unary import *
from mlc.dialects.graph.winograd import *
from mlc.support.modules import definitions_of, modules_of

_FAMILIES = modules_of(__name__)

TRIGONOMETRIC_OPS = tuple(definitions_of([trigonometry], UnaryOp))
UNARY_OPS = tuple(definitions_of(_FAMILIES, UnaryOp))
BINARY_OPS = tuple(definitions_of(_FAMILIES, BinaryOp))

Graph = Dialect("graph", definitions_of(_FAMILIES, Operation), definitions_of(_FAMILIES, Attribute))

__all__ = ["Graph"]
"""The dialect, for those who load it by name; families say what else can be had from here."""
