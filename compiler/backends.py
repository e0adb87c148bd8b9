"""Which backends there are: `native`, and those that plugins bring."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from mlc.compiler.backend import Backend
from mlc.compiler.native_backend import NativeBackend
from mlc.pass_manager.pipeline import PIPELINE
from mlc.pass_manager.stage import Stage
from mlc.support.additions import Additions
from mlc.support.errors import UserError
from mlc.targets.machine import Machine, resolve_target

plugin_backends = Additions("backend", "mlc.backends", lambda name: "mlc" if name == "native" else None)
"""The backends that plugins bring (entry point `toy = "my_package.toy:Toy"` in `mlc.backends`)."""


def backend_of(machine: Machine) -> Backend:
    """The backend that compiles for a machine.

    Raises:
        UserError: its architecture names one that there is not, or a package adds something else than a backend.
    """
    name = machine.architecture.backend
    if (addition := plugin_backends.get(name)) is not None:
        loaded = addition.load()
        if not (isinstance(loaded, type) and issubclass(loaded, Backend) and loaded.name == name):
            raise UserError(f"backend '{name}' of {addition.origin} is not a class of `Backend` of that name")
        return _instance(loaded)
    if name != NativeBackend.name:
        raise UserError(
            f"the architecture '{machine.arch}' names the backend '{name}', which nothing defines; load the plugin "
            "that has it, or install its package"
        )
    return _instance(NativeBackend)


def backend_for(target: str) -> Backend:
    """The backend of a name of `mlc targets`.

    Raises:
        UserError: there is no such target, or as `backend_of`.
    """
    return backend_of(resolve_target(target))


def stages_of(target: str) -> Sequence[Stage]:
    """The default pipeline for a target; that of CPUs for `native`, wherever this runs."""
    return PIPELINE if target == "native" else backend_for(target).stages


@cache
def _instance(cls: type[Backend]) -> Backend:
    return cls()
