"""The vector dialect: xDSL's, with all that upstream's `vector.print` prints."""

from xdsl.dialects.vector import Vector as _Upstream

from mlc.dialects.upstream import completed
from mlc.dialects.vector import lanes as lanes  # what they require is registered
from mlc.dialects.vector.print_ import PrintOp, Punctuation, PunctuationAttr

Vector = completed(_Upstream, [PrintOp], [PunctuationAttr])

__all__ = ["PrintOp", "Punctuation", "PunctuationAttr", "Vector"]
