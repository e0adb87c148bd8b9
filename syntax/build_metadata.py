"""Actions of the grammar: aliases, and the metadata section that names the files and the bytes of resources."""

from __future__ import annotations

from typing import Any

from xdsl.ir import Attribute

from mlc.syntax.lexer import Name
from mlc.syntax.state import Blob, ExternalFile, State

ResourceGroup = tuple[Name, "dict[str, tuple[Name, Any]]"]


class MetadataActions(State):
    """Collects what a file says besides its operations."""

    def define_alias(self, token: Name, _equal: str, value: Attribute) -> None:
        """`#name = attribute` or `!name = type`."""
        if token.text in self.aliases:
            self.fault(f"alias '{token.text}' is defined twice", token.position)
        self.aliases[token.text] = value

    def metadata_bare_key(self, token: Name) -> Name:
        """A name."""
        return token

    def metadata_quoted_key(self, token: Name) -> Name:
        """A name in quotes."""
        return Name(self.string(token), token.position)

    def metadata_string(self, token: Name) -> Name:
        """A string."""
        return Name(self.string(token), token.position)

    def metadata_entry(self, key: Name, _colon: str, value: Any) -> tuple[Name, Any]:
        """`name: "0x..."`."""
        return key, value

    def empty_metadata_group(self, key: Name, _colon: str, _open: object, _close: str) -> tuple[Name, Any]:
        """`name: {}`."""
        return key, []

    def metadata_group(self, key: Name, _c: str, _open: object, entries: list[Any], _close: str) -> tuple[Name, Any]:
        """`name: { ... }`."""
        return key, entries

    def empty_metadata(self, _open: str, _close: str) -> None:
        """`{-# #-}`."""

    def metadata(
        self, _open: str, sections: list[tuple[Name, list[tuple[Name, list[tuple[Name, Any]]]]]], _close: str
    ) -> None:
        """`{-# dialect_resources: {...}, external_resources: {...} #-}`."""
        for section, groups in sections:
            if section.text not in ("dialect_resources", "external_resources"):
                self.fault(
                    f"metadata is dialect_resources or external_resources, got '{section.text}'",
                    section.position,
                )
            for group, entries in groups:
                for key, value in entries:
                    if section.text == "dialect_resources":
                        self._blob(group, key, value)
                    elif group.text == "mlc":
                        if not isinstance(value, Name):
                            self.fault("expected the path of a weight file as a string", key.position)
                        self.external_files.append(ExternalFile(key.text, value.text, value.position))

    def _blob(self, dialect: Name, key: Name, value: Any) -> None:
        self.require_dialect(dialect.text, dialect.position)
        if not isinstance(value, Name) or not value.text.startswith("0x"):
            self.fault(f"the data of resource '{key.text}' is a string that starts with 0x", key.position)
        if dialect.text != "builtin":
            return
        if key.text in self.blobs:
            self.fault(
                f"resource '{key.text}' is defined twice",
                key.position,
                [("defined here before", self.blobs[key.text].position)],
            )
        self.blobs[key.text] = Blob(value.text[2:], key.position)
