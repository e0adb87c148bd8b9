"""Builds the extension of VS Code, which is a ZIP archive with a manifest: `python -m mlc.tools.editors.vsix mlc.vsix`.

Equal sources make equal bytes. `code --install-extension mlc.vsix` installs it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.sax.saxutils import quoteattr
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from mlc.support.errors import UserError
from mlc.support.version import __version__
from mlc.tools.editors.textmate import textmate_grammar

_SOURCES = Path(__file__).with_name("vscode")
_LICENSE = "Apache License 2.0 with LLVM exceptions: https://llvm.org/LICENSE.txt\n"
_EARLIEST = (1980, 1, 1, 0, 0, 0)
_CONTENT_TYPES = """\
<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".js" ContentType="application/javascript"/>
  <Default Extension=".json" ContentType="application/json"/>
  <Default Extension=".txt" ContentType="text/plain"/>
  <Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
"""


def extension_files() -> dict[str, str]:
    """The files of the archive by their names, `extension.vsixmanifest` and what VS Code loads."""
    package = json.loads((_SOURCES / "package.json").read_text(encoding="utf-8"))
    package["version"] = ".".join(__version__.split(".")[:3])
    files = {f"extension/{file.name}": file.read_text(encoding="utf-8") for file in sorted(_SOURCES.iterdir())}
    files |= {
        "extension/package.json": json.dumps(package, indent=2) + "\n",
        "extension/mlir.tmLanguage.json": textmate_grammar(),
        "extension/LICENSE.txt": _LICENSE,
    }
    return {"[Content_Types].xml": _CONTENT_TYPES, "extension.vsixmanifest": _manifest(package), **files}


def _manifest(package: dict[str, object]) -> str:
    name, version, publisher, said, shown = (
        quoteattr(str(package[key])) for key in ("name", "version", "publisher", "description", "displayName")
    )
    engine = quoteattr(str(dict[str, str](package["engines"])["vscode"]))  # pyright: ignore[reportArgumentType, reportCallIssue]
    return f"""\
<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id={name} Version={version} Publisher={publisher}/>
    <DisplayName>{shown[1:-1]}</DisplayName>
    <Description xml:space="preserve">{said[1:-1]}</Description>
    <Categories>Programming Languages</Categories>
    <License>extension/LICENSE.txt</License>
    <Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value={engine}/></Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
"""


def write_extension(path: Path) -> None:
    """Write the archive.

    Raises:
        UserError: the file cannot be written.
    """
    try:
        with ZipFile(path, "w", ZIP_DEFLATED) as archive:
            for name, text in extension_files().items():
                archive.writestr(ZipInfo(name, _EARLIEST), text, ZIP_DEFLATED)
    except OSError as e:
        raise UserError(f"cannot write '{path}': {e.strerror}") from None


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m mlc.tools.editors.vsix FILE.vsix")
    try:
        write_extension(Path(sys.argv[1]))
    except UserError as e:
        sys.exit(f"error: {e}")
