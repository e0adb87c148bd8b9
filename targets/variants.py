"""A model that was compiled for several shapes: what tells its variants apart, and the function that picks one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlc.support.errors import UserError
from mlc.targets.machine import Machine
from mlc.targets.program import Program, RunnerSource, Signature, Weight, described_machine
from mlc.targets.units import Unit


@dataclass(frozen=True)
class VariantDim:
    """An extent in which variants differ."""

    name: str
    """That of the dim, or `<input>_<axis>` for a dim without a name."""
    places: tuple[tuple[int, int], ...]
    """The dims of inputs that have this extent: numbers of inputs, and of axes."""

    def extent(self, signature: Signature) -> int:
        """The extent in one of the variants."""
        number, axis = self.places[0]
        return signature.inputs[number].shape[axis]


@dataclass(frozen=True)
class ProgramVariants:
    """The programs of one model for several shapes of its inputs. `name` "main" makes the C function `mlc_main_at`."""

    name: str
    programs: tuple[Program, ...]
    dims: tuple[VariantDim, ...]
    runner: RunnerSource | None = None
    """The program of an executable, which calls the variants."""

    @property
    def symbol(self) -> str:
        """What the C names of the whole start with."""
        return f"mlc_{self.name}"

    @property
    def signatures(self) -> tuple[Signature, ...]:
        """How each variant is called."""
        return tuple(program.signature for program in self.programs)

    @property
    def weights(self) -> list[Weight]:
        """Those of all variants; what several use under one symbol, once."""
        return list({weight.symbol: weight for program in self.programs for weight in program.weights}.values())

    @property
    def workspace_bytes(self) -> int:
        """The size of a workspace that is enough for each variant."""
        return max(signature.workspace_bytes for signature in self.signatures)

    def extents(self, signature: Signature) -> tuple[int, ...]:
        """Those of `dims` in one of the variants."""
        return tuple(dim.extent(signature) for dim in self.dims)

    def to_json(self, machine: Machine) -> str:
        """The text that `mlc_<name>_signature` returns; each variant has one of its own."""
        return json.dumps(
            {
                "name": self.name,
                "mlc": self.signatures[0].version,
                **described_machine(machine),
                "workspace_bytes": self.workspace_bytes,
                "dims": [dim.name for dim in self.dims],
                "variants": [{"name": s.name, "extents": self.extents(s)} for s in self.signatures],
            }
        )


def telling_dims(signatures: Sequence[Signature], names: Mapping[str, Sequence[str]]) -> tuple[VariantDim, ...]:
    """The extents in which variants of a model differ, in the order of its inputs.

    `names` has the names of the dims of each input; the inputs count that all variants have, with as many dims. Dims of
    one name have one extent; of dims without a name, those that are equal in all variants tell the same.

    Raises:
        UserError: two variants differ in none.
    """
    places: dict[tuple[str, tuple[int, ...]], list[tuple[int, int]]] = {}
    for number, specs in enumerate(zip(*(s.inputs for s in signatures), strict=False)):
        spec, given = specs[0], names.get(specs[0].name, ())
        if len({len(each.shape) for each in specs}) > 1:  # more dims for several rows than for one
            continue
        for axis in range(len(spec.shape)):
            column = tuple(s.inputs[number].shape[axis] for s in signatures)
            if len(set(column)) > 1:
                name = given[axis] if axis < len(given) else ""
                places.setdefault((name, column), []).append((number, axis))
    dims: list[VariantDim] = []
    for (name, _), found in places.items():
        number, axis = found[0]
        dims.append(VariantDim(name or f"{signatures[0].inputs[number].name}_{axis}", tuple(found)))
    seen: dict[tuple[int, ...], Signature] = {}
    for signature in signatures:
        extents = tuple(dim.extent(signature) for dim in dims)
        if (other := seen.setdefault(extents, signature)) is not signature:
            raise UserError(
                f"the variants '{other.name}' and '{signature.name}' take inputs of the same shapes, and no caller "
                "could tell which one is meant: give the dim one extent, or the input no value"
            )
    return tuple(dims)


def dispatch_unit(variants: ProgramVariants) -> Unit:
    """Defines `mlc_<name>_at`, which calls the variant for some extents."""
    parameters = "const void *const *inputs, void *const *outputs, void *workspace"
    declared = "".join(f"__INT32_TYPE__ {s.symbol}({parameters});\n" for s in variants.signatures)
    tests = "".join(
        f"    if ({' && '.join(f'extents[{i}] == {e}' for i, e in enumerate(variants.extents(s)))})\n"
        f"        return {s.symbol}(inputs, outputs, workspace);\n"
        for s in variants.signatures
    )
    head = f"__INT32_TYPE__ {variants.symbol}_at(const __INT64_TYPE__ *extents, {parameters})"
    return Unit("dispatch", f"{declared}{head};\n{head} {{\n{tests}    return -1;\n}}\n", "c")


def header_part(variants: ProgramVariants) -> str:
    """What a C header says of the whole model, below what it says of the variants."""
    symbol, macro = variants.symbol, variants.symbol.upper()
    fields = [re.sub(r"\W", "_", dim.name, flags=re.ASCII) for dim in variants.dims]
    fields = [name if fields.count(name) == 1 else f"{name}_{i}" for i, name in enumerate(fields)]
    places = ", ".join(f"{macro}_DIM_{name} = {i}" for i, name in enumerate(fields))
    count, dims = len(variants.programs), len(variants.dims)
    rows = "".join(
        f"    {{{', '.join(map(str, variants.extents(s)))}}}, /* {s.symbol} */\n" for s in variants.signatures
    )
    inputs = variants.signatures[0].inputs
    meaning = "".join(
        f"\n   {macro}_DIM_{field}: the extent of "
        + ", ".join(f"dim {axis} of '{_plain(inputs[number].name)}'" for number, axis in dim.places)
        for field, dim in zip(fields, variants.dims, strict=True)
    )
    return f"""
/* The model "{variants.name}", compiled for {count} shapes of its inputs. Each of these variants is a
   function of its own, above. What they differ in:{meaning} */
#define {macro}_VARIANTS {count}
#define {macro}_DIMS {dims}
enum {{ {places} }};
static const int64_t {symbol}_variant_extents[{macro}_VARIANTS][{macro}_DIMS] = {{
{rows}}};

/* The largest workspace of a variant. */
#define {macro}_WORKSPACE_BYTES {variants.workspace_bytes}

#ifdef __cplusplus
extern "C" {{
#endif

/* Run the variant for {macro}_DIMS extents, a row of {symbol}_variant_extents. If there is none for them, the
   result is MLC_NO_VARIANT, and nothing has been written. The other arguments are those of the variants. */
int32_t {symbol}_at(const int64_t *extents, const void *const *inputs, void *const *outputs, void *workspace);

/* A size of the workspace that is enough for each variant. */
uint64_t {symbol}_workspace_bytes(void);

/* The names of the variants and their extents, as JSON. */
const char *{symbol}_signature(void);

#ifdef __cplusplus
}}
#endif
"""


def _plain(name: str) -> str:
    """A name as it may stand in a comment of C."""
    return name.replace("*/", "* /").replace("\\", "/") if name.isascii() and name.isprintable() else "?"
