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

/// A 3x3 convolution that keeps the size of the images, or its gradient for the data, in which
/// `images` are the gradients of the outputs.
struct Case {
  const char* op;
  Shape images;
  int64_t made, slices = 1;
  bool isForward() const { return op == std::string_view("conv2d"); }
};

Tensor run(const Case& of, const std::vector<Tensor>& inputs, int workers, const Loops* set,
           std::string& implementation) {
  const OpDef& op = opNamed(of.op);
  cpu::KernelSetup setup;
  setup.op = op.name;
  setup.layer = "layer";
  for (const Tensor& input : inputs)
    setup.inputs.push_back(input.type());
  for (const char* name : {"padding_before", "padding_after"})
    setup.attributes.set(name, Ints{1, 1});
  if (!of.isForward())
    setup.attributes.set("input_shape", Ints{of.images[0], of.images[1], of.images[2], of.made});
  for (const AttributeSpec& spec : op.attributes)
    if (!setup.attributes.has(spec.name)) setup.attributes.set(spec.name, spec.defaultValue);
  setup.outputs = op.infer(ShapeContext{op, setup.inputs, setup.attributes});
  setup.numWorkers = workers;
  setup.slices = of.slices;
  setup.loops = set;
  const auto kernel = cpu::createKernel(setup);
  implementation = kernel->implementation();
  Tensor result(setup.outputs[0]);
  AlignedBytes workspace(kernel->workspaceBytes());
  KernelArguments arguments;
  for (const Tensor& input : inputs)
    arguments.inputs.push_back(input.data());
  arguments.outputs = {result.data()};
  arguments.workspace = workspace.data();
  ThreadPool pool(workers);
  for (int stage = 0; stage < kernel->numStages(); ++stage)
    pool.run([&](int worker) { kernel->run(arguments, stage, worker); });
  return result;
}

/// Returns whether all channels of a pixel are 0. Pixels outside the image are.
bool isBlank(const Tensor& images, int64_t image, int64_t row, int64_t column) {
  const Shape& shape = images.shape();
  if (row < 0 || column < 0 || row >= shape[1] || column >= shape[2]) return true;
  const float* const pixel =
      images.as<float>().data() + ((image * shape[1] + row) * shape[2] + column) * shape[3];
  return std::all_of(pixel, pixel + shape[3], [](float value) { return value == 0; });
}

/// Returns how many outputs have a window of zeros, and how many of them are not exactly `bias`, or
/// 0 if it is empty.
std::pair<int64_t, int64_t> countBlank(const Tensor& images, const Tensor& made,
                                       std::span<const float> bias) {
  const Shape& shape = made.shape();
  int64_t numBlank = 0, numWrong = 0;
  const float* pixel = made.as<float>().data();
  for (int64_t image = 0; image < shape[0]; ++image)
    for (int64_t row = 0; row < shape[1]; ++row)
      for (int64_t column = 0; column < shape[2]; ++column, pixel += shape[3]) {
        bool isAllBlank = true;
        for (int64_t tap = 0; tap < 9; ++tap)
          isAllBlank &= isBlank(images, image, row + tap / 3 - 1, column + tap % 3 - 1);
        if (!isAllBlank) continue;
        ++numBlank;
        for (int64_t k = 0; k < shape[3]; ++k)
          numWrong += pixel[k] != (bias.empty() ? 0.0f : bias[static_cast<size_t>(k)]);
      }
  return {numBlank, numWrong};
}

}  // namespace

TEST_SUITE("blank windows") {
  TEST_CASE("a window of zeros gives exactly the bias, whichever kernel is chosen") {
    const Case cases[] = {{"conv2d", {3, 14, 11, 36}, 40},
                          {"conv2d", {2, 7, 9, 160}, 192},
                          {"conv2d", {3, 14, 11, 36}, 152, 2},
                          {"conv2d", {2, 7, 9, 160}, 192, 2},
                          {"conv2d_backward_data", {3, 14, 11, 36}, 40},
                          {"conv2d_backward_data", {2, 7, 9, 192}, 160},
                          {"conv2d", {2, 9, 9, 3}, 8}};
    int numTiles = 0, numDeep = 0;
    for (const Case& each : cases) {
      const int64_t channels = each.images[3];
      std::vector<Tensor> inputs{blankImages(each.images)};
      inputs.push_back(test::randomTensor(
          each.isForward() ? Shape{3, 3, channels, each.made} : Shape{3, 3, each.made, channels},
          3));
      if (each.isForward()) inputs.push_back(test::randomTensor({each.made}, 4));
      const auto bias =
          each.isForward() ? std::as_const(inputs[2]).as<float>() : std::span<const float>();
      for (const Loops* set : usableLoops())
        for (const int workers : {1, 3}) {
          std::string name;
          const Tensor made = run(each, inputs, workers, set, name);
          INFO(each.op << " by " << name << " on " << set->name);
          numDeep += name.starts_with("winograd by channels");
          numTiles += name.starts_with("winograd ") && !name.starts_with("winograd by");
          const auto [numBlank, numWrong] = countBlank(inputs[0], made, bias);
          CHECK(numBlank > 10);
          CHECK(numWrong == 0);
        }
    }
    if (usableLoops().back()->width < 8) return;
    CHECK(numTiles > 0);
    CHECK(numDeep > 0);
  }
}
