"""Several shapes for one model: how they are written, and what is compiled of them."""

from __future__ import annotations

import pytest

from mlc.support.bindings import Bindings, parse_bindings, parse_shapes
from mlc.support.errors import UserError
from mlc.support.variants import Variant, variants_of


def test_shapes_and_several_of_them() -> None:
    bindings = parse_bindings(["batch=1,8", "x=1x3", "y=1x3,8x3", "s="], ["sr=16000"])
    assert bindings.shapes == {"x": (1, 3), "s": ()}
    assert bindings.choices == {"batch": (1, 8), "y": ((1, 3), (8, 3))}
    assert list(bindings.values) == ["sr"]


@pytest.mark.parametrize("word", ["batch=1,", "batch=,1", "batch=1,,8", "batch=1,a", "=1,8", "1,8", "batch=1,-8"])
def test_words_of_other_forms(word: str) -> None:
    with pytest.raises(UserError, match=f"found '{word}' as a shape; .* with commas between several of them"):
        parse_bindings([word], [])


def test_several_where_one_is_needed() -> None:
    with pytest.raises(UserError, match="found several shapes of 'y', 1x3, 8x3; what is bound here has one shape"):
        parse_shapes(["y=1x3,8x3"])


def test_one_variant_has_no_name_of_its_own() -> None:
    bindings = Bindings({"batch": 4})
    assert variants_of(bindings) == [Variant(bindings, "", "", 0)]


def test_lists_on_several_names_make_their_product() -> None:
    variants = variants_of(Bindings({"n": 3}, {}, {"batch": (1, 8), "x": ((2, 4), (3, 4))}))
    assert [v.suffix for v in variants] == ["_batch1_x2x4", "_batch1_x3x4", "_batch8_x2x4", "_batch8_x3x4"]
    assert variants[1].label == "batch=1, x=3x4"
    assert variants[1].bindings == Bindings({"n": 3, "batch": 1, "x": (3, 4)})


def test_names_that_c_does_not_know() -> None:
    suffixes = [v.suffix for v in variants_of(Bindings({}, {}, {"a.b": (1, 2), "a/b": (1, 2)}))]
    assert suffixes == ["_a_b1_a_b1", "_a_b1_a_b2", "_a_b2_a_b1", "_a_b2_a_b2"]
    clash = [v.suffix for v in variants_of(Bindings({}, {}, {"a": (1, 11), "2": (11, 1)}))]
    assert clash == ["_a1_211", "_a1_21", "_a11_211", "_a11_21"]
    assert len(set(clash)) == 4


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"n": (8, 1, 8)}, "'n' is given 8 twice; required: different shapes"),
        ({"x": (8, (8, 3))}, "'x' is given shapes of different ranks, 8 and 8x3; required: one rank"),
        (
            {"n": tuple(range(9)), "m": tuple(range(8))},
            "9 of 'n' x 8 of 'm' make 72 variants, each of which is compiled on its own; at most 64 go into an "
            "artifact: leave some out, or give an input whole shapes, x=1x16,8x128, where its dims go together",
        ),
    ],
)
def test_shapes_that_do_not_go_together(choices: dict[str, tuple[int, ...]], message: str) -> None:
    with pytest.raises(UserError) as error:
        variants_of(Bindings({}, {}, choices))
    assert error.value.message == message


def test_most_variants() -> None:
    assert len(variants_of(Bindings({}, {}, {"n": tuple(range(8)), "m": tuple(range(8))}))) == 64


def test_what_is_given_is_part_of_the_identity() -> None:
    assert parse_bindings(["n=1,8"], []).identity != parse_bindings(["n=1,9"], []).identity
    assert parse_bindings(["n=1,8"], []).identity != parse_bindings(["n=1"], []).identity
