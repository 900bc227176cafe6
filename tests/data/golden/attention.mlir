module @attention attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x3x4xbf16>, %arg1: tensor<1x2x3x4xbf16>) -> (tensor<1x3x2x2xbf16>) {
    %0 = stablehlo.iota dim = 1 : tensor<2x2xi32>
    %1 = stablehlo.iota dim = 0 : tensor<2x2xi32>
    %2 = stablehlo.compare LE, %0, %1, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [2, 3] : (tensor<2x2xi1>) -> tensor<1x3x2x2xi1>
    %4 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x3x4xbf16>, tensor<1x2x3x4xbf16>) -> tensor<1x3x2x2xbf16>
    %5 = stablehlo.constant dense<-1.0e+09> : tensor<1x3x2x2xbf16>
    %6 = stablehlo.select %3, %4, %5 : tensor<1x3x2x2xi1>, tensor<1x3x2x2xbf16>
    %7 = stablehlo.convert %6 : (tensor<1x3x2x2xbf16>) -> tensor<1x3x2x2xf32>
    %8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %9 = stablehlo.reduce(%7 init: %8) applies stablehlo.maximum across dimensions = [3] : (tensor<1x3x2x2xf32>, tensor<f32>) -> tensor<1x3x2xf32>
    %10 = stablehlo.reshape %9 : (tensor<1x3x2xf32>) -> tensor<1x3x2x1xf32>
    %11 = stablehlo.is_finite %10 : (tensor<1x3x2x1xf32>) -> tensor<1x3x2x1xi1>
    %12 = stablehlo.constant dense<0.0> : tensor<1x3x2x1xf32>
    %13 = stablehlo.select %11, %10, %12 : tensor<1x3x2x1xi1>, tensor<1x3x2x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<1x3x2x1xf32>) -> tensor<1x3x2x2xf32>
    %15 = stablehlo.subtract %7, %14 : tensor<1x3x2x2xf32>
    %16 = stablehlo.exponential %15 : tensor<1x3x2x2xf32>
    %17 = stablehlo.constant dense<0.0> : tensor<f32>
    %18 = stablehlo.reduce(%16 init: %17) applies stablehlo.add across dimensions = [3] : (tensor<1x3x2x2xf32>, tensor<f32>) -> tensor<1x3x2xf32>
    %19 = stablehlo.reshape %18 : (tensor<1x3x2xf32>) -> tensor<1x3x2x1xf32>
    %20 = stablehlo.constant dense<0.0> : tensor<1x3x2x1xf32>
    %21 = stablehlo.compare GT, %19, %20, FLOAT : (tensor<1x3x2x1xf32>, tensor<1x3x2x1xf32>) -> tensor<1x3x2x1xi1>
    %22 = stablehlo.constant dense<1.0> : tensor<1x3x2x1xf32>
    %23 = stablehlo.select %21, %19, %22 : tensor<1x3x2x1xi1>, tensor<1x3x2x1xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2, 3] : (tensor<1x3x2x1xf32>) -> tensor<1x3x2x2xf32>
    %25 = stablehlo.divide %16, %24 : tensor<1x3x2x2xf32>
    %26 = stablehlo.convert %25 : (tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xbf16>
    return %26 : tensor<1x3x2x2xbf16>
  }
}
