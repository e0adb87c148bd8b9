// RUN: mlc-opt --convert-loop-to-llvm %s | filecheck %s

func.func private @step(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 4 {
    %0 = loop.load %x[%n] : memref<4xf32>
    loop.store %0, %y[%n] : memref<4xf32>
  }
  return
}

// CHECK-LABEL: llvm.func @mlc_choice
func.func @choice(%c: memref<i1>, %x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  // CHECK:        llvm.cond_br %{{.*}}, ^bb1, ^bb2
  // CHECK-NEXT: ^bb1:
  // CHECK-NEXT:   llvm.call @step
  // CHECK-NEXT:   llvm.br ^bb2
  // CHECK-NEXT: ^bb2:
  // CHECK:        llvm.return
  %0 = loop.load %c[] : memref<i1>
  scf.if %0 {
    func.call @step(%x, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  }
  return
}

// CHECK-LABEL: @value
func.func private @value(%c: i1, %x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  // CHECK-NEXT:   llvm.cond_br %{{.*}}, ^bb1, ^bb2
  // CHECK-NEXT: ^bb1:
  // CHECK:        llvm.br ^bb3(%{{.*}} : f32)
  // CHECK-NEXT: ^bb2:
  // CHECK:        llvm.br ^bb3(%{{.*}} : f32)
  // CHECK-NEXT: ^bb3(%z: f32):
  // CHECK:        llvm.store %z
  %z = scf.if %c -> (f32) {
    %0 = arith.constant 0 : index
    %1 = loop.load %x[%0] : memref<4xf32>
    scf.yield %1 : f32
  } else {
    %2 = arith.constant 2.0 : f32
    scf.yield %2 : f32
  }
  %k = arith.constant 1 : index
  loop.store %z, %y[%k] : memref<4xf32>
  return
}

// What the first region hands on is what the second one and those behind the loop see.
// CHECK-LABEL: @count
func.func private @count(%x: memref<f32>, %y: memref<f32> {mlc.output}) {
  // CHECK:        llvm.br ^bb1(%{{.*}} : f32)
  // CHECK-NEXT: ^bb1(%a: f32):
  // CHECK:        llvm.cond_br %{{.*}}, ^bb2, ^bb3
  // CHECK-NEXT: ^bb2:
  // CHECK:        %[[B:.*]] = llvm.fadd %a, %one
  // CHECK-NEXT:   llvm.br ^bb1(%[[B]] : f32)
  // CHECK-NEXT: ^bb3:
  // CHECK-NEXT:   llvm.store %a
  %0 = loop.load %x[] : memref<f32>
  %1 = scf.while (%a = %0) : (f32) -> f32 {
    %most = arith.constant 3.0 : f32
    %2 = arith.cmpf olt, %a, %most : f32
    scf.condition(%2) %a : f32
  } do {
  ^bb0(%b: f32):
    %one = arith.constant 1.0 : f32
    %3 = arith.addf %b, %one : f32
    scf.yield %3 : f32
  }
  loop.store %1, %y[] : memref<f32>
  return
}
