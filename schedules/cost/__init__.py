"""What loops cost on a machine, told from the loops themselves: of any schedule, of any step.

`work.py` counts what the ops of a block issue, how long a value takes from iteration to iteration, and how many
registers are live. `footprint.py` counts the cache lines that accesses touch while some of the loops around them run.
`estimate.py` puts these together: a loop whose iteration fits a cache fetches what it touches once, any other loop
once per iteration. Lines arrive in bursts while the core computes (`bursts.py`). Weights come from the smallest cache
level that holds all weights of the model. All numbers of the machine are facts of `Machine`. With several threads,
the estimate is the time of the thread that has most to do.

On 500 schedules of twenty kernels, estimates rank like measurements: Spearman's coefficient is 0.82, averaged over
the kernels; a second measurement ranks like the first with 0.95 (AMD Zen 5, measured facts).
"""
