// RUN: mlc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// Operations in their own formats.

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{expected ',', got '%a'}}
  %0 = arith.addf %a %a : f32
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{Expected `reassoc`, `nnan`, `ninf`, `nsz`, `arcp`, `contract`, or `afn`, got 'quick'}}
  %0 = arith.addf %a, %a fastmath<quick> : f32
  return
}

// -----

// expected-note @+1 {{defined here}}
func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{value '%t' has type tensor<4xf32>, but is used here as f32}}
  %0 = graph.relu %t : f32
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{unknown type 'f33', did you mean 'f32'?}}
  %0 = arith.addf %a, %a : f33
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{expected ']' or a number, got 'x'}}
  %0 = graph.transpose %t [x] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{expected 'axis', got 'axes'}}
  %0 = graph.softmax %t axes 0 : tensor<4xf32>
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{expected 'false', 'true' or a number, got 'x'}}
  %0 = graph.softmax %t axis x : tensor<4xf32>
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{unknown predicate 'huh', required one of false, oeq, ogt, oge, olt, ole, one, ord, ueq, ugt, uge, ult, ule, une, uno, true}}
  %0 = arith.cmpf huh, %a, %a : f32
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{Expected ',', got ':'}}
  %0 = arith.cmpi slt, %i : index
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{arith.select takes 3 operands and 1 or 2 types, got 1 and 1}}
  %0 = arith.select %a : f32
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{']' expected, got ':'}}
  %0 = loop.load %m[0 : memref<4xf32>
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{'memref.alloc': result 'memref' is of type 5 : i64; required: a memref type}}
  %0 = memref.alloc() : 5
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{affine.apply expects 1 operands, but got 2. The number of map operands must match the sum of the dimensions and symbols of its map.}}
  %0 = affine.apply affine_map<(d0) -> (d0)>(%i, %i)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{expected ',' or ']', got ':'}}
  %0 = tensor.extract %t[%i : tensor<4xf32>
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{expected a type, got ','}}
  %0 = llvm.mlir.constant(1 : i32) : ,
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{2 operands but 1 operand type}}
  %0 = graph.concat %t, %t axis 0 : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{'vector.broadcast': result 'vector' is of type f32; required: a vector type}}
  %0 = vector.broadcast %a : f32 to f32
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{'vector.fma': operand 'lhs' is of type f32; required: a vector type}}
  %0 = vector.fma %a, %a, %a : f32
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{expected a type, got '5'}}
  %0 = linalg.fill ins(%a : f32) outs(%t : tensor<4xf32>) -> 5
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{'memref.load': found index; required: a memref type}}
  %0 = memref.load %i[%i] : index
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{'llvm.load': operand 'ptr' is of type f32; required: !llvm.ptr}}
  %0 = llvm.load %a : f32 -> f32
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{'tensor.extract': found f32; required: a tensor type}}
  %0 = tensor.extract %a[%i] : f32
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{found f32; required: a vector type}}
  %0 = vector.extract %a[0] : f32 from f32 loc(unknown)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{attribute 'operandSegmentSizes' has a place of its own in the format of 'memref.load'}}
  %0 = memref.load %m[%i] {operandSegmentSizes = 1} : memref<4xf32> loc(unknown)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{expected an integer, got a number with a fraction}}
  %0 = graph.softmax %t axis 1.5 : tensor<4xf32> loc(unknown)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{a subscript needs a memref, got f32}}
  %0 = affine.load %m[%i, %i] : f32 loc(unknown)
  return
}

// -----

// expected-error @+1 {{'tensor.empty': result 'tensor' is of type 5 : i64; required: a tensor type}}
func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  %0 = tensor.empty(%i, %i) : 5 loc(unknown)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{Expected ',', got 'loc'}}
  %0 = llvm.getelementptr %a[0] : (f32) -> f32 loc(unknown)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{'[' expected, got ':'}}
  %0 = memref.subview %a[0] : f32 to f32 loc(unknown)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{Expected integer literal, got 'x'}}
  %0 = llvm.insertvalue %a, %a[x] : f32 loc(unknown)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{expected a type, got 'loc'}}
  %0 = llvm.mlir.constant(5) : loc(unknown)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{'x' is not a valid ICmpPredicateFlag}}
  %0 = llvm.icmp "x" %i, %i : index loc(unknown)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{Expected integer literal, got '1.5'}}
  %0 = vector.insert %a, %a [1.5] : f32 into f32 loc(unknown)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{unknown operation 'ptr.to_ptr'}}
  %0 = ptr.to_ptr %a : f32 loc(unknown)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{Expected integer literal, got '1.5'}}
  %0 = llvm.extractvalue %a[1.5] : f32 loc(unknown)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{attribute expected, got '%i'}}
  %0 = affine.apply %i loc(unknown)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{Expected affine map attr}}
  %0 = affine.apply 5(%i) loc(unknown)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{Expected affine map attr}}
  %0 = affine.min 5(%i) loc(unknown)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{'cf.switch': f32 cannot stand here}}
  cf.switch %i : f32, [
  // expected-error @+1 {{block '^a' is not defined in this region}}
  default: ^a ]
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{attribute expected, got 'x'}}
  affine.for %j = 5 to x {}
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{'(' expected, got '5'}}
  affine.parallel (%j) = (0) to 5 {}
  return
}

// -----

// expected-error @+1 {{'memref.get_global': result 'memref' is of type f32; required: a memref type}}
func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  %0 = memref.get_global @x : f32 loc(unknown)
  return
}

// -----

// expected-error @+1 {{'llvm.fcmp': operand 'lhs' is of type memref<4xf32>; required: a float type or a vector type}}
func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  %0 = llvm.fcmp "oeq" %m, %m : memref<4xf32> loc(unknown)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{identifier expected, got '5'}}
  %0 = arith.cmpf 5, %a, %a : f32
  return
}

// -----

// expected-note @+1 {{defined here}}
func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{value '%m' has type memref<4xf32>, but is used here as f32}}
  %0 = vector.transfer_read %m[%i], %a : f32, f32 loc(unknown)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{expected the trait of linalg.generic, a dictionary, got 5 : i64}}
  %0 = linalg.generic 5
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{'iterator_types' of linalg.generic is a list of "parallel", "reduction", "window", got 5 : i64}}
  %0 = linalg.generic {indexing_maps = [], iterator_types = [5]} ins(%a : f32) outs(%t : tensor<4xf32>) {}
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{the trait of linalg.generic needs 'iterator_types'}}
  %0 = linalg.generic {indexing_maps = []} ins(%a : f32) outs(%t : tensor<4xf32>) {}
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{linalg.matmul: 1 operands in ins and 0 in outs, required: 2 and 1 (named_c1)}}
  %0 = linalg.matmul ins(%a : f32) loc(unknown)
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{2 values for 1 counters}}
  scf.parallel (%j) = (%i) to (%i, %i) step (%i) {}
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{'[' expected, got ':'}}
  %0 = tensor.contract %t : tensor<4xf32>
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @below {{Expected ':', got ')'}}
  %0 = scf.reduce(%a) {}
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{expected ',', got ':'}}
  %0 = math.fma %a, %a : f32
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{expected a type, got '5'}}
  %0 = scf.execute_region -> 5 {}
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{'[' expected, got ':'}}
  affine.store %a, %m : f32
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{a dense literal is of a tensor, memref or vector type, got i32}}
  %0 = arith.constant dense<1> : i32
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{expected a type, got '5'}}
  %0 = llvm.mlir.undef : 5
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{Operation memref.dma_wait does not have a custom format.}}
  memref.dma_wait %tag
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{'vector.load': found f32; required: a memref type}}
  %0 = vector.load %m[%i] : f32, f32
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{'complex.constant': result 'complex' is of type f32; required: a complex type}}
  %0 = complex.constant [1.0] : f32
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{'complex.re': found f32; required: a complex type}}
  %0 = complex.re %a : f32
  return
}

// -----

func.func @f(%a: f32, %i: index, %m: memref<4xf32>, %t: tensor<4xf32>, %d: f64) {
  // expected-error @+1 {{unknown operation 'index.constant'}}
  %0 = index.constant 1.5
  return
}

// -----

// expected-error @+1 {{')' expected, got '->'}}
func.func @f(%a: f32 -> f32 {
  return %a : f32
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{Expected 'step', got '{'}}
  scf.for %i = %n to %n {
  }
  return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{unknown type 'i5x'}}
  scf.for %i = %n to %n step %n : i5x {
  }
  return
}

// -----

func.func @main(%m: tensor<4x6xf32>) -> tensor<6x4xf32> {
  // expected-error @+1 {{a number of [1, 99999999999999999999] does not fit i64}}
  %0 = graph.transpose %m [1, 99999999999999999999] : tensor<4x6xf32> -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
