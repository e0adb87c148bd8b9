builtin.module {
  func.func @main(%bytes: tensor<1x2048xi32> {mlc.name = "bytes", onnx.dims = ["unk__214", ""]}) -> (tensor<1x214xf32> {mlc.name = "target_label", onnx.dims = ["unk__215", ""]}) {
    %jax2tf_get_logits__pjit_get_logits__pjit__one_hot__BroadcastTo = graph.constant dense_resource<"jax2tf_get_logits_/pjit_get_logits_/pjit__one_hot_/BroadcastTo_1:0"> : tensor<1x1x257xi32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Reshape = graph.constant dense_resource<"jax2tf_get_logits_/pjit_get_logits_/MagikaV2/LayerNorm_1/Reshape_3:0"> : tensor<1x512xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Reshape_1 = graph.constant dense_resource<"jax2tf_get_logits_/pjit_get_logits_/MagikaV2/LayerNorm_1/Reshape_2:0"> : tensor<1x512xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Reshape = graph.constant dense_resource<"jax2tf_get_logits_/pjit_get_logits_/MagikaV2/LayerNorm_0/Reshape_3:0"> : tensor<1x512x1xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Reshape_1 = graph.constant dense_resource<"jax2tf_get_logits_/pjit_get_logits_/MagikaV2/LayerNorm_0/Reshape_2:0"> : tensor<1x512x1xf32>
    %0 = graph.constant dense_resource<"jax2tf_get_logits_/pjit_get_logits_/MagikaV2/Conv_0/transpose_3:0.i8"> : tensor<512x256x5x1xi8>
    %1 = graph.constant dense_resource<"jax2tf_get_logits_/pjit_get_logits_/MagikaV2/Conv_0/transpose_3:0.scale"> : tensor<512x1x1x1xf32>
    %2 = graph.constant dense<0> : tensor<i8>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_Conv_0_transpose = graph.dequantize %0, %1, %2 : tensor<512x256x5x1xi8>, tensor<512x1x1x1xf32>, tensor<i8> -> tensor<512x256x5x1xf32>
    %3 = graph.constant dense_resource<"jax2tf_get_logits_/Const_24:0.i8"> : tensor<512x214xi8>
    %4 = graph.constant dense_resource<"jax2tf_get_logits_/Const_24:0.scale"> : tensor<1x214xf32>
    %jax2tf_get_logits__Const = graph.dequantize %3, %4, %2 : tensor<512x214xi8>, tensor<1x214xf32>, tensor<i8> -> tensor<512x214xf32>
    %5 = graph.constant dense_resource<"jax2tf_get_logits_/Const:0.i8"> : tensor<257x64xi8>
    %6 = graph.constant dense_resource<"jax2tf_get_logits_/Const:0.scale"> : tensor<1x64xf32>
    %jax2tf_get_logits__Const_1 = graph.dequantize %5, %6, %2 : tensor<257x64xi8>, tensor<1x64xf32>, tensor<i8> -> tensor<257x64xf32>
    %const_fold_opt_ = graph.constant dense_resource<const_fold_opt__209> : tensor<1x512x1xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_Dense_1_Reshape = graph.constant dense_resource<"jax2tf_get_logits_/pjit_get_logits_/MagikaV2/Dense_1/Reshape:0"> : tensor<1x214xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_Dense_0_Reshape = graph.constant dense<[[[-0.173464686, -0.156469285, -0.176480576, 0.232618704, 0.0417383648, -0.0289979111, 0.3367185, -0.220930055, -0.524192512, 0.290241301, 0.261329412, 0.239170656, 0.525969625, -0.238495976, 0.180326089, 0.252026945, 0.286087453, 0.193468824, 0.245301753, 0.296750247, 0.766852915, 0.340145826, 0.31188494, -0.0288669169, -0.0999047309, -0.000540576468, 0.0984316468, 0.35445109, 0.293105811, 0.317345232, 0.0514494292, -0.143241718, 0.325646043, 0.0622440539, -0.243824214, -0.0986734927, 0.0692248344, -0.0575054027, 0.0486844778, -0.174135536, -0.121086203, 0.145440459, 0.39667058, -0.18279843, -0.153340891, 0.0138255758, 7.887980e-02, 0.246831745, 0.228626743, -0.0636177808, 0.473051876, -0.0140863694, -0.0359901786, -0.156127185, 0.294401377, 0.243156567, 0.284344643, 0.0180464257, -0.281812936, -0.120825611, 0.250913262, -0.0167329498, 0.1971066, -0.343608826]]]> : tensor<1x1x64xf32>
    %jax2tf_get_logits__Const_2 = graph.constant dense<0.000000e+00> : tensor<f32>
    %jax2tf_get_logits__Const_3 = graph.constant dense<1.000000e+00> : tensor<f32>
    %jax2tf_get_logits__Const_4 = graph.constant dense<1.000000e-06> : tensor<f32>
    %jax2tf_get_logits__Const_5 = graph.constant dense<4.471500e-02> : tensor<f32>
    %jax2tf_get_logits__Const_6 = graph.constant dense<5.000000e-01> : tensor<f32>
    %jax2tf_get_logits__Const_7 = graph.constant dense<0.797884583> : tensor<f32>
    %const_fold_opt__1 = graph.constant dense<1.000000e+00> : tensor<1x1x1xf32>
    %ConstantFolding_jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_truediv_recip = graph.constant dense<0.001953125> : tensor<f32>
    %jax2tf_get_logits__pjit_get_logits__pjit__one_hot__BroadcastTo_1 = graph.reshape %bytes : tensor<1x2048xi32> -> tensor<1x2048x1xi32>
    %jax2tf_get_logits__pjit_get_logits__pjit__one_hot__Equal = graph.compare eq, %jax2tf_get_logits__pjit_get_logits__pjit__one_hot__BroadcastTo_1, %jax2tf_get_logits__pjit_get_logits__pjit__one_hot__BroadcastTo : tensor<1x2048x1xi32>, tensor<1x1x257xi32> -> tensor<1x2048x257xi1>
    %jax2tf_get_logits__pjit_get_logits__pjit__one_hot__Cast = graph.cast %jax2tf_get_logits__pjit_get_logits__pjit__one_hot__Equal : tensor<1x2048x257xi1> -> tensor<1x2048x257xf32>
    %7 = graph.constant dense<0.00392156886> : tensor<f32>
    %8 = graph.constant dense<0> : tensor<ui8>
    %9 = graph.quantize %jax2tf_get_logits__pjit_get_logits__pjit__one_hot__Cast, %7, %8 : tensor<1x2048x257xf32>, tensor<f32>, tensor<ui8> -> tensor<1x2048x257xui8>
    %jax2tf_get_logits__pjit_get_logits__pjit__one_hot__Cast_1 = graph.dequantize %9, %7, %8 : tensor<1x2048x257xui8>, tensor<f32>, tensor<ui8> -> tensor<1x2048x257xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_Dense_0_einsum_Einsum = graph.matmul %jax2tf_get_logits__pjit_get_logits__pjit__one_hot__Cast_1, %jax2tf_get_logits__Const_1 {mlc.error = 6.170000e-03 : f64, mlc.precision = "i8"} : tensor<1x2048x257xf32>, tensor<257x64xf32> -> tensor<1x2048x64xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_Dense_0_AddV2 = graph.add %jax2tf_get_logits__pjit_get_logits__MagikaV2_Dense_0_einsum_Einsum, %jax2tf_get_logits__pjit_get_logits__MagikaV2_Dense_0_Reshape : tensor<1x2048x64xf32>, tensor<1x1x64xf32> -> tensor<1x2048x64xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_0_Mul = graph.mul %jax2tf_get_logits__Const_5, %jax2tf_get_logits__pjit_get_logits__MagikaV2_Dense_0_AddV2 : tensor<f32>, tensor<1x2048x64xf32> -> tensor<1x2048x64xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_0_Mul_1 = graph.mul %jax2tf_get_logits__pjit_get_logits__MagikaV2_Dense_0_AddV2, %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_0_Mul : tensor<1x2048x64xf32>, tensor<1x2048x64xf32> -> tensor<1x2048x64xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_0_Mul_2 = graph.mul %jax2tf_get_logits__pjit_get_logits__MagikaV2_Dense_0_AddV2, %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_0_Mul_1 : tensor<1x2048x64xf32>, tensor<1x2048x64xf32> -> tensor<1x2048x64xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_0_AddV2 = graph.add %jax2tf_get_logits__pjit_get_logits__MagikaV2_Dense_0_AddV2, %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_0_Mul_2 : tensor<1x2048x64xf32>, tensor<1x2048x64xf32> -> tensor<1x2048x64xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_0_Mul_3 = graph.mul %jax2tf_get_logits__Const_7, %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_0_AddV2 : tensor<f32>, tensor<1x2048x64xf32> -> tensor<1x2048x64xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_0_Tanh = graph.tanh %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_0_Mul_3 : tensor<1x2048x64xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_0_AddV2_1 = graph.add %jax2tf_get_logits__Const_3, %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_0_Tanh : tensor<f32>, tensor<1x2048x64xf32> -> tensor<1x2048x64xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_0_Mul_4 = graph.mul %jax2tf_get_logits__Const_6, %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_0_AddV2_1 : tensor<f32>, tensor<1x2048x64xf32> -> tensor<1x2048x64xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_0_Mul_5 = graph.mul %jax2tf_get_logits__pjit_get_logits__MagikaV2_Dense_0_AddV2, %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_0_Mul_4 : tensor<1x2048x64xf32>, tensor<1x2048x64xf32> -> tensor<1x2048x64xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_Reshape = graph.reshape %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_0_Mul_5 : tensor<1x2048x64xf32> -> tensor<1x512x256xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Sum = graph.reduce sum %jax2tf_get_logits__pjit_get_logits__MagikaV2_Reshape axes [1] : tensor<1x512x256xf32> -> tensor<1x256xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Square = graph.mul %jax2tf_get_logits__pjit_get_logits__MagikaV2_Reshape, %jax2tf_get_logits__pjit_get_logits__MagikaV2_Reshape : tensor<1x512x256xf32>, tensor<1x512x256xf32> -> tensor<1x512x256xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Sum_1 = graph.reduce sum %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Square axes [1] : tensor<1x512x256xf32> -> tensor<1x256xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_truediv = graph.mul %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Sum_1, %ConstantFolding_jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_truediv_recip : tensor<1x256xf32>, tensor<f32> -> tensor<1x256xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_truediv_1 = graph.mul %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Sum, %ConstantFolding_jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_truediv_recip : tensor<1x256xf32>, tensor<f32> -> tensor<1x256xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Square_1 = graph.mul %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_truediv_1, %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_truediv_1 : tensor<1x256xf32>, tensor<1x256xf32> -> tensor<1x256xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Sub = graph.sub %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_truediv, %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Square_1 : tensor<1x256xf32>, tensor<1x256xf32> -> tensor<1x256xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Maximum = graph.max %jax2tf_get_logits__Const_2, %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Sub : tensor<f32>, tensor<1x256xf32> -> tensor<1x256xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_BroadcastTo = graph.reshape %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Maximum : tensor<1x256xf32> -> tensor<1x1x256xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_AddV2 = graph.add %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_BroadcastTo, %jax2tf_get_logits__Const_4 : tensor<1x1x256xf32>, tensor<f32> -> tensor<1x1x256xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Rsqrt = graph.sqrt %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_AddV2 : tensor<1x1x256xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Rsqrt_ = graph.div %jax2tf_get_logits__Const_3, %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Rsqrt : tensor<f32>, tensor<1x1x256xf32> -> tensor<1x1x256xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Mul = graph.mul %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Rsqrt_, %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Reshape_1 : tensor<1x1x256xf32>, tensor<1x512x1xf32> -> tensor<1x512x256xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_BroadcastTo_1 = graph.reshape %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_truediv_1 : tensor<1x256xf32> -> tensor<1x1x256xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Sub_1 = graph.sub %jax2tf_get_logits__pjit_get_logits__MagikaV2_Reshape, %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_BroadcastTo_1 : tensor<1x512x256xf32>, tensor<1x1x256xf32> -> tensor<1x512x256xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Mul_1 = graph.mul %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Sub_1, %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Mul : tensor<1x512x256xf32>, tensor<1x512x256xf32> -> tensor<1x512x256xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_AddV2_1 = graph.add %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Mul_1, %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_Reshape : tensor<1x512x256xf32>, tensor<1x512x1xf32> -> tensor<1x512x256xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_Conv_0_strided_slice = graph.reshape %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_0_AddV2_1 : tensor<1x512x256xf32> -> tensor<1x512x256x1xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_Conv_0_Conv2D_ = graph.transpose %jax2tf_get_logits__pjit_get_logits__MagikaV2_Conv_0_strided_slice [0, 2, 1, 3] : tensor<1x512x256x1xf32> -> tensor<1x256x512x1xf32>
    %10 = graph.constant dense<0.0229912829> : tensor<f32>
    %11 = graph.constant dense<85> : tensor<ui8>
    %12 = graph.quantize %jax2tf_get_logits__pjit_get_logits__MagikaV2_Conv_0_Conv2D_, %10, %11 : tensor<1x256x512x1xf32>, tensor<f32>, tensor<ui8> -> tensor<1x256x512x1xui8>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_Conv_0_Conv2D__1 = graph.dequantize %12, %10, %11 : tensor<1x256x512x1xui8>, tensor<f32>, tensor<ui8> -> tensor<1x256x512x1xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_Conv_0_strided_slice_1 = graph.conv2d %jax2tf_get_logits__pjit_get_logits__MagikaV2_Conv_0_Conv2D__1, %jax2tf_get_logits__pjit_get_logits__MagikaV2_Conv_0_transpose {mlc.error = 9.970000e-03 : f64, mlc.precision = "i8"} : tensor<1x256x512x1xf32>, tensor<512x256x5x1xf32> -> tensor<1x512x508x1xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_Conv_0_strided_slice_2_ = graph.reshape %jax2tf_get_logits__pjit_get_logits__MagikaV2_Conv_0_strided_slice_1 : tensor<1x512x508x1xf32> -> tensor<1x512x508xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_Conv_0_AddV2 = graph.add %jax2tf_get_logits__pjit_get_logits__MagikaV2_Conv_0_strided_slice_2_, %const_fold_opt_ : tensor<1x512x508xf32>, tensor<1x512x1xf32> -> tensor<1x512x508xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_1_Mul = graph.mul %jax2tf_get_logits__Const_5, %jax2tf_get_logits__pjit_get_logits__MagikaV2_Conv_0_AddV2 : tensor<f32>, tensor<1x512x508xf32> -> tensor<1x512x508xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_1_Mul_1 = graph.mul %jax2tf_get_logits__pjit_get_logits__MagikaV2_Conv_0_AddV2, %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_1_Mul : tensor<1x512x508xf32>, tensor<1x512x508xf32> -> tensor<1x512x508xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_1_Mul_2 = graph.mul %jax2tf_get_logits__pjit_get_logits__MagikaV2_Conv_0_AddV2, %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_1_Mul_1 : tensor<1x512x508xf32>, tensor<1x512x508xf32> -> tensor<1x512x508xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_1_AddV2 = graph.add %jax2tf_get_logits__pjit_get_logits__MagikaV2_Conv_0_AddV2, %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_1_Mul_2 : tensor<1x512x508xf32>, tensor<1x512x508xf32> -> tensor<1x512x508xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_1_Mul_3 = graph.mul %jax2tf_get_logits__Const_7, %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_1_AddV2 : tensor<f32>, tensor<1x512x508xf32> -> tensor<1x512x508xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_1_Tanh = graph.tanh %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_1_Mul_3 : tensor<1x512x508xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_1_AddV2_1 = graph.add %const_fold_opt__1, %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_1_Tanh : tensor<1x1x1xf32>, tensor<1x512x508xf32> -> tensor<1x512x508xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_1_Mul_4 = graph.mul %jax2tf_get_logits__Const_6, %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_1_AddV2_1 : tensor<f32>, tensor<1x512x508xf32> -> tensor<1x512x508xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_1_Mul_5 = graph.mul %jax2tf_get_logits__pjit_get_logits__MagikaV2_Conv_0_AddV2, %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_1_Mul_4 : tensor<1x512x508xf32>, tensor<1x512x508xf32> -> tensor<1x512x508xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_Max = graph.reduce max %jax2tf_get_logits__pjit_get_logits__MagikaV2_ApplyActivation_1_Mul_5 axes [2] keepdims : tensor<1x512x508xf32> -> tensor<1x512x1xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_Max_Squeeze_ = graph.reshape %jax2tf_get_logits__pjit_get_logits__MagikaV2_Max : tensor<1x512x1xf32> -> tensor<1x512xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Sum = graph.reduce sum %jax2tf_get_logits__pjit_get_logits__MagikaV2_Max_Squeeze_ axes [1] : tensor<1x512xf32> -> tensor<1xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_truediv = graph.mul %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Sum, %ConstantFolding_jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_truediv_recip : tensor<1xf32>, tensor<f32> -> tensor<1xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Square = graph.mul %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_truediv, %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_truediv : tensor<1xf32>, tensor<1xf32> -> tensor<1xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_BroadcastTo = graph.reshape %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_truediv : tensor<1xf32> -> tensor<1x1xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Sub = graph.sub %jax2tf_get_logits__pjit_get_logits__MagikaV2_Max_Squeeze_, %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_BroadcastTo : tensor<1x512xf32>, tensor<1x1xf32> -> tensor<1x512xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Square_1 = graph.mul %jax2tf_get_logits__pjit_get_logits__MagikaV2_Max_Squeeze_, %jax2tf_get_logits__pjit_get_logits__MagikaV2_Max_Squeeze_ : tensor<1x512xf32>, tensor<1x512xf32> -> tensor<1x512xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Sum_1 = graph.reduce sum %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Square_1 axes [1] : tensor<1x512xf32> -> tensor<1xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_truediv_1 = graph.mul %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Sum_1, %ConstantFolding_jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_truediv_recip : tensor<1xf32>, tensor<f32> -> tensor<1xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Sub_1 = graph.sub %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_truediv_1, %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Square : tensor<1xf32>, tensor<1xf32> -> tensor<1xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Maximum = graph.max %jax2tf_get_logits__Const_2, %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Sub_1 : tensor<f32>, tensor<1xf32> -> tensor<1xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_BroadcastTo_1 = graph.reshape %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Maximum : tensor<1xf32> -> tensor<1x1xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_AddV2 = graph.add %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_BroadcastTo_1, %jax2tf_get_logits__Const_4 : tensor<1x1xf32>, tensor<f32> -> tensor<1x1xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Rsqrt = graph.sqrt %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_AddV2 : tensor<1x1xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Rsqrt_ = graph.div %jax2tf_get_logits__Const_3, %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Rsqrt : tensor<f32>, tensor<1x1xf32> -> tensor<1x1xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Mul = graph.mul %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Rsqrt_, %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Reshape_1 : tensor<1x1xf32>, tensor<1x512xf32> -> tensor<1x512xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Mul_1 = graph.mul %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Sub, %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Mul : tensor<1x512xf32>, tensor<1x512xf32> -> tensor<1x512xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_AddV2_1 = graph.add %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Mul_1, %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_Reshape : tensor<1x512xf32>, tensor<1x512xf32> -> tensor<1x512xf32>
    %13 = graph.constant dense<0.0281507988> : tensor<f32>
    %14 = graph.constant dense<73> : tensor<ui8>
    %15 = graph.quantize %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_AddV2_1, %13, %14 : tensor<1x512xf32>, tensor<f32>, tensor<ui8> -> tensor<1x512xui8>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_AddV2_2 = graph.dequantize %15, %13, %14 : tensor<1x512xui8>, tensor<f32>, tensor<ui8> -> tensor<1x512xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_Dense_1_MatMul = graph.matmul %jax2tf_get_logits__pjit_get_logits__MagikaV2_LayerNorm_1_AddV2_2, %jax2tf_get_logits__Const {mlc.error = 9.880000e-03 : f64, mlc.precision = "i8"} : tensor<1x512xf32>, tensor<512x214xf32> -> tensor<1x214xf32>
    %jax2tf_get_logits__pjit_get_logits__MagikaV2_Dense_1_AddV2 = graph.add %jax2tf_get_logits__pjit_get_logits__MagikaV2_Dense_1_MatMul, %jax2tf_get_logits__pjit_get_logits__MagikaV2_Dense_1_Reshape : tensor<1x214xf32>, tensor<1x214xf32> -> tensor<1x214xf32>
    %jax2tf_get_logits__pjit_get_logits__Max = graph.reduce max %jax2tf_get_logits__pjit_get_logits__MagikaV2_Dense_1_AddV2 axes [1] : tensor<1x214xf32> -> tensor<1xf32>
    %jax2tf_get_logits__pjit_get_logits__BroadcastTo = graph.reshape %jax2tf_get_logits__pjit_get_logits__Max : tensor<1xf32> -> tensor<1x1xf32>
    %jax2tf_get_logits__pjit_get_logits__Sub = graph.sub %jax2tf_get_logits__pjit_get_logits__MagikaV2_Dense_1_AddV2, %jax2tf_get_logits__pjit_get_logits__BroadcastTo : tensor<1x214xf32>, tensor<1x1xf32> -> tensor<1x214xf32>
    %jax2tf_get_logits__pjit_get_logits__Exp = graph.exp %jax2tf_get_logits__pjit_get_logits__Sub : tensor<1x214xf32>
    %jax2tf_get_logits__pjit_get_logits__Sum = graph.reduce sum %jax2tf_get_logits__pjit_get_logits__Exp axes [1] : tensor<1x214xf32> -> tensor<1xf32>
    %jax2tf_get_logits__pjit_get_logits__BroadcastTo_1 = graph.reshape %jax2tf_get_logits__pjit_get_logits__Sum : tensor<1xf32> -> tensor<1x1xf32>
    %target_label = graph.div %jax2tf_get_logits__pjit_get_logits__Exp, %jax2tf_get_logits__pjit_get_logits__BroadcastTo_1 : tensor<1x214xf32>, tensor<1x1xf32> -> tensor<1x214xf32>
    func.return %target_label : tensor<1x214xf32>
  }
}

{-#
  external_resources: {
    mlc: {
      weights: "mg.safetensors"
    }
  }
#-}
