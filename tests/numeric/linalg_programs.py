"""Programs as upstream MLIR writes them, on tensors, with what NumPy computes for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mlc.tests.numeric.linalg_bodies import chains, gathers, generics, moves, reductions
from mlc.tests.numeric.linalg_control import branches, loops, parallels, slices, tilings, uneven_tilings
from mlc.tests.numeric.linalg_named import convolutions, elementwise, poolings, products
from mlc.tests.numeric.linalg_tensors import arguments, generated, packings, positions
from mlc.tests.numeric.upstream_programs import Program

FAMILIES: dict[str, Callable[[], Iterator[Program]]] = {
    each.__name__: each
    for each in (
        products,
        convolutions,
        poolings,
        elementwise,
        reductions,
        generics,
        chains,
        moves,
        gathers,
        positions,
        arguments,
        generated,
        packings,
        tilings,
        uneven_tilings,
        loops,
        parallels,
        branches,
        slices,
    )
}
