builtin.module {
  func.func @main(%input: tensor<1x576xf32> {mlc.name = "input", onnx.dims = ["batch", "sequence"]}, %state: tensor<2x1x128xf32> {mlc.name = "state", onnx.dims = ["", "batch", ""]}) -> (tensor<1x1xf32> {mlc.name = "output", onnx.dims = ["batch", ""]}, tensor<2x1x128xf32> {mlc.name = "stateN", onnx.dims = ["", "batch", ""]}) {
    %model.decoder.rnn.bias_ih = graph.constant dense_resource<model.decoder.rnn.bias_ih> : tensor<512xf32>
    %model.decoder.rnn.bias_hh = graph.constant dense_resource<model.decoder.rnn.bias_hh> : tensor<512xf32>
    %0 = graph.constant dense_resource<pad> : tensor<640xi64>
    %pad = graph.gather %input, %0 axis 1 : tensor<1x576xf32>, tensor<640xi64> -> tensor<1x640xf32>
    %1 = graph.reshape %pad : tensor<1x640xf32> -> tensor<1x1x1x640xf32>
    %2 = graph.constant dense<0.0280651785> : tensor<f32>
    %3 = graph.constant dense<139> : tensor<ui8>
    %4 = graph.quantize %1, %2, %3 : tensor<1x1x1x640xf32>, tensor<f32>, tensor<ui8> -> tensor<1x1x1x640xui8>
    %5 = graph.dequantize %4, %2, %3 : tensor<1x1x1x640xui8>, tensor<f32>, tensor<ui8> -> tensor<1x1x1x640xf32>
    %6 = graph.constant dense_resource<conv1d.i8> : tensor<258x1x1x256xi8>
    %7 = graph.constant dense_resource<conv1d.scale> : tensor<258x1x1x1xf32>
    %8 = graph.constant dense<0> : tensor<i8>
    %9 = graph.dequantize %6, %7, %8 : tensor<258x1x1x256xi8>, tensor<258x1x1x1xf32>, tensor<i8> -> tensor<258x1x1x256xf32>
    %10 = graph.conv2d %5, %9 {mlc.error = 9.450000e-03 : f64, mlc.precision = "i8", strides = array<i64: 1, 128>} : tensor<1x1x1x640xf32>, tensor<258x1x1x256xf32> -> tensor<1x258x1x4xf32>
    %conv1d = graph.reshape %10 : tensor<1x258x1x4xf32> -> tensor<1x258x4xf32>
    %slice = graph.slice %conv1d starts [0, 0, 0] ends [1, 129, 4] strides [1, 1, 1] : tensor<1x258x4xf32> -> tensor<1x129x4xf32>
    %slice_1 = graph.slice %conv1d starts [0, 129, 0] ends [1, 258, 4] strides [1, 1, 1] : tensor<1x258x4xf32> -> tensor<1x129x4xf32>
    %pow = graph.mul %slice, %slice : tensor<1x129x4xf32>, tensor<1x129x4xf32> -> tensor<1x129x4xf32>
    %pow_1 = graph.mul %slice_1, %slice_1 : tensor<1x129x4xf32>, tensor<1x129x4xf32> -> tensor<1x129x4xf32>
    %add = graph.add %pow, %pow_1 : tensor<1x129x4xf32>, tensor<1x129x4xf32> -> tensor<1x129x4xf32>
    %sqrt = graph.sqrt %add : tensor<1x129x4xf32>
    %11 = graph.reshape %sqrt : tensor<1x129x4xf32> -> tensor<1x129x1x4xf32>
    %12 = graph.constant dense<0.14051038> : tensor<f32>
    %13 = graph.constant dense<0> : tensor<ui8>
    %14 = graph.quantize %11, %12, %13 : tensor<1x129x1x4xf32>, tensor<f32>, tensor<ui8> -> tensor<1x129x1x4xui8>
    %15 = graph.dequantize %14, %12, %13 : tensor<1x129x1x4xui8>, tensor<f32>, tensor<ui8> -> tensor<1x129x1x4xf32>
    %16 = graph.constant dense_resource<conv1d.1.i8> : tensor<128x129x1x3xi8>
    %17 = graph.constant dense_resource<conv1d.1.scale> : tensor<128x1x1x1xf32>
    %18 = graph.dequantize %16, %17, %8 : tensor<128x129x1x3xi8>, tensor<128x1x1x1xf32>, tensor<i8> -> tensor<128x129x1x3xf32>
    %19 = graph.conv2d %15, %18 {mlc.error = 4.130000e-03 : f64, mlc.precision = "i8", padding = array<i64: 0, 1, 0, 1>} : tensor<1x129x1x4xf32>, tensor<128x129x1x3xf32> -> tensor<1x128x1x4xf32>
    %20 = graph.reshape %19 : tensor<1x128x1x4xf32> -> tensor<1x128x4xf32>
    %21 = graph.constant dense_resource<conv1d.2> : tensor<128x1xf32>
    %conv1d_1 = graph.add %20, %21 : tensor<1x128x4xf32>, tensor<128x1xf32> -> tensor<1x128x4xf32>
    %relu = graph.relu %conv1d_1 : tensor<1x128x4xf32>
    %22 = graph.reshape %relu : tensor<1x128x4xf32> -> tensor<1x128x1x4xf32>
    %23 = graph.constant dense<1.09889555> : tensor<f32>
    %24 = graph.quantize %22, %23, %13 : tensor<1x128x1x4xf32>, tensor<f32>, tensor<ui8> -> tensor<1x128x1x4xui8>
    %25 = graph.dequantize %24, %23, %13 : tensor<1x128x1x4xui8>, tensor<f32>, tensor<ui8> -> tensor<1x128x1x4xf32>
    %26 = graph.constant dense_resource<conv1d.3.i8> : tensor<64x128x1x3xi8>
    %27 = graph.constant dense_resource<conv1d.3.scale> : tensor<64x1x1x1xf32>
    %28 = graph.dequantize %26, %27, %8 : tensor<64x128x1x3xi8>, tensor<64x1x1x1xf32>, tensor<i8> -> tensor<64x128x1x3xf32>
    %29 = graph.conv2d %25, %28 {mlc.error = 1.160000e-02 : f64, mlc.precision = "i8", strides = array<i64: 1, 2>, padding = array<i64: 0, 1, 0, 1>} : tensor<1x128x1x4xf32>, tensor<64x128x1x3xf32> -> tensor<1x64x1x2xf32>
    %30 = graph.reshape %29 : tensor<1x64x1x2xf32> -> tensor<1x64x2xf32>
    %31 = graph.constant dense<[[0.823399961], [2.16626048], [-0.0104698241], [0.586845696], [0.377670974], [0.584481955], [-0.461836547], [0.0697887838], [0.516804099], [2.94253111], [-0.926525235], [1.62465835], [1.69013882], [-0.0422963575], [0.0902792662], [2.3056531], [1.09467173], [1.20994675], [1.18312049], [1.33325291], [0.368510664], [1.03579366], [0.600150883], [2.09936333], [-1.12295437], [1.2716738], [0.768235803], [-1.54420471], [0.442604214], [0.772546709], [0.020809114], [0.853863239], [-0.735044062], [1.28619719], [3.40444279], [0.185405374], [1.66900992], [-0.489078283], [1.06027198], [0.603984952], [-0.209533393], [0.886091411], [2.74184871], [4.30625677], [1.40284634], [2.58190942], [3.6089716], [0.0231184959], [3.08404112], [0.795159936], [-3.19651985], [-6.099140e-01], [-0.397108316], [9.699710e-02], [2.22610378], [-8.96587658], [3.30914211], [-5.5826025], [-2.27146053], [-0.260212243], [1.91574967], [1.53465056], [-6.62555504], [2.22231388]]> : tensor<64x1xf32>
    %conv1d_2 = graph.add %30, %31 : tensor<1x64x2xf32>, tensor<64x1xf32> -> tensor<1x64x2xf32>
    %relu_1 = graph.relu %conv1d_2 : tensor<1x64x2xf32>
    %32 = graph.reshape %relu_1 : tensor<1x64x2xf32> -> tensor<1x64x1x2xf32>
    %33 = graph.constant dense<0.214914277> : tensor<f32>
    %34 = graph.quantize %32, %33, %13 : tensor<1x64x1x2xf32>, tensor<f32>, tensor<ui8> -> tensor<1x64x1x2xui8>
    %35 = graph.dequantize %34, %33, %13 : tensor<1x64x1x2xui8>, tensor<f32>, tensor<ui8> -> tensor<1x64x1x2xf32>
    %36 = graph.constant dense_resource<conv1d.4.i8> : tensor<64x64x1x3xi8>
    %37 = graph.constant dense_resource<conv1d.4.scale> : tensor<64x1x1x1xf32>
    %38 = graph.dequantize %36, %37, %8 : tensor<64x64x1x3xi8>, tensor<64x1x1x1xf32>, tensor<i8> -> tensor<64x64x1x3xf32>
    %39 = graph.conv2d %35, %38 {mlc.error = 4.580000e-02 : f64, mlc.precision = "i8", strides = array<i64: 1, 2>, padding = array<i64: 0, 1, 0, 1>} : tensor<1x64x1x2xf32>, tensor<64x64x1x3xf32> -> tensor<1x64x1x1xf32>
    %40 = graph.reshape %39 : tensor<1x64x1x1xf32> -> tensor<1x64x1xf32>
    %41 = graph.constant dense<[[2.11878157], [1.31139934], [-8.12371826], [-1.30410659], [-2.5043745], [1.98799181], [1.12425232], [5.11123657], [2.634530e+00], [4.78848076], [5.76295519], [3.08888674], [-13.2677221], [2.20395327], [-2.01624823], [1.13805068], [1.2145468], [-8.03588295], [-0.244709119], [-4.24726915], [-1.62235558], [4.84183741], [5.37868261], [6.57019615], [1.51412833], [10.6171026], [4.36253357], [-4.88054609], [-2.43859339], [-18.1198483], [1.42558372], [3.89988804], [-4.62429523], [-1.28473365], [2.8510561], [-0.090636909], [3.03589749], [4.14544582], [3.3495326], [-0.190597862], [2.19985437], [3.33987665], [9.11498928], [6.36854601], [0.803728104], [1.91967928], [1.64627469], [6.62680149], [2.50627899], [-0.296154767], [7.23019361], [4.29405499], [-1.5811938], [1.99120808], [0.321258545], [9.64116764], [1.41936111], [4.07258463], [-3.51668572], [-11.1994781], [-8.4876461], [2.15900254], [8.72764111], [-7.603080e+00]]> : tensor<64x1xf32>
    %conv1d_3 = graph.add %40, %41 : tensor<1x64x1xf32>, tensor<64x1xf32> -> tensor<1x64x1xf32>
    %relu_2 = graph.relu %conv1d_3 : tensor<1x64x1xf32>
    %42 = graph.reshape %relu_2 : tensor<1x64x1xf32> -> tensor<1x64x1x1xf32>
    %43 = graph.constant dense<0.215291649> : tensor<f32>
    %44 = graph.quantize %42, %43, %13 : tensor<1x64x1x1xf32>, tensor<f32>, tensor<ui8> -> tensor<1x64x1x1xui8>
    %45 = graph.dequantize %44, %43, %13 : tensor<1x64x1x1xui8>, tensor<f32>, tensor<ui8> -> tensor<1x64x1x1xf32>
    %46 = graph.constant dense_resource<conv1d.5.i8> : tensor<128x64x1x3xi8>
    %47 = graph.constant dense_resource<conv1d.5.scale> : tensor<128x1x1x1xf32>
    %48 = graph.dequantize %46, %47, %8 : tensor<128x64x1x3xi8>, tensor<128x1x1x1xf32>, tensor<i8> -> tensor<128x64x1x3xf32>
    %49 = graph.conv2d %45, %48 {mlc.error = 5.820000e-02 : f64, mlc.precision = "i8", padding = array<i64: 0, 1, 0, 1>} : tensor<1x64x1x1xf32>, tensor<128x64x1x3xf32> -> tensor<1x128x1x1xf32>
    %50 = graph.reshape %49 : tensor<1x128x1x1xf32> -> tensor<1x128x1xf32>
    %51 = graph.constant dense_resource<conv1d.6> : tensor<128x1xf32>
    %conv1d_4 = graph.add %50, %51 : tensor<1x128x1xf32>, tensor<128x1xf32> -> tensor<1x128x1xf32>
    %relu_3 = graph.relu %conv1d_4 : tensor<1x128x1xf32>
    %select = graph.reshape %relu_3 : tensor<1x128x1xf32> -> tensor<1x128xf32>
    %52 = graph.constant dense<0.0429241173> : tensor<f32>
    %53 = graph.quantize %select, %52, %13 : tensor<1x128xf32>, tensor<f32>, tensor<ui8> -> tensor<1x128xui8>
    %select_1 = graph.dequantize %53, %52, %13 : tensor<1x128xui8>, tensor<f32>, tensor<ui8> -> tensor<1x128xf32>
    %54 = graph.slice %state starts [0, 0, 0] ends [1, 1, 128] strides [1, 1, 1] : tensor<2x1x128xf32> -> tensor<1x1x128xf32>
    %select_2 = graph.reshape %54 : tensor<1x1x128xf32> -> tensor<1x128xf32>
    %55 = graph.constant dense<0.0239302702> : tensor<f32>
    %56 = graph.constant dense<141> : tensor<ui8>
    %57 = graph.quantize %select_2, %55, %56 : tensor<1x128xf32>, tensor<f32>, tensor<ui8> -> tensor<1x128xui8>
    %select_3 = graph.dequantize %57, %55, %56 : tensor<1x128xui8>, tensor<f32>, tensor<ui8> -> tensor<1x128xf32>
    %58 = graph.slice %state starts [1, 0, 0] ends [2, 1, 128] strides [1, 1, 1] : tensor<2x1x128xf32> -> tensor<1x1x128xf32>
    %select_4 = graph.reshape %58 : tensor<1x1x128xf32> -> tensor<1x128xf32>
    %59 = graph.constant dense_resource<linear.i8> : tensor<128x512xi8>
    %60 = graph.constant dense_resource<linear.scale> : tensor<1x512xf32>
    %61 = graph.dequantize %59, %60, %8 : tensor<128x512xi8>, tensor<1x512xf32>, tensor<i8> -> tensor<128x512xf32>
    %62 = graph.matmul %select_3, %61 {mlc.error = 1.070000e-02 : f64, mlc.precision = "i8"} : tensor<1x128xf32>, tensor<128x512xf32> -> tensor<1x512xf32>
    %linear = graph.add %62, %model.decoder.rnn.bias_hh : tensor<1x512xf32>, tensor<512xf32> -> tensor<1x512xf32>
    %63 = graph.constant dense_resource<linear.1.i8> : tensor<128x512xi8>
    %64 = graph.constant dense_resource<linear.1.scale> : tensor<1x512xf32>
    %65 = graph.dequantize %63, %64, %8 : tensor<128x512xi8>, tensor<1x512xf32>, tensor<i8> -> tensor<128x512xf32>
    %66 = graph.matmul %select_1, %65 {mlc.error = 6.000000e-03 : f64, mlc.precision = "i8"} : tensor<1x128xf32>, tensor<128x512xf32> -> tensor<1x512xf32>
    %linear_1 = graph.add %66, %model.decoder.rnn.bias_ih : tensor<1x512xf32>, tensor<512xf32> -> tensor<1x512xf32>
    %add_1 = graph.add %linear, %linear_1 : tensor<1x512xf32>, tensor<1x512xf32> -> tensor<1x512xf32>
    %unsafe_split_split = graph.slice %add_1 starts [0, 0] ends [1, 128] strides [1, 1] : tensor<1x512xf32> -> tensor<1x128xf32>
    %unsafe_split_split_1 = graph.slice %add_1 starts [0, 128] ends [1, 256] strides [1, 1] : tensor<1x512xf32> -> tensor<1x128xf32>
    %unsafe_split_split_2 = graph.slice %add_1 starts [0, 256] ends [1, 384] strides [1, 1] : tensor<1x512xf32> -> tensor<1x128xf32>
    %unsafe_split_split_3 = graph.slice %add_1 starts [0, 384] ends [1, 512] strides [1, 1] : tensor<1x512xf32> -> tensor<1x128xf32>
    %sigmoid = graph.sigmoid %unsafe_split_split : tensor<1x128xf32>
    %sigmoid_1 = graph.sigmoid %unsafe_split_split_1 : tensor<1x128xf32>
    %tanh = graph.tanh %unsafe_split_split_2 : tensor<1x128xf32>
    %sigmoid_2 = graph.sigmoid %unsafe_split_split_3 : tensor<1x128xf32>
    %mul = graph.mul %sigmoid_1, %select_4 : tensor<1x128xf32>, tensor<1x128xf32> -> tensor<1x128xf32>
    %mul_1 = graph.mul %sigmoid, %tanh : tensor<1x128xf32>, tensor<1x128xf32> -> tensor<1x128xf32>
    %add_2 = graph.add %mul, %mul_1 : tensor<1x128xf32>, tensor<1x128xf32> -> tensor<1x128xf32>
    %tanh_1 = graph.tanh %add_2 : tensor<1x128xf32>
    %mul_2 = graph.mul %sigmoid_2, %tanh_1 : tensor<1x128xf32>, tensor<1x128xf32> -> tensor<1x128xf32>
    %unsqueeze = graph.reshape %mul_2 : tensor<1x128xf32> -> tensor<1x128x1xf32>
    %val = graph.reshape %mul_2 : tensor<1x128xf32> -> tensor<1x1x128xf32>
    %val_1 = graph.reshape %add_2 : tensor<1x128xf32> -> tensor<1x1x128xf32>
    %stateN = graph.concat %val, %val_1 axis 0 : tensor<1x1x128xf32>, tensor<1x1x128xf32> -> tensor<2x1x128xf32>
    %relu_4 = graph.relu %unsqueeze : tensor<1x128x1xf32>
    %67 = graph.reshape %relu_4 : tensor<1x128x1xf32> -> tensor<1x128x1x1xf32>
    %68 = graph.constant dense<0.0038786924> : tensor<f32>
    %69 = graph.quantize %67, %68, %13 : tensor<1x128x1x1xf32>, tensor<f32>, tensor<ui8> -> tensor<1x128x1x1xui8>
    %70 = graph.dequantize %69, %68, %13 : tensor<1x128x1x1xui8>, tensor<f32>, tensor<ui8> -> tensor<1x128x1x1xf32>
    %71 = graph.constant dense_resource<conv1d.7.i8> : tensor<1x128x1x1xi8>
    %72 = graph.constant dense<0.037119437> : tensor<1x1x1x1xf32>
    %73 = graph.dequantize %71, %72, %8 : tensor<1x128x1x1xi8>, tensor<1x1x1x1xf32>, tensor<i8> -> tensor<1x128x1x1xf32>
    %74 = graph.conv2d %70, %73 {mlc.error = 7.200000e-03 : f64, mlc.precision = "i8"} : tensor<1x128x1x1xf32>, tensor<1x128x1x1xf32> -> tensor<1x1x1x1xf32>
    %75 = graph.reshape %74 : tensor<1x1x1x1xf32> -> tensor<1x1x1xf32>
    %76 = graph.constant dense<-0.624597728> : tensor<1x1xf32>
    %conv1d_5 = graph.add %75, %76 : tensor<1x1x1xf32>, tensor<1x1xf32> -> tensor<1x1x1xf32>
    %sigmoid_3 = graph.sigmoid %conv1d_5 : tensor<1x1x1xf32>
    %output = graph.reshape %sigmoid_3 : tensor<1x1x1xf32> -> tensor<1x1xf32>
    func.return %output, %stateN : tensor<1x1xf32>, tensor<2x1x128xf32>
  }
}

{-#
  external_resources: {
    mlc: {
      weights: "sv.safetensors"
    }
  }
#-}
