"""Schedule templates: one file per class of kernels, which proposes candidates. They ask loops and machine facts, never
operators.

Contractions keep a register tile: `schedules/register_tile.py` counts the cycles of each tile that fits the registers
over the whole result, remainders included, and takes the cheapest whose panels arrive in time. Then:

- Blocks of `n` stand outermost, so that a panel of weights stays in cache while all rows use it. `pack` stores an
  operand as panels, `[N/64][K][64]`, read from front to back: weights at compile time, other operands when the kernel
  starts.
- Blocks of rows stand around these where all rows are more than a quarter of the last cache (`_row_blocks.py`).
- Of the rows and vectors of a tile, the fewer are held in registers; `sink` moves loads of the others to their use.
- Remainders are never scalar: rows that fill no block are a smaller tile, columns that fill no vector are a vector
  with predicated lanes (`loop.load … active 8`).
- Software prefetch: `prefetch(k)` asks for the end of a tile, `prefetch_next(k, n, 2)` for the next panel
  (`_panels.py`) where the level that holds the weights is slower than the tile.
- Products of matrices in registers (`_mma.py`) keep what stores matrices awake: `store_early(k)`.

Rows (softmax, norms, attention) are nests over the same outer loops, which `fuse` joins where iterations depend on
themselves only. Then `fold-storage` (storage folding) keeps a row of a buffer, and `forward-stores` keeps single
numbers in registers. Attention keeps a block of rows of scores.

Depthwise convolutions and pooling are `window.py`; `contraction.py` declines them, since no operand is shared by lanes.
They are rows of results, or small blocks, with their taps written out, of short integers as dot products (`dot_taps`).
No padded image is copied: `clip` lets windows end where the image does, `partition` peels the border (boundary loop
partitioning).

Columns: a sum over the rows of a large matrix reads pages of a few rows while sums wait in the first cache.
"""
