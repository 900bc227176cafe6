module @constants attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<2xf32>, tensor<2xi64>, tensor<bf16>, tensor<1xf64>, tensor<3xi1>, tensor<2xi4>, tensor<2xui64>, tensor<f32>, tensor<f64>, tensor<0x2xf32>) {
    %0 = stablehlo.constant dense<0.100000001> : tensor<2xf32>
    %1 = stablehlo.constant dense<1152921504606846976> : tensor<2xi64>
    %2 = stablehlo.constant dense<0x7F80> : tensor<bf16>
    %3 = stablehlo.constant dense<0x7FF8000000000000> : tensor<1xf64>
    %4 = stablehlo.constant dense<true> : tensor<3xi1>
    %5 = stablehlo.constant dense<-7> : tensor<2xi4>
    %6 = stablehlo.constant dense<18446744073709551615> : tensor<2xui64>
    %7 = stablehlo.constant dense<-0.0> : tensor<f32>
    %8 = stablehlo.constant dense<9.9999999999999995e-08> : tensor<f64>
    %9 = stablehlo.constant dense<0.0> : tensor<0x2xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<2xf32>, tensor<2xi64>, tensor<bf16>, tensor<1xf64>, tensor<3xi1>, tensor<2xi4>, tensor<2xui64>, tensor<f32>, tensor<f64>, tensor<0x2xf32>
  }
}
