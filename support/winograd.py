"""The matrices of Winograd's minimal filtering F(m x m, 3 x 3): a tile of m x m results of a 3 x 3 convolution.

    Y = A^T [ (G g G^T) * (B^T d B) ] A        with g the filter, d a window of (m + 2) x (m + 2) numbers

Products of matrices become (m + 2)^2 / m^2 multiplications for each result, where the sum over taps has 9.
Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", arXiv:1509.09308, 2015, sections 4.1 to 4.3.
"""

from __future__ import annotations

from collections.abc import Sequence

Matrix = Sequence[Sequence[float]]

TILES = (2, 4)
"""How many results a tile may have along each axis."""
TAPS = 3
"""The width of the filters."""


def span(tile: int) -> int:
    """The width of the window that a tile is computed from."""
    return tile + TAPS - 1


WINDOW: dict[int, Matrix] = {
    2: ((1, 0, -1, 0), (0, 1, 1, 0), (0, -1, 1, 0), (0, 1, 0, -1)),
    4: (
        (4, 0, -5, 0, 1, 0),
        (0, -4, -4, 1, 1, 0),
        (0, 4, -4, -1, 1, 0),
        (0, -2, -1, 2, 1, 0),
        (0, 2, -1, -2, 1, 0),
        (0, 4, 0, -5, 0, 1),
    ),
}
"""B^T, by the width of a tile."""

FILTER: dict[int, Matrix] = {
    2: ((1, 0, 0), (1 / 2, 1 / 2, 1 / 2), (1 / 2, -1 / 2, 1 / 2), (0, 0, 1)),
    4: (
        (1 / 4, 0, 0),
        (-1 / 6, -1 / 6, -1 / 6),
        (-1 / 6, 1 / 6, -1 / 6),
        (1 / 24, 1 / 12, 1 / 6),
        (1 / 24, -1 / 12, 1 / 6),
        (0, 0, 1),
    ),
}
"""G, by the width of a tile."""

RESULT: dict[int, Matrix] = {
    2: ((1, 1, 1, 0), (0, 1, -1, -1)),
    4: ((1, 1, 1, 1, 1, 0), (0, 1, -1, 2, -2, 0), (0, 1, 1, 4, 4, 0), (0, 1, -1, 8, -8, 1)),
}
"""A^T, by the width of a tile."""
