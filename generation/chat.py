"""Messages of a chat as the text that a model was trained with, by the template in its file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from mlc.frontends.gguf.file import GgufFile
from mlc.generation.packages import llm_package
from mlc.generation.tokenizer import Tokenizer
from mlc.support.errors import UserError

_OF_EXPRESSIONS = (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RecursionError, MemoryError)
"""What expressions of a template raise."""
Message = dict[str, str]
"""What a `role` (system, user, assistant) says: its `content`."""


def chat_tokens(
    file: GgufFile, messages: Sequence[Message], tokenizer: Tokenizer, most: int | None = None
) -> list[int]:
    """The tokens of messages, after which the assistant speaks. Only the template makes tokens that stand for no text:
    what a message says, even if it looks like one, stays text.

    Raises:
        UserError: as `chat_text`, or the text is longer than `most` tokens can be.
    """
    guarded = [{**each, "content": tokenizer.guarded(each["content"])} for each in messages]
    return tokenizer.encoded(chat_text(file, guarded, tokenizer.tokens), is_guarded=True, most=most)


def chat_text(file: GgufFile, messages: Sequence[Message], tokens: Sequence[str]) -> str:
    """The text of messages, after which the assistant speaks.

    The template is a program of the file: it runs in the sandbox of jinja2, where it changes nothing and takes little.

    Raises:
        UserError: the file has no template, or it does not take these messages; or jinja2 is missing.
    """
    template = file.metadata.get("tokenizer.chat_template")
    if not isinstance(template, str):
        raise file.error("the file has no template for chats (tokenizer.chat_template); leave out --chat")
    jinja2 = llm_package("jinja2")
    from mlc.generation.bounded_templates import BoundedEnvironment

    def refuse(words: str) -> NoReturn:
        raise UserError(f"the template for chats refuses these messages: {words}")

    environment = BoundedEnvironment()
    try:
        ends = _ends(file, tokens)
        return environment.bounded(
            template, messages=list(messages), add_generation_prompt=True, raise_exception=refuse, **ends
        )
    except UserError:
        raise
    except (jinja2.TemplateError, *_OF_EXPRESSIONS) as e:
        raise file.error(f"its template for chats cannot be used: {type(e).__name__}: {e}") from None


def _ends(file: GgufFile, tokens: Sequence[str]) -> dict[str, Any]:
    """The texts of the tokens that templates name."""
    found = {name: file.metadata.get(f"tokenizer.ggml.{name}_token_id") for name in ("bos", "eos")}
    return {f"{name}_token": tokens[i] if type(i) is int and 0 <= i < len(tokens) else "" for name, i in found.items()}
