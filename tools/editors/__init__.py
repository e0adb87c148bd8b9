"""Colours of IR outside of mlc: a grammar of TextMate, a lexer of Pygments, and the extension of VS Code.

`spelled_tokens.py` says once what the tokens are; grammar and lexer are made of it. Nothing here imports xDSL, because
Pygments loads the lexers of all packages.
"""
