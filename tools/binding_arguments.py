"""The options that every command has which reads a model of open dims."""

from __future__ import annotations

from mlc.tools.driver import ArgumentParser


def add_binding_arguments(parser: ArgumentParser) -> None:
    """Declare the options that give inputs their shapes and values."""
    shape = (
        "the shape of an input, NAME=1x3x224x224, or the extent of a named dim, NAME=1; NAME=1,8 for several, "
        "NAME=1..512 for all from 1 to 512"
    )
    parser.add_argument("--shape", action="append", default=[], metavar="NAME=SHAPE", help=shape)
    value = "the value of an input, which is then not an input any more: NAME=16000, NAME=1,3,224"
    parser.add_argument("--value", action="append", default=[], metavar="NAME=VALUE", help=value)
