"""What LLVM IR says of a loop, from what `#llvm.loop_annotation` says of it, with upstream's names on the left."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr

from mlc.dialects.llvm import LoopAnnotationAttr

_FLAGS = {
    "disableNonforced": ("loop.disable_nonforced", None),
    "mustProgress": ("loop.mustprogress", None),
    "unroll.disable": ("loop.unroll.disable", "loop.unroll.enable"),
    "unroll.runtimeDisable": ("loop.unroll.runtime.disable", None),
    "unroll.full": ("loop.unroll.full", None),
    "unrollAndJam.disable": ("loop.unroll_and_jam.disable", "loop.unroll_and_jam.enable"),
    "licm.disable": ("licm.disable", None),
    "licm.versioningDisable": ("loop.licm_versioning.disable", None),
    "unswitch.partialDisable": ("loop.unswitch.partial.disable", None),
}
"""What LLVM is told by a name alone: that of true, and that of false."""
_VALUES = {
    "isVectorized": ("loop.isvectorized", "i32"),
    "vectorize.disable": ("loop.vectorize.enable", "not"),
    "vectorize.predicateEnable": ("loop.vectorize.predicate.enable", "i1"),
    "vectorize.scalableEnable": ("loop.vectorize.scalable.enable", "i1"),
    "vectorize.width": ("loop.vectorize.width", "i32"),
    "interleave.count": ("loop.interleave.count", "i32"),
    "unroll.count": ("loop.unroll.count", "i32"),
    "unrollAndJam.count": ("loop.unroll_and_jam.count", "i32"),
    "distribute.disable": ("loop.distribute.enable", "not"),
    "pipeline.disable": ("loop.pipeline.disable", "i1"),
    "pipeline.initiationinterval": ("loop.pipeline.initiationinterval", "i32"),
    "peeled.count": ("loop.peeled.count", "i32"),
}
"""What LLVM is told by a name and a value: of which type, or `not` for an i1 that says the opposite."""


def loop_properties(annotation: LoopAnnotationAttr) -> list[str]:
    """The nodes of metadata that describe a loop."""
    facts = {name: fact.value.data for name, fact in annotation.facts.data.items() if isinstance(fact, IntegerAttr)}
    if facts.get("unroll.count") == 1:
        facts = {name: value for name, value in facts.items() if name != "unroll.count"} | {"unroll.disable": 1}
    properties: list[str] = []
    for name, value in facts.items():
        if name in _FLAGS:
            said = _FLAGS[name][0 if value else 1]
            properties += [f'!{{!"llvm.{said}"}}'] if said else []
        elif name in _VALUES:
            said, kind = _VALUES[name]
            spelled = f"{kind} {value}" if kind == "i32" else f"i1 {str(bool(value) == (kind == 'i1')).lower()}"
            properties.append(f'!{{!"llvm.{said}", {spelled}}}')
    return properties
