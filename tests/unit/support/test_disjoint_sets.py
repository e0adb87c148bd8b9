"""Union-find."""

from mlc.support.disjoint_sets import DisjointSets


def test_sets() -> None:
    sets = DisjointSets[int]()
    assert sets.find(7) == 7
    assert sets.unite(1, 2) == 1
    assert sets.unite(3, 4) == 3
    assert sets.find(2) != sets.find(4)
    assert sets.unite(2, 4) == 1
    assert {sets.find(i) for i in (1, 2, 3, 4)} == {1}
    assert sets.unite(4, 1) == 1


def test_long_chains() -> None:
    sets = DisjointSets[int]()
    for i in range(10_000):
        sets.unite(i + 1, i)
    assert sets.find(0) == sets.find(9_999) == 10_000
