"""Steps of schedules, one in each file of its name: how it is written, what it requires, and what it does.

A plugin's step is a class like these, named by an entry point of the group `mlc.steps`. Rules that choose schedules
make steps, whatever level they work on; nothing but `apply-schedule` and the passes of the same names carries them out.
"""
