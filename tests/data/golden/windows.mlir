module @windows attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x6xf32>, %arg1: tensor<4x1x3xf32>) -> (tensor<1x4x3xf32>, tensor<1x2x3xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [2], pad = [[2, 0]], lhs_dilate = [1], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x2x6xf32>, tensor<4x1x3xf32>) -> tensor<1x4x3xf32>
    %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = "stablehlo.reduce_window"(%arg0, %1) <{window_dimensions = array<i64: 1, 1, 2>, window_strides = array<i64: 1, 1, 2>, base_dilations = array<i64: 1, 1, 1>, window_dilations = array<i64: 1, 1, 2>, padding = dense<[[0, 0], [0, 0], [1, 0]]> : tensor<3x2xi64>}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = stablehlo.maximum %lhs, %rhs : tensor<f32>
      stablehlo.return %both : tensor<f32>
    }) : (tensor<1x2x6xf32>, tensor<f32>) -> tensor<1x2x3xf32>
    return %0, %2 : tensor<1x4x3xf32>, tensor<1x2x3xf32>
  }
}
