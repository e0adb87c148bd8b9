"""The search for faster schedules, by measuring them: `mlc tune`.

A search proposes (`KernelSearch`): mutations of a schedule that the loops allow and that change them. Candidates are
ranked by the estimate of their loops, corrected by what was learnt of its errors. An `Executor` measures:
`LocalExecutor` in this process, `DaskExecutor` on the workers of a cluster. Both hand work to a `Workplace`, where
each candidate is compiled and run in a process of its own. `Tuner` is the loop between the two. Results are records
(`schedules/records/`), which compilations ask.
"""
