"""`mlc-opt --xdsl`: a stand-in for `xdsl-opt` that reads text with mlc's parser.

Options, passes and targets are xDSL's own, under their names and with their meanings; so are the dialects, also where
mlc has one of the same name. Those that only mlc has are there too. As in xDSL, a use may stand before its
definition everywhere, a `dense_resource` may name nothing, and operations have only the locations that the text gives.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import IO

from xdsl.dialects.builtin import FileLineColLoc, ModuleOp, UnknownLoc
from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException, ParseError, VerifyException
from xdsl.utils.lexer import Input, Span
from xdsl.xdsl_opt_main import xDSLOptMain

from mlc.dialects.registry import dialect_names, load_dialect
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError, UserErrors
from mlc.syntax import parse_module
from mlc.tools.driver import USER_ERROR

_MODULE = re.compile(r'"?(?:builtin\.)?module\b').match
_TOKEN = re.compile(r'"[^"\n]*"|[%^@!#]?[\w.$]+|[^\w\s]|\s?').match


def run(argv: Sequence[str]) -> int:
    """Run the tool on `argv`, which has no `--xdsl` any more, and return the exit status.

    What xDSL's passes and targets raise is not told apart from errors in the input: in xDSL, both end with status 1.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("default", DeprecationWarning)  # Python hides them, xdsl-opt does not
        try:
            XdslOpt("xDSL's optimizer driver with mlc's parser", argv).run()
        except (ParseError, DiagnosticException) as e:
            print(e, file=sys.stderr)
        except (Exception, ArgSpecParseError) as e:
            if os.environ.get("MLC_TRACEBACK"):
                raise
            print(f"mlc-opt: {type(e).__name__}: {e}", file=sys.stderr)
        else:
            return 0
    return USER_ERROR


class XdslOpt(xDSLOptMain):
    """xDSL's driver; only the reading of MLIR text is replaced."""

    def register_all_dialects(self) -> None:
        """xDSL's dialects, and those that only mlc has."""
        self.ctx = CompilerContext()
        super().register_all_dialects()
        for name in dialect_names():
            if name not in self.ctx.registered_dialect_names:
                self.ctx.register_dialect(name, partial(load_dialect, name))

    def register_all_frontends(self) -> None:
        """mlc's parser for MLIR text, and xDSL's frontends for whatever else it reads."""
        super().register_all_frontends()
        self.available_frontends["mlir"] = self._parse

    def _parse(self, stream: IO[bytes]) -> ModuleOp:
        assert isinstance(self.ctx, CompilerContext)
        text, file = stream.read().decode(), self.get_input_name()
        try:
            module = parse_module(text, file, self.ctx, Path(file).parent, checked=False)
        except UserError as e:
            raise self._as_xdsl(e, text, file) from e
        place = module.location
        assert isinstance(place, FileLineColLoc)
        start = _position(text, place.line.data, place.column.data)  # the text's, for a module that the parser added
        if self.args.no_implicit_module and not _MODULE(text, start):
            raise ParseError(Span(0, 1, Input(text, file)), "builtin.module operation expected")
        for op in module.walk():
            if isinstance(op.location, FileLineColLoc) and op.location.filename.data == file:
                op.location = UnknownLoc()
        return module

    def _as_xdsl(self, error: UserError, text: str, file: str) -> Exception:
        """The exception that xDSL's driver prints under the option that was given: its own parser makes types and
        operations that do not verify raise as a verifier does, which is not told apart here."""
        first = error.errors[0] if isinstance(error, UserErrors) else error
        if self.args.verify_diagnostics and not self.args.parsing_diagnostics:
            return VerifyException(first.message)
        place = first.location
        start = 0 if place is None else _position(text, place.line, max(place.column, 1))
        token = _TOKEN(text, start)
        return ParseError(Span(start, token.end() if token else start, Input(text, file)), first.message)


def _position(text: str, line: int, column: int) -> int:
    """The position of a line and column, both from 1."""
    return sum(map(len, text.split("\n", line - 1)[: line - 1])) + line - 1 + column - 1
