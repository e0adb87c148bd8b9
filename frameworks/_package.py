"""Frameworks that may not be installed."""

from __future__ import annotations

from importlib import import_module


def require(package: str) -> None:
    """Raises: ModuleNotFoundError if a framework is not installed, with the command that installs it."""
    try:
        import_module(package)
    except ModuleNotFoundError as e:
        raise ModuleNotFoundError(
            f"mlc.{package} needs the package {package} ({e}); install it: pip install 'mlc[{package}]'", name=e.name
        ) from None
