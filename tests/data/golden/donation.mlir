module @donation attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x2xf32> {tf.aliasing_output = 1 : i32}, %arg1: tensor<1x2xf32>, %arg2: tensor<i32>, %arg3: tensor<7xf32> {jax.buffer_donor = true}) -> (tensor<f32>, tensor<4x2xf32>) {
    %0 = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%arg3 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<i64>
    %3 = stablehlo.constant dense<0> : tensor<i64>
    %4 = stablehlo.maximum %2, %3 : tensor<i64>
    %5 = stablehlo.constant dense<3> : tensor<i64>
    %6 = stablehlo.minimum %4, %5 : tensor<i64>
    %7 = stablehlo.convert %6 : (tensor<i64>) -> tensor<i32>
    %8 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.dynamic_update_slice %arg0, %arg1, %7, %8 : (tensor<4x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
    return %1, %9 : tensor<f32>, tensor<4x2xf32>
  }
}
