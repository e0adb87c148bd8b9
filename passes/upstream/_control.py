"""Loops and branches of scf on tensors become those of the tensor level, which hold kernels."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

import numpy as np
from xdsl.dialects import affine, arith, scf, tensor
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    MemRefType,
    TensorType,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from mlc.dialects.arith import CmpiOp
from mlc.dialects.scf import ForallOp, ForOp, IfOp
from mlc.dialects.tensor import IfOp as TensorIfOp
from mlc.dialects.tensor import MapOp, ReduceOp, ScanOp, StructuredOp, WhileOp
from mlc.passes.upstream._blocks import (
    capture,
    copied,
    end,
    ended,
    erase_unread,
    from_outside,
    move,
)
from mlc.passes.upstream._forall import sequential
from mlc.passes.upstream._loops import AffineBranch, AffineToScf, ParallelToScf, Switch, inlined_region
from mlc.passes.upstream._moves import has_values_as_offsets
from mlc.passes.upstream._points import BodyPoints, constant_of, integer_of
from mlc.passes.upstream._scalars import Scalars, is_scalar_op, scalar_type
from mlc.passes.upstream._slices import put_element, put_slice, take_element, take_slice
from mlc.support.context import CompilerContext
from mlc.support.ir import made_by
from mlc.support.locations import error_at, place_new_ops
from mlc.support.types import tensor_type

_SPELLED_OUT = 64
"""The most values of a counter that are written into the IR; more are the data of a resource."""


def convert_control(function: FuncOp, ctx: CompilerContext) -> None:
    """Convert the loops and branches of a function that compute tensors, and what is at places which are values.

        %y = scf.for %i = %c0 to %c8 step %c4 iter_args(%c = %x) -> (tensor<8xf32>) {
          %s = tensor.extract_slice %c[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
          %t = tensor.map %s[n] over (n: 4) …
          %u = tensor.insert_slice %t into %c[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
          scf.yield %u : tensor<8xf32>
        }
    ->
        %y = tensor.scan 2 carry (%c = %x) over (%i = dense<[0, 4]>) : … {
          %at = tensor.map %i[] over () …                      // %i / 4
          %s = tensor.take %tiles[at, n] at (at = %at[]) over (n: 4) …
          %t = tensor.map %s[n] over (n: 4) …
          %u = tensor.put set %t into %tiles[at, n] at (at = %at[]) over (n: 4) …
          tensor.yield %u : tensor<8xf32>
        }

    Ops on tensors are of the tensor level already. Scalars that depend on tensors or steps become tensors of rank 0.

    Raises:
        UserError: an op in a loop or branch has no form at the tensor level, or uses buffers.
    """
    if not any(_needs_conversion(op) for op in function.walk()):
        return
    for op in function.walk():
        if _is_control(op) and not _is_on_tensors(op) and any(isinstance(r.type, TensorType) for r in op.results):
            raise error_at(op, f"{op.name}: found buffers beside tensors; required: tensors alone, or buffers alone")
    conversion = _Conversion(ctx)
    for block in function.body.blocks:
        conversion.convert_block(block, is_inside=False)


def _needs_conversion(op: Operation) -> bool:
    if isinstance(op, tensor.ExtractSliceOp | tensor.InsertSliceOp):
        return has_values_as_offsets(op)
    if _is_control(op):
        return any(isinstance(r.type, TensorType) for r in op.results) or _is_on_tensors(op)
    return isinstance(op, tensor.ExtractOp | tensor.InsertOp)


def _is_control(op: Operation) -> bool:
    return op.dialect_name() in ("affine", "scf") and bool(op.regions)


def _is_on_tensors(op: Operation) -> bool:
    """Whether an op has tensors, and no buffers, inside."""
    kinds: list[Attribute] = [v.type for inner in op.walk() for v in (*inner.operands, *inner.results)]
    return any(isinstance(k, TensorType) for k in kinds) and not any(isinstance(k, MemRefType) for k in kinds)


class _Conversion:
    """The conversion of one function; ops that were scalars stay until nobody reads them."""

    def __init__(self, ctx: CompilerContext) -> None:
        self.ctx = ctx
        self.scalars = Scalars()

    # -- blocks -----------------------------------------------------------------------------------------------------

    def convert_block(self, block: Block, is_inside: bool) -> None:
        """Convert the ops of a block; in a loop or a branch, all scalars become tensors."""
        for op in list(block.ops):
            self._convert(op, is_inside)
        for op in reversed(list(block.ops)):
            is_scalar = is_scalar_op(op) or isinstance(op, tensor.ExtractOp)
            if is_scalar and not any(r.uses for r in op.results) and (is_inside or op.results[0] in self.scalars):
                Rewriter.erase_op(op)

    def _convert(self, op: Operation, is_inside: bool) -> None:
        depends = is_inside or any(v in self.scalars for v in op.operands)
        match op:
            case arith.ConstantOp():
                return
            case tensor.ExtractOp():
                take_element(op, self.scalars)
            case tensor.InsertOp():
                Rewriter.replace_op(op, [], [put_element(op, self.scalars)])
            case tensor.ExtractSliceOp() if has_values_as_offsets(op):
                Rewriter.replace_op(op, [], [take_slice(op, self.scalars)])
            case tensor.InsertSliceOp() if has_values_as_offsets(op):
                Rewriter.replace_op(op, [], [put_slice(op, self.scalars)])
            case MapOp() | ReduceOp():
                self.scalars.read(op, [v for v in from_outside(op) if is_inside or v in self.scalars])
            case StructuredOp():
                return
            case _ if _is_control(op):
                if (
                    is_inside
                    or _is_on_tensors(op)
                    or any(v in self.scalars for inner in op.walk() for v in inner.operands)
                ):
                    self._convert_control(op)
            case _ if is_scalar_op(op):
                if depends:
                    self.scalars.compute(op, op)
            case _:
                self._require_form(op, is_inside)

    def _require_form(self, op: Operation, is_inside: bool) -> None:
        """Raises: UserError if an op reads scalars that are tensors now."""
        used = [v for inner in op.walk() for v in inner.operands]
        scalars = [v for v in used if not isinstance(v.type, TensorType) and constant_of(v) is None]
        made = {v for inner in op.walk() for v in made_by(inner)}
        if is_inside and not op.has_trait(IsTerminator) and any(v not in made for v in scalars):
            raise error_at(
                op, f"{op.name}: found scalars in a loop or branch on tensors; required: arith, math, linalg, tensor"
            )

    # -- loops and branches -----------------------------------------------------------------------------------------

    def _convert_control(self, op: Operation) -> None:
        match op:
            case ForOp():
                self._convert_for(op)
            case IfOp():
                self._convert_if(op)
            case scf.WhileOp():
                self._convert_while(op)
            case ForallOp():
                self._convert(sequential(op), is_inside=False)
            case scf.IndexSwitchOp():
                self._convert_by(Switch(self.ctx), op)
            case affine.IfOp():
                self._convert_by(AffineBranch(self.ctx), op)
            case affine.ForOp():
                self._convert_by(AffineToScf(self.ctx), op)
            case scf.ParallelOp():
                self._convert_by(ParallelToScf(self.ctx), op)
            case scf.ExecuteRegionOp():
                ops, values = inlined_region(op)
                self._convert_before(ops, op)
                self._rename(op, self._tensors(values))
            case _:
                raise error_at(op, f"{op.name}: found tensors; required: loops and branches of scf and affine")

    def _convert_by(self, pattern: RewritePattern, op: Operation) -> None:
        """Convert what a pattern makes of an op."""
        rewriter, location = PatternRewriter(op), op.location
        made: list[Operation] = []
        rewriter.operation_insertion_handler = [made.append]
        pattern.match_and_rewrite(op, rewriter)
        for each in made:
            place_new_ops(each, location)
            self._convert(each, is_inside=True)

    def _convert_before(self, ops: Sequence[Operation], op: Operation) -> None:
        """Convert ops that stand nowhere, which take their place before another one."""
        Rewriter.insert_op(ops, InsertPoint.before(op))
        for each in ops:
            self._convert(each, is_inside=True)

    def _convert_for(self, op: ForOp) -> None:
        known = [integer_of(v) for v in (op.lb, op.ub, op.step)]
        lower, upper, step = known
        if step is not None and step < 1:
            raise error_at(op, f"'{op.name}' has the step {step}; required: a positive number")
        if lower is None or upper is None or step is None:
            self._convert_for_between_values(op)
            return
        numbers = range(lower, upper, step)
        counter, *carried = op.body.block.args
        body = self._body(op.body.block, [*carried, counter], [*(1 for _ in carried), gcd(lower, step)])
        self.convert_block(body, is_inside=True)
        end(body, self._tensors(ended(body)))
        initial = self._tensors(op.iter_args)
        counted = self._numbers(numbers, op)
        captured = capture([body])
        types = [v.type for v in initial]
        scan = ScanOp(len(numbers), initial, [counted], captured, types, Region(body))
        self.scalars.insert(scan, op)
        self._rename(op, scan.outputs)

    def _numbers(self, numbers: range, op: Operation) -> SSAValue:
        """The values of a counter."""
        kind = TensorType(i64, [len(numbers)])
        if len(numbers) <= _SPELLED_OUT:
            data: Attribute = DenseIntOrFPElementsAttr.from_list(kind, numbers)
        else:
            name, resources = f"mlc.steps.{numbers.start}.{numbers.step}.{len(numbers)}", self.ctx.resources
            if name not in resources:
                resources.define(name, np.arange(numbers.start, numbers.stop, numbers.step, dtype=np.int64))
            data = DenseResourceAttr.from_params(name, kind)
        return self.scalars.insert(arith.ConstantOp.create(result_types=[kind], properties={"value": data}), op)

    def _convert_for_between_values(self, op: ForOp) -> None:
        """A loop that compares its counter before each step."""
        body = self._body(op.body.block, op.body.block.args)
        condition = Block(arg_types=body.arg_types)
        self.convert_block(body, is_inside=True)
        values = self._tensors(ended(body))
        lower, upper, step = self._tensors([op.lb, op.ub, op.step])
        points = BodyPoints()
        total = points.add([arith.AddiOp(points.operand(body.args[0], []), points.operand(step, []))])
        body.add_op(up := points.finish(total))
        end(body, [up.result, *values])
        points = BodyPoints()
        left, right = points.operand(condition.args[0], []), points.operand(upper, [])
        predicate = "ult" if getattr(op, "unsignedCmp", None) is not None else "slt"
        condition.add_op(less := points.finish(points.add([CmpiOp(left, right, predicate)])))
        end(condition, [less.result])
        initial = [lower, *self._tensors(op.iter_args)]
        loop = WhileOp(initial, capture([condition, body]), Region(condition), Region(body))
        self.scalars.insert(loop, op)
        self._rename(op, loop.outputs[1:])

    def _convert_if(self, op: IfOp) -> None:
        if not op.results:
            Rewriter.erase_op(op)  # it computes nothing: tensors are values
            return
        bodies: list[Block] = []
        for region in (op.true_region, op.false_region):
            bodies.append(body := self._body(region.block, []))
            self.convert_block(body, is_inside=True)
            end(body, self._tensors(ended(body)))
        condition, captured = self.scalars.tensor_of(op.cond), capture(bodies)
        types = [_kind(v) for v in op.results]
        branch = TensorIfOp(condition, captured, types, Region(bodies[0]), Region(bodies[1]))
        self.scalars.insert(branch, op)
        self._rename(op, branch.outputs)

    def _convert_while(self, op: scf.WhileOp) -> None:
        """Carried is what the first region takes; what that hands on is computed in the body, and after the loop."""
        first, second = op.before_region.block, op.after_region.block
        body, handed_on = copied(first)
        for argument, value in zip(second.args, handed_on[1:], strict=True):
            argument.replace_all_uses_with(value)
        move(second, body)
        body = self._body(body, body.args)
        self.convert_block(body, is_inside=True)
        end(body, self._tensors(ended(body)))
        condition, (flag, *_) = copied(first)
        condition.add_op(scf.YieldOp(flag))
        erase_unread(condition)
        condition = self._body(condition, condition.args)
        self.convert_block(condition, is_inside=True)
        end(condition, self._tensors(ended(condition)))
        initial = self._tensors(op.arguments)
        loop = WhileOp(initial, capture([condition, body]), Region(condition), Region(body))
        self.scalars.insert(loop, op)
        last, (_, *handed_on) = copied(first)
        last.add_op(scf.YieldOp(*handed_on))
        erase_unread(last)
        for argument, value in zip(last.args, loop.outputs, strict=True):
            argument.replace_all_uses_with(self._named(value, argument.type, op))
        results, made = ended(last), list(last.ops)
        for each in made:
            each.detach()
        self._convert_before(made, op)
        self._rename(op, self._tensors(results))

    # -- their parts ------------------------------------------------------------------------------------------------

    def _body(self, block: Block, arguments: Sequence[SSAValue], divisors: Sequence[int] = ()) -> Block:
        """A block of the ops of another one, in which these arguments of that are tensors."""
        body = Block(arg_types=[_kind(v) for v in arguments])
        move(block, body)
        for number, (old, new) in enumerate(zip(arguments, body.args, strict=True)):
            new.name_hint = old.name_hint
            value: SSAValue = new
            if not isinstance(old.type, TensorType):
                extract = tensor.ExtractOp(new, [], old.type)
                Rewriter.insert_op(extract, InsertPoint.at_start(body))
                self.scalars.let(extract.result, new, divisors[number] if divisors else 1)
                value = extract.result
            old.replace_all_uses_with(value)
        return body

    def _tensors(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        return [v if isinstance(v.type, TensorType) else self.scalars.tensor_of(v) for v in values]

    def _named(self, value: SSAValue, kind: Attribute, before: Operation) -> SSAValue:
        """A tensor as a value of this type: a scalar for those who have not been converted yet."""
        if isinstance(kind, TensorType):
            return value
        scalar = self.scalars.insert(tensor.ExtractOp(value, [], kind), before)
        self.scalars.let(scalar, value)
        return scalar

    def _rename(self, op: Operation, results: Sequence[SSAValue]) -> None:
        """Put tensors in the place of the results of an op."""
        named = [self._named(new, old.type, op) for old, new in zip(op.results, results, strict=True)]
        for old, new in zip(op.results, named, strict=True):
            new.name_hint = old.name_hint
        Rewriter.replace_op(op, [], named)


def _kind(value: SSAValue) -> Attribute:
    return tensor_type(value) if isinstance(value.type, TensorType) else scalar_type(value)
