"""Lines of assembly have the places that debug information says, if it has changed no instruction."""

from __future__ import annotations

from mlc.tools.explorer.code_places import places_in_assembly, places_in_llvm_ir

_PLAIN = """\
\t.text
kernel:                                 # @kernel
# %bb.0:
\tpushq\t%rax
.LBB0_1:                                # =>This Inner Loop Header: Depth=1
\tvmovups\t(%rdi), %ymm0                  # 32-byte Reload
\tvaddps\t(%rsi), %ymm0, %ymm0
\tjne\t.LBB0_1
\tretq
"""
_PLACED = """\
\t.text
\t.file\t"places"
kernel:                                 # @kernel
.Lfunc_begin0:
\t.loc\t1 0 0                           # places:0:0
# %bb.0:
\tpushq\t%rax
.LBB0_1:                                # =>This Inner Loop Header: Depth=1
.Ltmp0:
\t.loc\t1 7 1 prologue_end              # places:7:1
\tvmovups\t(%rdi), %ymm0          # 32-byte Reload
\t#DEBUG_VALUE: x <- 1
\t.loc\t1 3 1 is_stmt 0                 # places:3:1
\tvaddps\t(%rsi), %ymm0, %ymm0
\tjne\t.LBB0_1
\tretq
.Ltmp1:
\t.section\t.debug_abbrev,"",@progbits
\t.byte\t1
"""


def test_instructions_have_the_places_of_the_same_ones_with_debug_information() -> None:
    assert places_in_assembly(_PLAIN, _PLACED) == [-1, -1, -1, -1, -1, 6, 2, 2, 2, -1]


def test_other_instructions_have_none() -> None:
    for changed in (_PLACED.replace("%rsi", "%rdx"), _PLACED.replace("\tretq\n", ""), ""):
        assert set(places_in_assembly(_PLAIN, changed)) == {-1}


def test_numbers_of_arm_are_no_comments() -> None:
    text = "k:\n\tadd\tx0, x0, #16                    // =16\n\tret\n"
    placed = "k:\n\t.loc\t1 2 1\n\tadd\tx0, x0, #16\n\t.loc\t1 4 1\n\tret\n"
    assert places_in_assembly(text, placed) == [-1, 1, 3, -1]
    assert set(places_in_assembly(text, placed.replace("#16", "#32"))) == {-1}


def test_lines_of_llvm_ir() -> None:
    text = "define void @k() {\n  %1 = fadd float 1.0, 2.0\n  ret void\n}\nattributes\n"
    placed = (
        "define void @k() !dbg !4 {\n  %1 = fadd float 1.0, 2.0, !dbg !8\n  ret void, !dbg !9\n}\n"
        "!8 = !DILocation(line: 3, column: 1, scope: !4)\n!9 = !DILocation(line: 0, column: 1, scope: !4)\n"
    )
    assert places_in_llvm_ir(text, placed) == [-1, 2, -1, -1, -1, -1]
