"""`outline-loops` where the size of a nest counts."""

from __future__ import annotations

from mlc.compiler.compilation import new_context
from mlc.pass_manager.manager import PassManager
from mlc.passes.loop.outline_loops import OutlineLoopsPass
from mlc.passes.upstream.convert_scf_to_loop import ConvertScfToLoopPass
from mlc.syntax import parse_module


def test_nests_of_many_stores_are_left_alone() -> None:
    stores = "\n".join(
        f"%c{i} = arith.constant {i} : index\n memref.store %v, %y[%c{i}, %i] : memref<40x512xf32>" for i in range(40)
    )
    text = f"""
    func.func @main(%x: memref<512xf32>, %y: memref<40x512xf32>) {{
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %end = arith.constant 512 : index
      scf.for %i = %zero to %end step %one {{
        %v = memref.load %x[%i] : memref<512xf32>
        {stores}
      }}
      return
    }}"""
    ctx = new_context(target="x86-64-v3")
    module = parse_module(text, "many.mlir", ctx)
    PassManager(ctx).run(module, [ConvertScfToLoopPass(), OutlineLoopsPass()])
    said = [remark.message for remark in ctx.remarks]
    assert said == ["the loop 'i' stays as it is: it has 40 stores; at most 32 are taken apart"]
