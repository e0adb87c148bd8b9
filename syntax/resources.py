"""The data behind `dense_resource`: from files and blobs that the text names, checked against the types that use it."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from math import prod
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseResourceAttr,
    DictionaryAttr,
    FixedBitwidthType,
    Float16Type,
    IntegerType,
    ModuleOp,
    ShapedType,
)
from xdsl.ir import Attribute, Operation

from mlc.support.dtypes import is_stored, to_numpy
from mlc.support.errors import UserError
from mlc.support.locations import error_at
from mlc.support.resources import Resources
from mlc.support.wide_floats import WIDE_FLOATS
from mlc.syntax.errors import Fault, raise_all
from mlc.syntax.state import Blob

if TYPE_CHECKING:
    from mlc.support.resources import Array
    from mlc.syntax.builder import ModuleBuilder

ALIGNMENT_BYTES = 4
"""A blob starts with its alignment as a little-endian 32-bit number; then come the elements."""


def load(builder: ModuleBuilder, ops: Sequence[Operation]) -> None:
    """Open the files, decode the blobs and check every use in `ops`; errors go to the builder."""
    resources = builder.ctx.resources
    for file in builder.external_files:
        try:
            resources.open_file(file.key, file.path, builder.base, builder.source.locate(file.position))
        except UserError as e:
            builder.errors.append(e)
            return
    for use in builder.resource_uses:
        try:
            if use.name in builder.blobs and use.name not in resources:
                resources.define(use.name, _decode(use.name, builder.blobs[use.name], use.type))
            if use.name not in resources:
                raise Fault(_unknown(use.name, resources, builder.blobs))
            _check(use.name, use.type, resources)
        except Fault as e:
            builder.report(e, use.position)
    if not builder.errors and any(_has_no_sign(u.type, resources.dtype_of(u.name)) for u in builder.resource_uses):
        builder.errors += _wrong_signs(ops, resources)


def define_weights(weights: Mapping[str, Array], resources: Resources) -> None:
    """Add the weights that a Python program gives.

    Raises:
        UserError: a file has one of this name.
    """
    for name, array in weights.items():
        if name in resources:
            raise UserError(f"weight '{name}' is in a weight file of the model already; leave it out of weights")
        resources.define(name, array)


def check_uses(module: ModuleOp, resources: Resources, weights: Collection[str]) -> None:
    """Hold all uses of resources in IR that no text stands behind against the data, and the `weights` against the uses.

    Raises:
        UserError: a name has no data, other data than its use says, or is not used (UserErrors: several of these).
    """
    errors: list[UserError] = []
    used: set[str] = set()
    for op in module.walk():
        for use in _resources_in(op):
            name = use.resource_handle.data
            used.add(name)
            try:
                if name not in resources:
                    raise Fault(_not_given(name, weights))
                _check(name, use.type, resources, _has_signs(op))
            except Fault as e:
                errors.append(error_at(op, e.message))
    for name in weights:
        if name not in used:
            near = get_close_matches(name, used, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            errors.append(UserError(f"weight '{name}' is not used: no constant of the model names it{hint}"))
    if errors:
        raise_all(errors)


def _resources_in(op: Operation) -> Iterator[DenseResourceAttr]:
    pending: list[Attribute] = [*op.properties.values(), *op.attributes.values()]
    while pending:
        attribute = pending.pop()
        if isinstance(attribute, DenseResourceAttr):
            yield attribute
        elif isinstance(attribute, ArrayAttr):
            pending += cast(ArrayAttr[Any], attribute).data
        elif isinstance(attribute, DictionaryAttr):
            pending += attribute.data.values()


def _not_given(name: str, weights: Collection[str]) -> str:
    near = get_close_matches(name, weights, 1)
    found = f"; found '{near[0]}'" if near else ""
    return f"weight '{name}' has no data{found}; give it to mlc.compile, as in weights={{'{name}': array}}"


def leave_undecoded(builder: ModuleBuilder) -> None:
    """Give the blobs to xDSL's store of the builtin dialect, as text; files are not opened and uses not checked."""
    store = builder.ctx.get_dialect("builtin").get_interface(OpAsmDialectInterface)
    assert store is not None
    for name, blob in builder.blobs.items():
        if store.lookup(name) is None:
            store.declare_resource(name)
        store.parse_resource(name, f"0x{blob.digits}")


def _decode(name: str, blob: Blob, kind: ShapedType) -> np.ndarray[Any, np.dtype[Any]]:
    try:
        data = bytes.fromhex(blob.digits)
    except ValueError:
        raise Fault(f"the data of resource '{name}' is not pairs of hexadecimal digits", blob.position) from None
    if len(data) < ALIGNMENT_BYTES:
        raise Fault(f"the data of resource '{name}' lacks the {ALIGNMENT_BYTES} bytes of its alignment", blob.position)
    dtype = element_dtype(_element(kind))
    shape = kind.get_shape()
    found, wanted = len(data) - ALIGNMENT_BYTES, dtype.itemsize * prod(shape)
    if found != wanted:
        raise Fault(
            f"resource '{name}' has {found} bytes, but {kind} needs {wanted}",
            None,
            [("its data is here", blob.position)],
        )
    array = np.frombuffer(data, dtype.newbyteorder("<"), offset=ALIGNMENT_BYTES).reshape(shape)
    return array if sys.byteorder == "little" else array.astype(dtype)


def decoded(name: str, digits: str, kind: ShapedType) -> np.ndarray[Any, np.dtype[Any]]:
    """The array of type `kind` that the hexadecimal text of the resource `name` stands for.

    Raises:
        UserError: the text is not that of such an array.
    """
    try:
        return _decode(name, Blob(digits, 0), kind)
    except Fault as e:
        raise UserError(e.message) from None


def encode(array: np.ndarray[Any, np.dtype[Any]]) -> str:
    """The hexadecimal text of an array, as `_decode` reads it."""
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    alignment = max(ALIGNMENT_BYTES, array.dtype.itemsize)
    return "0x" + (alignment.to_bytes(ALIGNMENT_BYTES, "little") + little.tobytes()).hex().upper()


def _has_signs(op: Operation) -> bool:
    """Whether `i8` is signed and `ui8` is not for an op, as it is above the tensor level."""
    return op.name.startswith("graph.")


def _wrong_signs(ops: Sequence[Operation], resources: Resources) -> Iterator[UserError]:
    """The uses of data of unsigned integers as signed ones, by ops for which they differ."""
    for op in (inner for top in ops for inner in top.walk() if _has_signs(inner)):
        for use in _resources_in(op):
            try:
                _check(use.resource_handle.data, use.type, resources, True)
            except Fault as e:
                yield error_at(op, e.message)


def _check(name: str, kind: ShapedType, resources: Resources, has_signs: bool = False) -> None:
    shape, dtype = resources.shape_of(name), resources.dtype_of(name)
    wanted_shape, wanted_dtype = tuple(kind.get_shape()), element_dtype(_element(kind))
    if DYNAMIC_INDEX in wanted_shape:
        raise Fault(f"a dense_resource has known sizes, got {kind}")
    if shape != wanted_shape:
        raise Fault(f"resource '{name}' has shape {_shape(shape)}, but {kind} has shape {_shape(wanted_shape)}")
    are_bytes = is_stored(wanted_dtype) and dtype.name == "uint8"
    if dtype != wanted_dtype and not are_bytes and (has_signs or not _has_no_sign(kind, dtype)):
        raise Fault(f"resource '{name}' has elements of type {dtype.name}, but {kind} has {wanted_dtype.name}")


def _has_no_sign(kind: ShapedType, dtype: np.dtype[Any]) -> bool:
    """Whether elements are signless integers and the data unsigned ones, or codes of a type: their bits."""
    held = element_dtype(_element(kind))
    return held.kind == "i" and (dtype.kind == "u" or is_stored(dtype)) and dtype.itemsize == held.itemsize


def _unknown(name: str, resources: Resources, blobs: Iterable[str]) -> str:
    near = get_close_matches(name, [*resources.names(), *blobs], 1)
    files = ", ".join(f"'{p}'" for p in resources.spellings.values())
    message = f"unknown resource '{name}'"
    if near:
        message += f", did you mean '{near[0]}'?"
    looked = f"looked in {files}" if files else "the text names no weight file"
    return f"{message} ({looked})"


def _shape(shape: Iterable[int]) -> str:
    return "x".join(map(str, shape)) or "()"


def _element(kind: ShapedType) -> Attribute:
    return cast(Any, kind).element_type


def element_dtype(element: Attribute) -> np.dtype[Any]:
    """How the elements of a type are kept: types that NumPy lacks as their bits, in unsigned integers.

    Raises:
        Fault: the elements have no fixed size in bytes.
    """
    try:
        return to_numpy(element)
    except KeyError:
        has_size = isinstance(element, FixedBitwidthType) and not isinstance(element, WIDE_FLOATS)
        size: int = cast(Any, element).compile_time_size if has_size else 0
        if size not in (1, 2, 4, 8):
            raise Fault(f"a dense_resource cannot have elements of type {element}") from None
        if isinstance(element, IntegerType):
            return np.dtype(f"i{size}")
        return np.dtype("float16") if isinstance(element, Float16Type) else np.dtype(f"u{size}")
