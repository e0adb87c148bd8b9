"""Text to IR and back.

The language is a lark grammar: `mlir.lark` for the core, plus one alternative for each op's `assembly_format`
(`mlc-opt --print-grammar=graph` prints them). Lark compiles it to LALR(1) tables for the dialects that a text names,
and the tables are cached. A small loop (`machine.py`) runs them with a lexer that knows the parser's state, and
builds the IR as rules are reduced. Formats with two readings are errors when their dialect is loaded
(`plugins/formats.py`). Ops with hand-written syntax are handed over to their `parse` method, so all of xDSL's
dialects work as they are.

Beyond xDSL's verifiers, definitions have to dominate uses, and each `dense_resource` has to exist with its shape and
element type.
"""

from mlc.syntax.parse import parse_module
from mlc.syntax.printing import module_text, print_module
from mlc.syntax.verify import verify_module

__all__ = ["module_text", "parse_module", "print_module", "verify_module"]
