// SPDX-License-Identifier: Apache-2.0
// Tests convolutions of images with blank areas. A window of zeros must give exactly the bias:
// relu has no gradient at 0, but passes half of all rounding errors.
#include <doctest/doctest.h>

#include <algorithm>

#include "gpu/cpu/cpu_kernel.h"
#include "tests/gpu/cpu/kernel_check.h"

using namespace strata;

namespace {

using Ints = std::vector<int64_t>;

/// Returns random images in which most areas of 3x3 pixels, or all but one channel of them, are 0.
Tensor blankImages(const Shape& shape) {
  Tensor images = test::randomTensor(shape, 1);
  const Tensor draws = test::randomTensor(shape, 2, 0, 1);
  const int64_t height = shape.dim(1), width = shape.dim(2), channels = shape.dim(3);
  float* const to = images.as<float>().data();
  for (int64_t i = 0; i < shape.numElements(); ++i) {
    const int64_t pixel = i / channels, row = pixel / width % height, column = pixel % width,
                  image = pixel / (width * height);
    const int64_t area = ((image * height + row / 3 * 3) * width + column / 3 * 3) * channels;
    const float draw = draws.as<float>().data()[area];
    if (draw < 0.7f || (draw < 0.8f && i % channels != channels - 1)) to[i] = 0;
  }
  return images;
}

Tensor convolved(const Tensor& images, const Tensor& weights, const Tensor& bias, int workers,
                 const Loops* set, std::string& implementation) {
  const OpDef& op = opNamed("conv2d");
  cpu::KernelSetup setup;
  setup.op = op.name;
  setup.layer = "layer";
  setup.inputs = {images.type(), weights.type(), bias.type()};
  for (const AttributeSpec& spec : op.attributes)
    setup.attributes.set(spec.name, spec.defaultValue);
  for (const char* name : {"padding_before", "padding_after"})
    setup.attributes.set(name, Ints{1, 1});
  setup.outputs = op.infer(ShapeContext{op, setup.inputs, setup.attributes});
  setup.numWorkers = workers;
  setup.loops = set;
  const auto kernel = cpu::createKernel(setup);
  implementation = kernel->implementation();
  Tensor result(setup.outputs[0]);
  AlignedBytes workspace(kernel->workspaceBytes());
  KernelArguments arguments;
  arguments.inputs = {images.data(), weights.data(), bias.data()};
  arguments.outputs = {result.data()};
  arguments.workspace = workspace.data();
  ThreadPool pool(workers);
  for (int stage = 0; stage < kernel->numStages(); ++stage)
    pool.run([&](int worker) { kernel->run(arguments, stage, worker); });
  return result;
}

}  // namespace

TEST_SUITE("blank windows") {
  TEST_CASE("a window of zeros gives exactly the bias, whichever kernel is chosen") {
    const std::vector<std::pair<Shape, int64_t>> cases = {
        {{3, 14, 11, 36}, 40}, {{2, 7, 9, 160}, 192}, {{2, 9, 9, 3}, 8}};
    int64_t numBlank = 0;
    for (const auto& [shape, filters] : cases) {
      const Tensor images = blankImages(shape);
      const Tensor weights = test::randomTensor({3, 3, shape.dim(3), filters}, 3);
      const Tensor bias = test::randomTensor({filters}, 4);
      const auto isZero = [&](int64_t image, int64_t row, int64_t column) {
        if (row < 0 || column < 0 || row >= shape.dim(1) || column >= shape.dim(2)) return true;
        const float* const pixel =
            images.as<float>().data() +
            ((image * shape.dim(1) + row) * shape.dim(2) + column) * shape.dim(3);
        return std::all_of(pixel, pixel + shape.dim(3), [](float value) { return value == 0; });
      };
      for (const Loops* set : usableLoops())
        for (const int workers : {1, 3}) {
          std::string name;
          const Tensor y = convolved(images, weights, bias, workers, set, name);
          INFO(name << " on " << set->name);
          int64_t numWrong = 0;
          for (int64_t image = 0; image < shape.dim(0); ++image)
            for (int64_t row = 0; row < shape.dim(1); ++row)
              for (int64_t column = 0; column < shape.dim(2); ++column) {
                bool isBlank = true;
                for (int64_t tap = 0; tap < 9; ++tap)
                  isBlank &= isZero(image, row + tap / 3 - 1, column + tap % 3 - 1);
                if (!isBlank) continue;
                ++numBlank;
                for (int64_t k = 0; k < filters; ++k)
                  numWrong +=
                      y.as<float>()
                          .data()[((image * shape.dim(1) + row) * shape.dim(2) + column) * filters +
                                  k] != bias.as<float>().data()[k];
              }
          CHECK(numWrong == 0);
        }
    }
    CHECK(numBlank > 100);
  }
}
