module @indexing attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x5xf32>, %arg1: tensor<3xi32>) -> (tensor<3x5xf32>, tensor<4xf32>, tensor<4x5xf32>, tensor<2x2xf32>) {
    %0 = stablehlo.constant dense<0> : tensor<3xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %2 = stablehlo.constant dense<4> : tensor<3xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<3xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<3xi1>, tensor<3xi32>
    %5 = stablehlo.constant dense<0> : tensor<3xi32>
    %6 = stablehlo.maximum %4, %5 : tensor<3xi32>
    %7 = stablehlo.constant dense<3> : tensor<3xi32>
    %8 = stablehlo.minimum %6, %7 : tensor<3xi32>
    %9 = "stablehlo.gather"(%arg0, %8) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>, indices_are_sorted = false}> : (tensor<4x5xf32>, tensor<3xi32>) -> tensor<3x5xf32>
    %10 = stablehlo.slice %arg0 [0:4, 2:3] : (tensor<4x5xf32>) -> tensor<4x1xf32>
    %11 = stablehlo.reverse %10, dims = [0] : tensor<4x1xf32>
    %12 = stablehlo.reshape %11 : (tensor<4x1xf32>) -> tensor<4xf32>
    %13 = stablehlo.constant dense<-5> : tensor<3xi32>
    %14 = stablehlo.maximum %arg1, %13 : tensor<3xi32>
    %15 = stablehlo.constant dense<4> : tensor<3xi32>
    %16 = stablehlo.minimum %14, %15 : tensor<3xi32>
    %17 = stablehlo.constant dense<0> : tensor<3xi32>
    %18 = stablehlo.compare LT, %16, %17, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %19 = stablehlo.constant dense<4> : tensor<3xi32>
    %20 = stablehlo.add %16, %19 : tensor<3xi32>
    %21 = stablehlo.select %18, %20, %16 : tensor<3xi1>, tensor<3xi32>
    %22 = stablehlo.reshape %21 : (tensor<3xi32>) -> tensor<3x1xi32>
    %23 = stablehlo.constant dense<1.0> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %25 = "stablehlo.scatter"(%arg0, %22, %24) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %both = stablehlo.add %lhs, %rhs : tensor<f32>
      stablehlo.return %both : tensor<f32>
    }) : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
    %26 = stablehlo.slice %arg1 [0:1] : (tensor<3xi32>) -> tensor<1xi32>
    %27 = stablehlo.reshape %26 : (tensor<1xi32>) -> tensor<i32>
    %28 = stablehlo.convert %27 : (tensor<i32>) -> tensor<i64>
    %29 = stablehlo.constant dense<0> : tensor<i64>
    %30 = stablehlo.maximum %28, %29 : tensor<i64>
    %31 = stablehlo.constant dense<2> : tensor<i64>
    %32 = stablehlo.minimum %30, %31 : tensor<i64>
    %33 = stablehlo.convert %32 : (tensor<i64>) -> tensor<i32>
    %34 = stablehlo.slice %arg1 [1:2] : (tensor<3xi32>) -> tensor<1xi32>
    %35 = stablehlo.reshape %34 : (tensor<1xi32>) -> tensor<i32>
    %36 = stablehlo.convert %35 : (tensor<i32>) -> tensor<i64>
    %37 = stablehlo.constant dense<0> : tensor<i64>
    %38 = stablehlo.maximum %36, %37 : tensor<i64>
    %39 = stablehlo.constant dense<3> : tensor<i64>
    %40 = stablehlo.minimum %38, %39 : tensor<i64>
    %41 = stablehlo.convert %40 : (tensor<i64>) -> tensor<i32>
    %42 = stablehlo.dynamic_slice %arg0, %33, %41, sizes = [2, 2] : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    return %9, %12, %25, %42 : tensor<3x5xf32>, tensor<4xf32>, tensor<4x5xf32>, tensor<2x2xf32>
  }
}
