"""Shell scripts that complete command lines, written from what the parsers of the tools know."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Flag:
    """One option, under all its names."""

    names: tuple[str, ...]
    help: str
    takes_value: bool
    values: tuple[str, ...]
    """What the value may be; empty if anything, such as a file."""


@dataclass(frozen=True)
class CompletedCommand:
    """What may follow `mlc COMMAND`, or the name of a tool without commands, whose `name` is empty."""

    name: str
    help: str
    flags: tuple[Flag, ...]
    words: tuple[str, ...]
    """What may stand where no option does, besides files."""


@dataclass(frozen=True)
class CompletedTool:
    """One program."""

    name: str
    commands: tuple[CompletedCommand, ...]

    @property
    def has_commands(self) -> bool:
        return self.commands[0].name != ""


def bash(tools: Sequence[CompletedTool]) -> str:
    """For bash 4 or newer, with or without the package bash-completion."""
    return "".join(_bash_tool(tool) for tool in tools)


def zsh(tools: Sequence[CompletedTool]) -> str:
    """For zsh, by its emulation of bash's completion."""
    start = "(( $+functions[compdef] )) || { autoload -U compinit && compinit }"
    return f"{start}\nautoload -U bashcompinit && bashcompinit\n\n{bash(tools)}"


def fish(tools: Sequence[CompletedTool]) -> str:
    """For fish 3 or newer."""
    return "".join(line for tool in tools for line in _fish_tool(tool))


def _bash_tool(tool: CompletedTool) -> str:
    function = f"_{tool.name.replace('-', '_')}_complete"
    first = f'[ "$COMP_CWORD" = 1 ] && words={_words(c.name for c in tool.commands)}' if tool.has_commands else ":"
    command = '"${COMP_WORDS[1]}"' if tool.has_commands else '""'
    return f"""{function}() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" option="${{COMP_WORDS[COMP_CWORD - 1]}}" words= prefix=
    # bash has --option=value in three words, zsh in one
    case "$current" in
        =) current= ;;
        --*=*) option="${{current%%=*}}" prefix="${{current%%=*}}=" current="${{current#*=}}" ;;
        *) [ "$option" = = ] && option="${{COMP_WORDS[COMP_CWORD - 2]}}" ;;
    esac
    case {command}" $option" in
{"".join(_bash_values(c) for c in tool.commands)}        *) case {command} in
{"".join(_bash_words(c) for c in tool.commands)}            esac ;;
    esac
    {first}
    COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$current"))
}}
complete -o default -F {function} {tool.name}

"""


def _bash_values(command: CompletedCommand) -> str:
    """What may follow the options that take a value, by value; after some it can be anything, such as a file."""
    names: dict[tuple[str, ...], list[str]] = {}
    for flag in command.flags:
        if flag.takes_value:
            names.setdefault(flag.values, []).extend(shlex.quote(f"{command.name} {name}") for name in flag.names)
    return "".join(f"        {' | '.join(names[v])}) words={_words(v)} ;;\n" for v in names)


def _bash_words(command: CompletedCommand) -> str:
    words = [*command.words, *(name for flag in command.flags for name in flag.names)]
    return f"                {shlex.quote(command.name)}) words={_words(words)} ;;\n"


def _words(words: Iterable[str]) -> str:
    return shlex.quote(" ".join(words))


def _fish_tool(tool: CompletedTool) -> Iterator[str]:
    for command in tool.commands:
        condition = ""
        if tool.has_commands:
            yield f"complete -c {tool.name} -n __fish_use_subcommand -fa {command.name} -d {_fish(command.help)}\n"
            condition = f" -n {_fish(f'__fish_seen_subcommand_from {command.name}')}"
        if command.words:
            yield f"complete -c {tool.name}{condition} -fa {_fish(' '.join(command.words))}\n"
        for flag in command.flags:
            names = " ".join(map(_fish_option, flag.names))
            value = f" -xa {_fish(' '.join(flag.values))}" if flag.values else " -rF" if flag.takes_value else ""
            yield f"complete -c {tool.name}{condition} {names}{value} -d {_fish(flag.help)}\n"


def _fish_option(name: str) -> str:
    """How fish's `complete` is told of `--long`, `-s` or `-old`."""
    return f"-l {name[2:]}" if name.startswith("--") else f"-{'s' if len(name) == 2 else 'o'} {name[1:]}"


def _fish(text: str) -> str:
    """`text` as one word of fish, whose quotes know two escapes."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
