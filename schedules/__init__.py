"""Schedules: how the loops of a kernel are shaped.

    schedule = #loop.schedule<[interchange(n, m), tile(n, 40), pack(w1, n), tile(ni, 8), vectorize(nii, 8), …]>

A schedule is an attribute of a kernel. The pass `schedule` writes it from templates, a person may write or edit it,
and `apply-schedule` carries it out. Each step names loops; tiling `n` makes `ni`, so a schedule reads without the
code.

- `steps/`: one file per step, a frozen dataclass whose fields are the arguments. It transforms a loop or raises
  `Refused` with a reason, describes itself for `mlc explain`, and draws a random step of its kind for the tests.
  Steps are found by file name or by a plugin's entry point; nothing else lists them.
- `templates/`: one file per class of kernels, asked in the order of `schedule_template.py`. The first that knows a
  kernel proposes candidates: the default, then alternatives.
- `cost/`: what loops cost on a machine.
- `records/`: measured schedules, which come before all rules.

`schedule` takes the default unless another candidate is estimated to take plainly less time (`choice.py`).
`KernelOnLoops` makes these estimates: it lowers a kernel once to plain loops, carries out each candidate on a copy,
and runs what the default pipeline runs afterwards. No clock is read, so equal kernels get equal schedules.

A step proves what it needs, since a person may have written the loops: `analysis/legality.py` answers from what ops
do to memory (`analysis/memory_accesses.py`) and which iterations touch the same element (`analysis/dependences.py`).
A refusal is a remark where a template asked, a warning where a person asked. If a template names a loop that does not
exist, `apply-schedule` drops that step with a remark, then tries the next candidate, at last the plain loops; with
`MLC_STRICT_SCHEDULES`, as in tests, this is an error.
"""
