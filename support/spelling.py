"""How the text of IR spells what both the parser and tools that only colour it have to know; imports nothing."""

from __future__ import annotations

STRING = r'"[^"\\\n\v\f]*(?:\\(?:["nt\\]|[0-9A-Fa-f]{2})[^"\\\n\v\f]*)*"'
"""A string literal; there is one way only to match it, so an unclosed one is found out in linear time."""
VALUE_NAME = r"(?:[0-9]+|[a-zA-Z$._-][a-zA-Z0-9$._-]*)"
"""What follows the sigil of a value or a block."""
