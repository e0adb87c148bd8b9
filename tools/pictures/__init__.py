"""Pictures of a module: what its ops read, which functions it calls, which blocks dominate others.

`of_module.py` makes a picture of nodes and edges, `layered.py` finds places for them, and `dot.py` and `svg.py` write
it: DOT for Graphviz, or SVG that needs no other program. Nothing here knows any dialect.
"""
