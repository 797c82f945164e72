// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/kernels/loops.h"

namespace strata {

namespace isa_plain {
extern const Loops kLoops;
}
#if defined(__x86_64__)
namespace isa_avx2 {
extern const Loops kLoops;
}
namespace isa_avx512 {
extern const Loops kLoops;
}
#endif

std::vector<const Loops*> usableLoops() {
  std::vector<const Loops*> found;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    found.push_back(&isa_avx512::kLoops);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    found.push_back(&isa_avx2::kLoops);
#endif
  found.push_back(&isa_plain::kLoops);
  return found;
}

const Loops& loops() {
  static const Loops& best = *usableLoops().front();
  return best;
}

}  // namespace strata
