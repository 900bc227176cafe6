#include "xylem/kernels/registry.h"

#include <mutex>

#include "xylem/kernels/attention.h"
#include "xylem/kernels/matmul.h"
#include "xylem/kernels/norm.h"

namespace xylem::kernels {

void register_kernels() {
  static std::once_flag once;
  std::call_once(once, [] {
    register_matmul_handlers();
    register_attention_handlers();
    register_norm_handlers();
  });
}

}  // namespace xylem::kernels
