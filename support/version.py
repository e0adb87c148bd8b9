"""The version of mlc."""

__version__ = "0.1.0"
