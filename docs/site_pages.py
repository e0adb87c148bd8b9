"""A hook of mkdocs: pages from outside `docs/`, and the sources that pages link to.

`ARCHITECTURE.md` and its like become pages, and each file of the repository that a page links to becomes a page with
its text, so that the site needs nothing beside it and `mkdocs build --strict` checks every link.
"""

from __future__ import annotations

import posixpath
import re
from importlib import import_module
from pathlib import Path
from typing import Any

_File: Any = import_module("mkdocs.structure.files").File  # which only the extra `docs` installs
_ROOT = Path(__file__).resolve().parents[1]
_PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
"""The pages of the root that the site has, under their own names."""
_LINK = re.compile(r"(?<=\]\()(?!\w+:|#|/)([^)#\s]+)")
_LANGUAGES = {".py": "python", ".c": "c", ".h": "c", ".toml": "toml", ".mlir": "mlir"}


def on_config(config: Any) -> Any:
    """List the pages of the dialects."""
    pages = [f"dialects/{path.name}" for path in sorted((_ROOT / "docs" / "dialects").glob("*.md"))]
    config["nav"] = [{"Dialects": pages} if "Dialects" in entry else entry for entry in config["nav"]]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages of the root, and a page for each source file that a page links to."""
    texts = {name: (_ROOT / name).read_text(encoding="utf-8") for name in _PAGES}
    for name, text in texts.items():
        files.append(_File.generated(config, name, content=_with_links_of_site(text, name)))
    for file in files.documentation_pages():
        if file.generated_by is None:
            texts[file.src_uri] = Path(str(file.abs_src_path)).read_text(encoding="utf-8")
    linked = {_target(uri, link) for uri, text in texts.items() for link in _LINK.findall(text)}
    for path in sorted(uri.removeprefix("source/").removesuffix(".md") for uri in linked if uri.startswith("source/")):
        if (_ROOT / path).is_file():
            files.append(_File.generated(config, f"source/{path}.md", content=_shown(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links that leave `docs/` lead to pages of the site."""
    return markdown if page.file.generated_by else _with_links_of_site(markdown, page.file.src_uri)


def _shown(path: str) -> str:
    """A file of the repository as a page. Text keeps no links, which would lead out of the site."""
    text = (_ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".md"):
        return re.sub(r"\[([^\]]*)\]\((?!\w+:)[^)]*\)", r"\1", text)
    return f"# `{path}`\n\n````{_LANGUAGES.get(Path(path).suffix, 'text')}\n{text}\n````\n"


def _with_links_of_site(text: str, uri: str) -> str:
    folder = posixpath.dirname(uri) or "."
    return _LINK.sub(lambda link: posixpath.relpath(_target(uri, link[1]), folder), text)


def _target(uri: str, link: str) -> str:
    """The page, or the file of `docs/`, that a link of a page leads to."""
    folder = "" if uri in _PAGES else posixpath.dirname(f"docs/{uri}")
    path = posixpath.normpath(posixpath.join(folder, link))
    if (_ROOT / path).is_dir():
        path = "docs/README.md" if path.startswith("docs") else f"{path}/README.md"
    return path.removeprefix("docs/") if path.startswith("docs/") or path in _PAGES else f"source/{path}.md"
