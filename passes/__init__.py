"""Passes, one per file, in a folder for each level and each conversion between two levels.

A pass stays inside a level or converts to the next one; after a conversion nothing of the level above is left, which
it checks. No pass runs another one: a pipeline is data (`pass_manager/pipeline.py`), with a reason for each
entry.
"""
