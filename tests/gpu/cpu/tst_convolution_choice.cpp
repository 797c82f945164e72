// SPDX-License-Identifier: Apache-2.0
// Tests which kernel is chosen for a convolution. No other test would fail if a fast kernel were
// never chosen.
#include <doctest/doctest.h>

#include "gpu/cpu/cpu_kernel.h"
#include "gpu/devices/devices.h"
#include "gpu/graph/op.h"

using namespace strata;

namespace {

/// Returns the name of the kernel for a 3x3 convolution whose output has the size of the input
/// divided by the stride.
std::string implementationOf(int64_t size, int64_t channels, int64_t outChannels,
                             int64_t stride = 1) {
  const OpDef& op = opNamed("conv2d");
  cpu::KernelSetup setup;
  setup.op = op.name;
  setup.layer = "layer";
  setup.inputs = {{DType::F32, Shape{4, size, size, channels}},
                  {DType::F32, Shape{3, 3, channels, outChannels}}};
  setup.outputs = {{DType::F32, Shape{4, size / stride, size / stride, outChannels}}};
  for (const AttributeSpec& spec : op.attributes)
    setup.attributes.set(spec.name, spec.defaultValue);
  for (const char* name : {"padding_before", "padding_after"})
    setup.attributes.set(name, std::vector<int64_t>{1, 1});
  setup.attributes.set("strides", std::vector<int64_t>{stride, stride});
  setup.numWorkers = 2;
  setup.loops = &loops();
  return cpu::createKernel(setup)->implementation();
}

}  // namespace

TEST_SUITE("choice of convolutions") {
  TEST_CASE("each variant is chosen for the sizes at which it is fastest") {
    CHECK(implementationOf(28, 1, 32).starts_with("direct "));
    if (loops().width >= 8) CHECK(implementationOf(28, 1, 6).starts_with("direct by planes "));
    if (loops().width >= 8) CHECK(implementationOf(28, 64, 64).starts_with("winograd "));
    if (loops().width >= 8)
      CHECK(implementationOf(8, 512, 512).starts_with("winograd by channels "));
    if (loops().width >= 8) CHECK(implementationOf(8, 256, 512, 2).starts_with("gemm of windows "));
    CHECK(implementationOf(28, 24, 24).starts_with("winograd ") == (loops().width == 8));
    const bool hasOnednn = !libraryVersions().empty();
    // Winograd's tiles of 4x4 would be less than half full.
    if (loops().width >= 16 && hasOnednn)
      CHECK(implementationOf(5, 192, 192).starts_with("onednn "));
  }
}
