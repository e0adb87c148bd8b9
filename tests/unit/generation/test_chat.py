"""Messages by the template of a file."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("jinja2")

from mlc.generation.chat import chat_text
from mlc.support.errors import UserError
from mlc.tests.unit.generation.files import with_metadata

_MESSAGES = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hello"}]
_PLAIN = """{% for m in messages %}
<|im_start|>{{ m['role'] }}
{{ m['content'] }}<|im_end|>
{% endfor %}
{% if add_generation_prompt %}
<|im_start|>assistant
{% endif %}"""


def _text(template: object) -> str:
    return chat_text(
        with_metadata({"tokenizer.chat_template": template, "tokenizer.ggml.bos_token_id": 0}), _MESSAGES, ["<s>"]
    )


def test_a_template() -> None:
    expected = "<|im_start|>system\nbe brief<|im_end|>\n<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n"
    assert _text(_PLAIN) == expected
    assert _text("{{ bos_token }}{{ eos_token }}{{ messages[1].content }}") == "<s>hello"


@pytest.mark.parametrize(
    "template, words",
    [
        (None, r"the file has no template for chats \(tokenizer.chat_template\); leave out --chat"),
        ("{% for %}", "its template for chats cannot be used: TemplateSyntaxError"),
        ("{{ ''.__class__.__mro__ }}", "its template for chats cannot be used: SecurityError"),
        ("{{ messages.clear() }}", "its template for chats cannot be used: SecurityError"),
        (
            "{% for i in range(1000000000) %}{% endfor %}",
            "its template for chats cannot be used: SecurityError: it gives numbers above 16777216",
        ),
        (
            "{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}",
            "SecurityError: its loops go round more than 1000000 times",
        ),
        ("{% set x = 'a' * 2 * 10 ** 8 %}", "SecurityError: it makes more than 134217728 characters and elements"),
        ("{{ ([1] * 9999999)|join('a' * 9999999) }}", "SecurityError: it makes more than"),
        ("{% set x = 'aaaa'.replace('a', 'a' * 50000000) %}", "SecurityError: it makes more than"),
        ("{{ '{:9999999}'.format(1) }}", "SecurityError: it formats long texts"),
        ("{{ '%*d' % (9, 1) }}", "SecurityError: it formats long texts"),
        ("{{ '%9999999d' % 1 }}", "SecurityError: it formats long texts"),
        ("{{ 2 ** 99 }}", "SecurityError: it takes powers of large numbers"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "RecursionError"),
        ("{{ raise_exception('roles alternate') }}", "the template for chats refuses these messages: roles alternate"),
        ("{{ 1 / 0 }}", "its template for chats cannot be used: ZeroDivisionError"),
    ],
)
def test_what_is_wrong(template: object, words: str) -> None:
    with pytest.raises(UserError, match=words):
        _text(template)


def test_what_templates_may_do() -> None:
    text = "{% for m in messages if m.role %}{{ loop.index }}{{ loop.last }} {% endfor %}"
    assert _text(text) == "1False 2True "
    assert _text("{{ messages|map(attribute='role')|join(', ') ~ 1 }}{{ messages|join('-', 'role') }}") == (
        "system, user1system-user"
    )
    assert _text("{% for m in messages %}{% if loop.index == 2 %}{% break %}{% endif %}a{% endfor %}") == "a"
    assert _text("{{ 'a b'.split(' ')[1].replace('b', 'c')|replace('c', 'd') }}{{ '%s' % 3 }}{{ 'x' * 3 }}") == "d3xxx"


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.setitem(sys.modules, "jinja2.sandbox", None)
    with pytest.raises(UserError, match=r"need the package jinja2.* pip install 'mlc\[llm\]'"):
        _text(_PLAIN)
