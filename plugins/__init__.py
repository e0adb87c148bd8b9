"""Dialects and passes of other people: one Python file, an installed package, or an IRDL file.

A plugin is a module that holds, at its top, `Dialect` objects and `Pass` classes, and that registers lowering patterns
(`mlc.pass_manager.lowering.lowers`) and reference semantics (`mlc.reference.execution`) for its ops.
Nothing of the compiler has to be edited for it. `docs/writing-a-dialect.md` is the tutorial.
"""

from mlc.plugins.files import load_dialect, load_pass
from mlc.plugins.irdl import load_irdl

__all__ = ["load_dialect", "load_irdl", "load_pass"]
