"""Templates for chats as texts between messages, and which are more than that."""

from __future__ import annotations

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("tokenizers")

from mlc.generation.chat import Message, chat_text
from mlc.generation.executable.turns import Turns, turns_of
from mlc.generation.tokenizer import Tokenizer
from mlc.support.errors import UserError
from mlc.tests.unit.generation.files import by_ranks, with_metadata

_PLAIN = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n"
)
_DEFAULT = "{% if messages[0].role != 'system' %}<|im_start|>system\nbe kind<|im_end|>\n{% endif %}" + _PLAIN
_ALTERNATING = """{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}
{% for m in messages %}[{{ m.role }}] {{ m.content | trim }}{{ eos_token }}{% endfor %}"""
_IN_FIRST = """{% if messages[0].role == 'system' %}{% set s = messages[0].content + ': ' %}
{% set rest = messages[1:] %}{% else %}{% set s = '' %}{% set rest = messages %}{% endif %}
{% for m in rest %}({{ s if loop.first else '' }}{{ m.content }}){% endfor %}"""
_TALK: list[Message] = [
    {"role": "user", "content": " hello "},
    {"role": "assistant", "content": "\nwell"},
    {"role": "user", "content": "{{ o }}"},
]


def _turns(template: object) -> Turns:
    file = with_metadata(by_ranks() | {"tokenizer.chat_template": template})
    return turns_of(file, Tokenizer.of(file))


@pytest.mark.parametrize("template", [_PLAIN, _DEFAULT, _ALTERNATING, _IN_FIRST])
def test_texts_between_messages(template: str) -> None:
    can_instruct = template != _ALTERNATING
    turns, file = _turns(template), with_metadata(by_ranks() | {"tokenizer.chat_template": template})
    tokens = file.metadata["tokenizer.ggml.tokens"]
    assert turns.can_instruct == can_instruct and isinstance(tokens, list)
    system: list[Message] = [{"role": "system", "content": " be brief"}]
    for talk in (_TALK[:1], _TALK, *([system + _TALK[:1], system + _TALK] if can_instruct else [])):
        assert turns.text(talk) == chat_text(file, talk, tokens)
    assert turns.trimmed == ({"user", "assistant"} if template == _ALTERNATING else frozenset())


@pytest.mark.parametrize(
    "template, words",
    [
        (None, r"the file has no template for chats \(tokenizer.chat_template\)"),
        ("{{ messages[-1].content }}", "it leaves out or changes what a message of the role 'user' says"),
        ("{% for m in messages %}{{ m.content | upper }}{% endfor %}", "it leaves out or changes what a"),
        ("{% for m in messages %}{{ loop.index }}{{ m.content }}{% endfor %}", "it puts '2' between a message"),
        (
            "{% for m in messages %}{{ m.content.split('</think>')[-1] }}{% endfor %}",
            "it leaves out or changes what a message of the role 'user' says",
        ),
        (
            "{% for m in messages %}{{ m.content if loop.last else m.content | trim }}{% endfor %}",
            "it treats messages of the role 'user' in several ways",
        ),
        (
            "{% for m in messages %}<|im_start|>{{ m.content or '-' }}{% endfor %}",
            "it treats a message '' in another way than others",
        ),
        ("{% for m in messages %}<|{{ m.content }}{% endfor %}", "a message could make .<.im_start.>. of what stands"),
        ("{% for m in messages %}{{ m.content }}|> {% endfor %}", "a message could make .<.im_start.>. of what stands"),
    ],
)
def test_what_is_more_than_that(template: object, words: str) -> None:
    with pytest.raises(UserError, match=words):
        _turns(template)
