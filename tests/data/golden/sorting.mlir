module @sorting attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<2xi32>, tensor<2x2xf32>, tensor<2x2xi32>) {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%a0: tensor<f32>, %b0: tensor<f32>):
      %r0 = stablehlo.compare LT, %b0, %a0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %r1 = stablehlo.compare EQ, %b0, %b0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %r2 = stablehlo.compare NE, %a0, %a0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %r3 = stablehlo.and %r1, %r2 : tensor<i1>
      %r4 = stablehlo.or %r0, %r3 : tensor<i1>
      stablehlo.return %r4 : tensor<i1>
    }) : (tensor<2x5xf32>) -> tensor<2x5xf32>
    %1 = stablehlo.iota dim = 1 : tensor<2x5xi32>
    %2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3 = stablehlo.constant dense<0> : tensor<i32>
    %4:2 = "stablehlo.reduce"(%arg0, %1, %2, %3) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>):
      %r0 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %r1 = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %r2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %r3 = stablehlo.compare EQ, %b, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %r4 = stablehlo.compare NE, %b, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %r5 = stablehlo.and %r2, %r3 : tensor<i1>
      %r6 = stablehlo.or %r0, %r5 : tensor<i1>
      %r7 = stablehlo.and %r2, %r4 : tensor<i1>
      %r8 = stablehlo.or %r1, %r7 : tensor<i1>
      %r9 = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %r10 = stablehlo.and %r8, %r9 : tensor<i1>
      %r11 = stablehlo.or %r6, %r10 : tensor<i1>
      %r12 = stablehlo.select %r11, %a, %b : tensor<i1>, tensor<f32>
      %r13 = stablehlo.select %r11, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %r12, %r13 : tensor<f32>, tensor<i32>
    }) : (tensor<2x5xf32>, tensor<2x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
    %5 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xi1>
    %6 = stablehlo.constant dense<0x7FC00000> : tensor<2x5xf32>
    %7 = stablehlo.select %5, %6, %arg0 : tensor<2x5xi1>, tensor<2x5xf32>
    %8:2 = chlo.top_k(%7, k = 2) : tensor<2x5xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
    return %0, %4#1, %8#0, %8#1 : tensor<2x5xf32>, tensor<2xi32>, tensor<2x2xf32>, tensor<2x2xi32>
  }
}
