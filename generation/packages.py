"""Packages that texts of language models need."""

from __future__ import annotations

import importlib
from typing import Any

from mlc.support.errors import UserError


def llm_package(name: str, users: str = "texts of language models") -> Any:
    """A package of the extra `llm`, which `users` need.

    Raises:
        UserError: it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as e:
        raise UserError(f"{users} need the package {name} ({e}); install it: pip install 'mlc[llm]'") from None
