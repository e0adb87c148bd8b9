// RUN: mlc-opt %s | mlc-opt | filecheck %s

func.func @f(%i: i32, %b: vector<4xi1>, %l: vector<4xi64>, %x: f64, %v: vector<4xf32>) {
  // CHECK: arith.extsi %i : i32 to i64
  %0 = arith.extsi %i : i32 to i64
  // CHECK-NEXT: arith.extui %b : vector<4xi1> to vector<4xi32>
  %1 = arith.extui %b : vector<4xi1> to vector<4xi32>
  // CHECK-NEXT: arith.trunci %l : vector<4xi64> to vector<4xi32>
  %2 = arith.trunci %l : vector<4xi64> to vector<4xi32>
  // CHECK-NEXT: arith.fptosi %v : vector<4xf32> to vector<4xi32>
  %3 = arith.fptosi %v : vector<4xf32> to vector<4xi32>
  // CHECK-NEXT: arith.fptoui %x : f64 to i32
  %4 = arith.fptoui %x : f64 to i32
  // CHECK-NEXT: arith.sitofp %l : vector<4xi64> to vector<4xf32>
  %5 = arith.sitofp %l : vector<4xi64> to vector<4xf32>
  // CHECK-NEXT: arith.uitofp %b : vector<4xi1> to vector<4xf32>
  %6 = arith.uitofp %b : vector<4xi1> to vector<4xf32>
  // CHECK-NEXT: arith.index_cast %l : vector<4xi64> to vector<4xindex>
  %7 = arith.index_cast %l : vector<4xi64> to vector<4xindex>
  // CHECK-NEXT: arith.index_castui %i : i32 to index
  %8 = arith.index_castui %i : i32 to index
  return
}
