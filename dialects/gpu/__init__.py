"""The gpu dialect: xDSL's, with upstream's attributes that map loops to threads, which mlc carries along."""

from xdsl.dialects.gpu import GPU as _Upstream

from mlc.dialects.kept_text import attribute_kept_as_text
from mlc.dialects.upstream import completed

GPU = completed(
    _Upstream, [], [attribute_kept_as_text(f"gpu.{name}") for name in ("block", "thread", "warp", "warpgroup")]
)

__all__ = ["GPU"]
