"""The quick tests under other hosts and in other surroundings: none may depend on the machine on which it was written.

    python -m mlc.testing.conditions                  all of them, one after the other
    python -m mlc.testing.conditions znver5 LANG=C    those that are named
    python -m mlc.testing.conditions znver5+LANG=C    both at once; of two hosts, the later one's words count
    python -m mlc.testing.conditions znver5 -- tests/unit/tools      with arguments for pytest

Where code for an assumed host (`targets/assumed_host.py`) cannot run, tests that run some are skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

_QUICK = ("-n", "2", "-m", "not slow", "-q")
_BLOCKING = """\
from importlib.machinery import PathFinder

_find = PathFinder.find_spec


def _find_others(cls, name, path=None, target=None):
    return None if name.partition(".")[0] in {packages} else _find(name, path, target)


PathFinder.find_spec = classmethod(_find_others)
"""
"""Run by Python when it starts. `find_spec` says the same as `import`."""


@dataclass(frozen=True)
class Condition:
    """How a process differs from that of the person who wrote the tests."""

    variables: dict[str, str] = field(default_factory=dict[str, str])
    hidden: tuple[str, ...] = ()
    """Programs that are not on PATH, by the start of their names."""
    missing: tuple[str, ...] = ()
    """Packages that cannot be imported."""
    arguments: tuple[str, ...] = ()
    """Further arguments of pytest."""


def _host(text: str) -> Condition:
    return Condition({"MLC_HOST": text})


CONDITIONS: dict[str, Condition] = {
    "znver2": _host("cpu=znver2"),
    "znver3": _host("cpu=znver3 hypervisor"),
    "znver4": _host("cpu=znver4"),
    "znver5": _host("cpu=znver5 cores=2 hypervisor"),
    "haswell": _host("cpu=haswell"),
    "skylake-avx512": _host("cpu=skylake-avx512 hypervisor"),
    "sapphirerapids": _host("cpu=sapphirerapids"),
    "unknown": _host("cpu=x86-64-v3 caches=none"),
    "one core": _host("cpu=x86-64-v3 cores=1"),
    "64 cores": _host("cpu=x86-64-v3 cores=64"),
    "zig": Condition(hidden=("clang", "ld.lld")),
    "no qemu": Condition(hidden=("qemu-",)),
    "no mlir-opt": Condition(hidden=("mlir-opt",)),
    "no torch": Condition(missing=("torch",)),
    "no jax": Condition(missing=("jax", "jaxlib")),
    "LANG=C": Condition({"LANG": "C", "LC_ALL": "C"}),
    "TZ": Condition({"TZ": "Pacific/Chatham"}),
    "space": Condition({"TMPDIR": "{folder}/a space"}),
    "no home": Condition({"HOME": "", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""}),
    "other home": Condition({"HOME": "{folder}/nothing/here"}),
    "order": Condition(arguments=("-p", "mlc.testing.shuffled")),
}


def together(*names: str) -> Condition:
    """Several conditions at once; what two of them set is as the later one has it, word by word for the host."""
    variables: dict[str, str] = {}
    for name in names:
        more = dict(CONDITIONS[name].variables)
        if "MLC_HOST" in more and "MLC_HOST" in variables:
            more["MLC_HOST"] = f"{variables['MLC_HOST']} {more['MLC_HOST']}"
        variables |= more
    found = [CONDITIONS[name] for name in names]
    return Condition(
        variables,
        tuple(program for condition in found for program in condition.hidden),
        tuple(package for condition in found for package in condition.missing),
        tuple(argument for condition in found for argument in condition.arguments),
    )


# Many at once, for those who have few minutes.
CONDITIONS.update(
    server=together("64 cores", "sapphirerapids", "LANG=C", "space", "no qemu", "no mlir-opt", "order"),
    laptop=together("one core", "unknown", "haswell", "TZ", "other home", "zig", "no torch", "no jax"),
)


def main(arguments: Sequence[str]) -> int:
    """Run the tests under each condition; the status is 1 if some fail."""
    names = list(arguments)
    given: list[str] = []
    if "--" in names:
        cut = names.index("--")
        names, given = names[:cut], names[cut + 1 :]
    if unknown := sorted({part for name in names for part in name.split("+")} - CONDITIONS.keys()):
        required = f"{', '.join(CONDITIONS)}, or several with +"
        print(f"unknown condition '{unknown[0]}'; required: {required}", file=sys.stderr)
        return 1
    failed = False
    for name in names or CONDITIONS:
        start = time.monotonic()
        status, last = _run(together(*name.split("+")), given)
        print(f"{name:24} {time.monotonic() - start:5.0f} s  {'right' if status == 0 else 'WRONG'}  {last}", flush=True)
        failed |= status != 0
    return int(failed)


def _run(condition: Condition, given: Sequence[str]) -> tuple[int, str]:
    """The exit status of pytest, and what it says last."""
    root = Path(__file__).parents[1]
    with tempfile.TemporaryDirectory() as folder:
        env = {k: v.format(folder=folder) for k, v in condition.variables.items()}
        if place := env.get("TMPDIR"):
            Path(place).mkdir(parents=True)
        path = _path_without(condition.hidden, Path(folder)) if condition.hidden else os.environ["PATH"]
        env = {**os.environ, **env, "PATH": path}
        env["PYTHONPATH"] = os.pathsep.join([*_blocked(condition.missing, Path(folder)), env.get("PYTHONPATH", "")])
        command = [sys.executable, "-m", "pytest", *_QUICK, *condition.arguments, *given]
        done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)
    sys.stderr.writelines(f"    {line}\n" for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR")))
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    return done.returncode, lines[-1] if lines else done.stderr.strip()[-200:]


def _path_without(prefixes: Sequence[str], folder: Path) -> str:
    """A PATH on which no program has such a name."""
    result: list[str] = []
    for number, place in enumerate(os.environ["PATH"].split(os.pathsep)):
        source = Path(place)
        if not source.is_dir():
            continue
        if any(file.name.startswith(tuple(prefixes)) for file in source.iterdir()):
            (copy := folder / f"path{number}").mkdir()
            for file in source.iterdir():
                if not file.name.startswith(tuple(prefixes)):
                    (copy / file.name).symlink_to(file)
            source = copy
        result.append(str(source))
    return os.pathsep.join(result)


def _blocked(packages: Sequence[str], folder: Path) -> list[str]:
    """A folder before others that makes Python find no such packages, as if they were not installed."""
    if not packages:
        return []
    (folder / "blocked").mkdir()
    (folder / "blocked" / "sitecustomize.py").write_text(_BLOCKING.format(packages=set(packages)))
    return [str(folder / "blocked")]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
