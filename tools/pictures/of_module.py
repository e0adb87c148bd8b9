"""Pictures of modules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, get_args

from xdsl.dialects.builtin import DenseResourceAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue

from mlc.support.dominators import immediate_dominators, successors
from mlc.support.errors import UserError
from mlc.support.functions import is_private
from mlc.support.ir import symbols_in
from mlc.tools.pictures.dot import to_dot
from mlc.tools.pictures.picture import NodePicture, PictureEdge, PictureNode
from mlc.tools.pictures.svg import to_svg

PictureSubject = Literal["ops", "calls", "dominance"]
SUBJECTS: tuple[PictureSubject, ...] = get_args(PictureSubject)
LANGUAGES = ("dot", "svg")
_MOST_NODES = 3000
"""Nobody reads a picture of more, and finding places for them takes long."""


def pictures_of(module: ModuleOp, subject: PictureSubject) -> list[NodePicture]:
    """The pictures of a module: of `ops` one for each function with a body, of `calls` one, of `dominance` one for each
    region of several blocks.

    Raises:
        UserError: one would have more nodes than anybody reads.
    """
    makers: dict[PictureSubject, Callable[[ModuleOp], Iterator[NodePicture]]] = {
        "ops": _ops,
        "calls": _calls,
        "dominance": _dominance,
    }
    found: list[NodePicture] = []
    for picture in makers[subject](module):
        if len(picture.nodes) > _MOST_NODES:
            raise UserError(
                f"the picture of {picture.title} has {len(picture.nodes):,} nodes; required: at most {_MOST_NODES:,}; "
                "'mlc explore' shows larger graphs, and --reduce or a pass makes smaller ones"
            )
        found.append(picture)
    return found


# -- ops


def _ops(module: ModuleOp) -> Iterator[NodePicture]:
    for name, function in _functions(module).items():
        if function.regions[0].blocks:
            yield _of_function(name, function.regions[0])


def _functions(module: ModuleOp) -> dict[str, Operation]:
    """The ops of a module that have a name and code, of any dialect, and declarations of such."""
    named = ((op.get_attr_or_prop("sym_name"), op) for op in module.ops)
    return {
        name.data: op
        for name, op in named
        if isinstance(name, StringAttr) and len(op.regions) == 1 and not isinstance(op, ModuleOp)
    }


def _of_function(name: str, body: Region) -> NodePicture:
    """What the ops of a function read; ops inside of others are part of these, and constants of what reads them."""
    nodes: list[PictureNode] = []
    makers: dict[SSAValue, int] = {}
    edges: dict[tuple[int, int], None] = {}
    for block in body.blocks:
        for argument in block.args:
            makers[argument] = len(nodes)
            words = f"%{argument.name_hint or f'arg{argument.index}'}"
            nodes.append(PictureNode([words, str(argument.type)], "end"))
    outer = [op for block in body.blocks for op in block.ops if not _is_constant(op)]
    for number, op in enumerate(outer, len(nodes)):
        makers |= dict.fromkeys(op.results, number)
    for number, op in enumerate(outer, len(nodes)):
        read = dict.fromkeys(value for inner in op.walk() for value in inner.operands)
        nodes.append(PictureNode(_lines(op, read), "op" if op.results or op.regions else "end"))
        edges |= dict.fromkeys((makers[value], number) for value in read if value in makers and makers[value] != number)
    return NodePicture(f"@{name}", nodes, [PictureEdge(*each) for each in edges])


def _is_constant(op: Operation) -> bool:
    return not op.operands and not op.regions and len(op.results) == 1


def _lines(op: Operation, read: dict[SSAValue, None]) -> Sequence[str]:
    inside = sum(1 for _ in op.walk()) - 1
    lines = [op.name + (f", {inside} inside" if inside else ""), ", ".join(str(r.type) for r in op.results)]
    for value in read:
        if isinstance(value.owner, Operation) and _is_constant(value.owner):
            lines.append(f"{_name_of_constant(value.owner)}: {value.type}")
    return [line for line in lines if line]


def _name_of_constant(op: Operation) -> str:
    held = next((a for a in (*op.properties.values(), *op.attributes.values())), None)
    if isinstance(held, DenseResourceAttr):
        return held.resource_handle.data
    return f"%{op.results[0].name_hint}" if op.results[0].name_hint else op.name


# -- calls


def _calls(module: ModuleOp) -> Iterator[NodePicture]:
    """Which functions name which others: a call, or any other op with the symbol."""
    functions = _functions(module)
    named: dict[str, Counter[str]] = {}
    for name, function in functions.items():
        named[name] = Counter(symbol for op in function.regions[0].walk() for symbol in symbols_in(op))
    elsewhere = dict.fromkeys(symbol for symbols in named.values() for symbol in symbols if symbol not in functions)
    numbers = {name: number for number, name in enumerate([*functions, *elsewhere])}
    nodes = [PictureNode([f"@{name}", *_size(function)], _kind(function)) for name, function in functions.items()]
    nodes += [PictureNode([f"@{name}"], "elsewhere") for name in elsewhere]
    edges = [
        PictureEdge(numbers[name], numbers[symbol], f"{times} times" if times > 1 else "")
        for name, symbols in named.items()
        for symbol, times in symbols.items()
    ]
    yield NodePicture("calls", nodes, edges)


def _size(function: Operation) -> Sequence[str]:
    count = sum(1 for _ in function.walk()) - 1
    return [f"{count:,} op{'s' * (count != 1)}"] if function.regions[0].blocks else ["without a body"]


def _kind(function: Operation) -> Literal["op", "kernel", "elsewhere"]:
    if not function.regions[0].blocks:
        return "elsewhere"
    return "kernel" if isinstance(function, FuncOp) and is_private(function) else "op"


# -- dominance


def _dominance(module: ModuleOp) -> Iterator[NodePicture]:
    for op in module.walk():
        for number, region in enumerate(op.regions):
            if region.first_block is not region.last_block:
                name = op.get_attr_or_prop("sym_name")
                title = f"{op.name} @{name.data}" if isinstance(name, StringAttr) else op.name
                yield _of_region(region, title if len(op.regions) == 1 else f"{title}, region {number}")


def _of_region(region: Region, title: str) -> NodePicture:
    """The dominator tree of blocks; dashed, where control goes."""
    numbers = {block: number for number, block in enumerate(region.blocks)}
    dominators = immediate_dominators(region)
    nodes = [PictureNode(_lines_of_block(block, numbers[block], block in dominators)) for block in numbers]
    edges = [PictureEdge(numbers[over], numbers[block]) for block, over in dominators.items() if over is not block]
    for block, number in numbers.items():
        edges += [PictureEdge(number, numbers[each], is_dashed=True) for each in dict.fromkeys(successors(block))]
    return NodePicture(title, nodes, edges)


def _lines_of_block(block: Block, number: int, is_reached: bool) -> Sequence[str]:
    count = sum(1 for _ in block.ops)
    lines = [f"^{block.name_hint or f'bb{number}'}", f"{count:,} op{'s' * (count != 1)}"]
    return lines if is_reached else [*lines, "control never comes here"]


# -- forms


def picture_form(form: str) -> tuple[str, PictureSubject] | None:
    """The two parts of `dot:ops`, `svg:calls` and the like; None if a form is none of a picture.

    Raises:
        UserError: there is no such picture.
    """
    language, colon, subject = form.partition(":")
    if not colon or language not in LANGUAGES:
        return None
    for each in SUBJECTS:
        if each == subject:
            return language, each
    raise UserError(f"there is no picture of '{subject}' for --emit={form}; it is one of {', '.join(SUBJECTS)}")


def draw(module: ModuleOp, language: str, subject: PictureSubject) -> str:
    """The pictures of a module as a text of one of the `LANGUAGES`.

    Raises:
        UserError: one would have more nodes than anybody reads.
    """
    pictures = pictures_of(module, subject)
    return to_dot(pictures) if language == "dot" else to_svg(pictures)
