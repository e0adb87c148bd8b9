"""The language server: what editors ask of a text of IR, answered by the parser, the verifier and the registries.

`analysis.py` reads a text once per change and knows where names stand; `hover.py` and `completion.py` say what stands
at a place and what may; `outline.py` tells its structure; `server.py` speaks the protocol, by the library pygls.
Nothing here knows any dialect: ops, types, passes and steps of plugins are answered for like those of mlc.
"""
