// RUN: mlc-opt %s --split-input-file --verify-diagnostics

// What regions give and take: terminators against results, blocks against operands.

func.func @if_count(%c: i1) {
  %r = scf.if %c -> (i32) {
    %x = arith.constant 1 : i32
    scf.yield %x : i32
  } else {
    // expected-error @+1 {{'scf.yield' gives 0 values, but 'scf.if' has 1 result}}
    scf.yield
  }
  return
}

// -----

func.func @if_type(%c: i1, %x: f32, %y: i32) {
  %r = scf.if %c -> (i32) {
    // expected-error @+1 {{'scf.yield' gives value 0 of type f32, but result 0 of 'scf.if' is of type i32}}
    scf.yield %x : f32
  } else {
    scf.yield %y : i32
  }
  return
}

// -----

func.func @execute_region(%x: f32) {
  %r = scf.execute_region -> (i32) {
    cf.br ^b
  ^b:
    // expected-error @+1 {{'scf.yield' gives value 0 of type f32, but result 0 of 'scf.execute_region' is of type i32}}
    scf.yield %x : f32
  }
  return
}

// -----

func.func @index_switch(%i: index, %x: f32) {
  %r = scf.index_switch %i -> i32
  case 1 {
    // expected-error @+1 {{'scf.yield' gives value 0 of type f32, but result 0 of 'scf.index_switch' is of type i32}}
    scf.yield %x : f32
  }
  default {
    %y = arith.constant 1 : i32
    scf.yield %y : i32
  }
  return
}

// -----

func.func @condition(%c: i1, %i: i32) {
  %r = scf.while (%a = %i) : (i32) -> f32 {
    // expected-error @+1 {{'scf.condition' gives value 0 of type i32, but result 0 of 'scf.while' is of type f32}}
    scf.condition(%c) %a : i32
  } do {
  ^b(%q: f32):
    scf.yield %i : i32
  }
  return
}

// -----

func.func @while_yield(%c: i1, %i: i32, %f: f32) {
  %r = scf.while (%a = %i) : (i32) -> f32 {
    scf.condition(%c) %f : f32
  } do {
  ^b(%q: f32):
    // expected-error @+1 {{'scf.yield' gives value 0 of type f32, but operand 0 of 'scf.while' is of type i32}}
    scf.yield %q : f32
  }
  return
}

// -----

func.func @while_block(%c: i1, %i: i32) {
  // expected-error @+1 {{'scf.while' has a region whose arguments are none; required: f32}}
  %r = "scf.while"(%i) ({
  ^a(%a: i32):
    %f = "test.op"() : () -> f32
    scf.condition(%c) %f : f32
  }, {
    scf.yield %i : i32
  }) : (i32) -> f32
  return
}

// -----

func.func @affine_for(%x: f32) {
  "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, upperBoundMap = affine_map<() -> (4)>, step = 1 : index,
                   operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^b(%i: index):
    // expected-error @+1 {{'affine.yield' gives 1 value, but 'affine.for' has 0 results}}
    "affine.yield"(%x) : (f32) -> ()
  }) : () -> ()
  return
}

// -----

func.func @linalg(%x: memref<4xf32>, %y: memref<4xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]}
      ins(%x : memref<4xf32>) outs(%y : memref<4xi32>) {
  ^b(%a: f32, %b: i32):
    // expected-error @+1 {{'linalg.yield' gives value 0 of type f32, but output 0 of 'linalg.generic' is of type i32}}
    linalg.yield %a : f32
  }
  return
}

// -----

llvm.func @returns_nothing(%x: f32) {
  // expected-error @+1 {{'llvm.return' gives 1 value, but 'llvm.func' has 0 results}}
  llvm.return %x : f32
}

// -----

llvm.func @returns_another(%x: f32) -> i32 {
  // expected-error @+1 {{'llvm.return' gives value 0 of type f32, but result 0 of 'llvm.func' is of type i32}}
  llvm.return %x : f32
}

// -----

// expected-error @+1 {{'llvm.func' has a region whose arguments are f32; required: i32}}
"llvm.func"() <{sym_name = "f", function_type = !llvm.func<void (i32)>, linkage = #llvm.linkage<external>,
                CConv = #llvm.cconv<ccc>, visibility_ = 0 : i64}> ({
^a(%x: f32):
  llvm.return
}) : () -> ()
