func.func @counted() {
  %xs = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %start = stablehlo.constant dense<0.0> : tensor<2xf32>
  %rows = stablehlo.constant dense<0.0> : tensor<3x2xf32>
  %0:4 = stablehlo.while(%x = %xs, %i = %zero, %c = %start, %y = %rows) : tensor<3x2xf32>, tensor<i32>, tensor<2xf32>, tensor<3x2xf32>
  cond {
    %three = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %nothing = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_slice %x, %i, %nothing, sizes = [1, 2] : (tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x2xf32>) -> tensor<2xf32>
    %3 = stablehlo.add %c, %2 : tensor<2xf32>
    %4 = stablehlo.reshape %3 : (tensor<2xf32>) -> tensor<1x2xf32>
    %5 = stablehlo.dynamic_update_slice %y, %4, %i, %nothing : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %6 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %x, %6, %3, %5 : tensor<3x2xf32>, tensor<i32>, tensor<2xf32>, tensor<3x2xf32>
  }
  check.expect_eq_const %0#1, dense<3> : tensor<i32>
  check.expect_eq_const %0#2, dense<[9.0, 12.0]> : tensor<2xf32>
  check.expect_eq_const %0#3, dense<[[1.0, 2.0], [4.0, 6.0], [9.0, 12.0]]> : tensor<3x2xf32>
  return
}

// -----

// How many steps there are is data: the numbers of Collatz.

func.func @open_end() {
  %n = stablehlo.constant dense<[27]> : tensor<1xi32>
  %first = stablehlo.reshape %n : (tensor<1xi32>) -> tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%x = %first, %i = %zero) : tensor<i32>, tensor<i32>
  cond {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.compare NE, %x, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.remainder %x, %two : tensor<i32>
    %2 = "stablehlo.case"(%1) ({
      %3 = stablehlo.divide %x, %two : tensor<i32>
      stablehlo.return %3 : tensor<i32>
    }, {
      %3 = stablehlo.multiply %x, %three : tensor<i32>
      %4 = stablehlo.add %3, %one : tensor<i32>
      stablehlo.return %4 : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    %5 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %2, %5 : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %0#1, dense<111> : tensor<i32>
  return
}

// -----

// A reduction by a region that is none that the graph knows: each row is combined in order.

func.func @any_region() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 4.0], [3.0, 5.0, 7.0]]> : tensor<2x3xf32>
  %v = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %v) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>)  {
    %1 = stablehlo.add %a, %a : tensor<f32>
    %2 = stablehlo.subtract %1, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  check.expect_eq_const %0, dense<[-4.0, -21.0]> : tensor<2xf32>
  return
}

// -----

func.func @argmax_with_nan() {
  %x = stablehlo.constant dense<[[1.0, 5.0, 5.0], [2.0, 0x7FC00000, 9.0], [0xFF800000, 0xFF800000, 0xFF800000]]> : tensor<3x3xf32>
  %n = stablehlo.iota dim = 1 : tensor<3x3xi32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %least), (%n init: %zero) across dimensions = [1] : (tensor<3x3xf32>, tensor<3x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>)  {
    %1 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %c, %d, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %a, %b : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %c, %d : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }
  check.expect_eq_const %0#1, dense<[1, 1, 0]> : tensor<3xi32>
  return
}

// -----

func.func @sort_by_two() {
  %x = stablehlo.constant dense<[3, 1, 3, 1, 2]> : tensor<5xi32>
  %y = stablehlo.constant dense<[1.0, 2.0, 0.0, -1.0, 5.0]> : tensor<5xf32>
  %z = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %0:3 = "stablehlo.sort"(%x, %y, %z) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>, %e: tensor<i64>, %f: tensor<i64>):
    %1 = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.compare LT, %c, %d, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.and %2, %3 : tensor<i1>
    %5 = stablehlo.or %1, %4 : tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<5xi32>, tensor<5xf32>, tensor<5xi64>) -> (tensor<5xi32>, tensor<5xf32>, tensor<5xi64>)
  check.expect_eq_const %0#2, dense<[2, 0, 4, 3, 1]> : tensor<5xi64>
  return
}

// -----

func.func @windows() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 2>, padding = dense<[[0, 1], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x3xf32>
  check.expect_eq_const %0, dense<[[6.0, 18.0, 12.0], [5.0, 13.0, 8.0]]> : tensor<2x3xf32>
  %s = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %2 = "stablehlo.select_and_scatter"(%x, %s, %zero) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<2x4xf32>, tensor<1x2xf32>, tensor<f32>) -> tensor<2x4xf32>
  check.expect_eq_const %2, dense<[[0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 2.0]]> : tensor<2x4xf32>
  return
}

// -----

func.func @running_sum() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 4>, padding = dense<[[0, 3]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  check.expect_eq_const %0, dense<[10.0, 9.0, 7.0, 4.0]> : tensor<4xf32>
  return
}

// -----

// A number of no branch means the last one.

func.func @known_case() {
  %x = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %i = stablehlo.constant dense<7> : tensor<i32>
  %j = stablehlo.constant dense<-1> : tensor<i32>
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    %3 = stablehlo.negate %x : tensor<2xf32>
    stablehlo.return %3 : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  check.expect_eq_const %0, dense<[-1.0, 2.0]> : tensor<2xf32>
  %1 = "stablehlo.case"(%j) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    %3 = stablehlo.negate %x : tensor<2xf32>
    stablehlo.return %3 : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  check.expect_eq_const %1, dense<[-1.0, 2.0]> : tensor<2xf32>
  return
}

// -----

// The operands of the comparison are exchanged: what is greater comes behind.

func.func @sort_exchanged() {
  %x = stablehlo.constant dense<[3, 1, 2]> : tensor<3xi32>
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.compare GT, %b, %a, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[1, 2, 3]> : tensor<3xi32>
  return
}
