"""A template for chats as the texts between messages, if that is all it is.

A template is a program, and the executable of a chat has none that runs it. It is run here, on conversations of
markers, and what stands between two of them is compared: most templates put the same text between the messages of the
same two roles, wherever these stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlc.frontends.gguf.file import GgufFile
from mlc.generation.chat import Message, chat_text
from mlc.generation.tokenizer import Tokenizer
from mlc.support.errors import UserError

_Roles = tuple[str | None, str | None]
"""Those of the messages before and after a text; None in front of the first one, and after the last one."""
_TALKS = [["user", *["assistant", "user"] * more] for more in range(4)]
_SPACE = "\t \t"
_MARKER = "m{}: <q&\"'\\{{}}%#|</think>\n<think>é [/INST]{}"
_ODD = ("", "a", "  a", "\n", "{{ a }}", "<b>", "a</think>b", "[TOOL_CALLS]")
"""Answers that templates may treat in a way of their own."""


@dataclass(frozen=True)
class Turns:
    """The texts between messages.

    Attributes:
        between: those between a message of one role and one of another.
        trimmed: the roles around whose messages space falls away.
    """

    between: Mapping[_Roles, str]
    trimmed: frozenset[str]

    @property
    def can_instruct(self) -> bool:
        """Whether a conversation may start with a message of the system."""
        return (None, "system") in self.between

    def text(self, messages: Sequence[Message]) -> str:
        """The text of messages, as `chat_text` has it."""
        parts, before = list[str](), None
        for each in messages:
            role, content = each["role"], each["content"]
            parts += [self.between[before, role], content.strip() if role in self.trimmed else content]
            before = role
        return "".join([*parts, self.between[before, None]])


def turns_of(file: GgufFile, tokenizer: Tokenizer) -> Turns:
    """The texts that the template of a file puts between messages.

    Raises:
        UserError: the file has no template, or one that does more than that.
    """
    between, trimmed = dict[_Roles, str](), dict[str, bool]()
    for roles in _TALKS:
        _compare(file, tokenizer, roles, between, trimmed)
    try:
        chat_text(file, _messages(["system", "user"]), tokenizer.tokens)
    except UserError:
        pass  # no message of the system, then
    else:
        for roles in _TALKS:
            _compare(file, tokenizer, ["system", *roles], between, trimmed)
    turns = Turns(between, frozenset(role for role, is_so in trimmed.items() if is_so))
    for odd in _ODD:
        messages: list[Message] = [
            {"role": "user", "content": odd.strip() or "a"},
            {"role": "assistant", "content": odd},
            {"role": "user", "content": "a"},
        ]
        for talk in (messages, [{"role": "system", "content": odd}, *messages]) if turns.can_instruct else (messages,):
            if chat_text(file, talk, tokenizer.tokens) != turns.text(talk):
                raise _refused(file, f"it treats a message {odd!r} in another way than others")
    _require_apart(file, tokenizer, turns)
    return turns


def _messages(roles: Sequence[str]) -> list[Message]:
    return [{"role": role, "content": f"{_SPACE}{_MARKER.format(i, i)}{_SPACE}"} for i, role in enumerate(roles)]


def _compare(
    file: GgufFile, tokenizer: Tokenizer, roles: Sequence[str], between: dict[_Roles, str], trimmed: dict[str, bool]
) -> None:
    """Note what a conversation has between its messages.

    Raises:
        UserError: it is something else than others have.
    """
    text, before = chat_text(file, _messages(roles), tokenizer.tokens), None
    for i, role in enumerate(roles):
        part, marker, text = text.partition(_MARKER.format(i, i))
        if not marker:
            raise _refused(file, f"it leaves out or changes what a message of the role '{role}' says")
        keeps = part.endswith(_SPACE) and text.startswith(_SPACE)
        if trimmed.setdefault(role, not keeps) == keeps:
            raise _refused(file, f"it treats messages of the role '{role}' in several ways")
        _note(file, between, (before, role), part.removesuffix(_SPACE) if keeps else part)
        text, before = text.removeprefix(_SPACE) if keeps else text, role
    _note(file, between, (before, None), text)


def _note(file: GgufFile, between: dict[_Roles, str], roles: _Roles, part: str) -> None:
    if between.setdefault(roles, part) != part:
        names = " and ".join("the end" if role is None else f"a message of the role '{role}'" for role in roles)
        raise _refused(file, f"it puts {between[roles]!r} between {names}, and elsewhere {part!r}")


def _require_apart(file: GgufFile, tokenizer: Tokenizer, turns: Turns) -> None:
    """Raises: UserError if a message could make a name of a control token out of what stands beside it."""
    for (before, after), part in turns.between.items():
        for name in tokenizer.controls:
            cuts = range(1, len(name))
            is_begun = after is not None and any(part.endswith(name[:cut]) for cut in cuts)
            is_ended = before is not None and any(part.startswith(name[cut:]) for cut in cuts)
            if (is_begun and not part.endswith(name)) or (is_ended and not part.startswith(name)):
                raise _refused(file, f"a message could make '{name}' of what stands beside it")


def _refused(file: GgufFile, why: str) -> UserError:
    return file.error(
        f"its template for chats is more than texts between messages: {why}; a program of its own cannot have it: use "
        "mlc chat"
    )
