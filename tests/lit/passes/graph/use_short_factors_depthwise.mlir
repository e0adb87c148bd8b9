// RUN: mlc-opt %s --use-short-factors --target=sapphirerapids-amx --check-each --remarks 2>%t | filecheck %s --check-prefixes=CHECK,FAST
// RUN: filecheck %s --input-file=%t --check-prefix=REMARK
// RUN: mlc-opt %s --use-short-factors --target=haswell | filecheck %s --check-prefixes=CHECK,WIDE
// RUN: mlc-opt %s --use-short-factors=precision=keep --target=haswell | filecheck %s --check-prefixes=CHECK,KEEP

// A depthwise convolution widens what it loads where that takes less than to load more: with a stride, each number is in
// few windows. Whatever it is given, it rounds once.
// CHECK-LABEL: @stride
// FAST: graph.conv2d %x, %{{.*}} : tensor<1x16x16x96xbf16>, tensor<3x3x1x96xbf16> -> tensor<1x8x8x96xf32>
// WIDE: graph.conv2d %{{.*}}, %{{.*}} : tensor<1x16x16x96xf32>, tensor<3x3x1x96xf32> -> tensor<1x8x8x96xf32>
// KEEP: graph.conv2d %x, %{{.*}} : tensor<1x16x16x96xbf16>, tensor<3x3x1x96xbf16> -> tensor<1x8x8x96xf32>
// REMARK: remark: factors are bf16: estimated {{.*}} cycles in f32, {{.*}} cycles in bf16
func.func @stride(%x: tensor<1x16x16x96xbf16>) -> tensor<1x8x8x96xbf16> {
  %w = graph.constant dense<0.5> : tensor<3x3x1x96xbf16>
  %y = graph.conv2d %x, %w {layout = "NHWC", groups = 96 : i64, padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}
      : tensor<1x16x16x96xbf16>, tensor<3x3x1x96xbf16> -> tensor<1x8x8x96xbf16>
  return %y : tensor<1x8x8x96xbf16>
}

// CHECK-LABEL: @in_many_windows
// FAST: graph.conv2d %{{.*}}, %{{.*}} : tensor<1x14x14x32xf32>, tensor<5x5x1x32xf32> -> tensor<1x14x14x32xf32>
// WIDE: graph.conv2d %{{.*}}, %{{.*}} : tensor<1x14x14x32xf32>, tensor<5x5x1x32xf32> -> tensor<1x14x14x32xf32>
// KEEP: graph.conv2d %x, %{{.*}} : tensor<1x14x14x32xbf16>, tensor<5x5x1x32xbf16> -> tensor<1x14x14x32xf32>
// CHECK: graph.cast %{{.*}} : tensor<1x14x14x32xf32> -> tensor<1x14x14x32xbf16>
// REMARK: remark: factors are f32: estimated {{.*}} cycles in f32, {{.*}} cycles in bf16
func.func @in_many_windows(%x: tensor<1x14x14x32xbf16>) -> tensor<1x14x14x32xbf16> {
  %w = graph.constant dense<0.5> : tensor<5x5x1x32xbf16>
  %y = graph.conv2d %x, %w {layout = "NHWC", groups = 32 : i64, padding = array<i64: 2, 2, 2, 2>}
      : tensor<1x14x14x32xbf16>, tensor<5x5x1x32xbf16> -> tensor<1x14x14x32xbf16>
  return %y : tensor<1x14x14x32xbf16>
}

// Groups of several channels, and f16 where no instruction widens it, stay f32.
// CHECK-LABEL: @groups
// CHECK: graph.conv2d %{{.*}}, %{{.*}} : tensor<1x8x8x8xf32>, tensor<3x3x2x8xf32> -> tensor<1x6x6x8xf32>
// REMARK: remark: factors are f32: a convolution with groups is computed in f32 only
func.func @groups(%x: tensor<1x8x8x8xbf16>) -> tensor<1x6x6x8xbf16> {
  %w = graph.constant dense<0.5> : tensor<3x3x2x8xbf16>
  %y = graph.conv2d %x, %w {layout = "NHWC", groups = 4 : i64} : tensor<1x8x8x8xbf16>, tensor<3x3x2x8xbf16> -> tensor<1x6x6x8xbf16>
  return %y : tensor<1x6x6x8xbf16>
}
