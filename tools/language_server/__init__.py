"""The language server: what editors ask of a text of IR, answered by the parser, the verifier and the registries.

`analysis.py` reads a text and knows where names stand, `edited.py` what of that is still known after an edit, and
`documents.py` when which of them is asked; `hover.py` and `completion.py` say what stands at a place and what may;
`outline.py` and `colours.py` tell its structure; `session.py`, `server.py` and the files of requests speak the
protocol, by the library pygls. Nothing here knows any dialect: ops, types, passes and steps of plugins are answered for
like those of mlc.
"""
