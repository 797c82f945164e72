// SPDX-License-Identifier: Apache-2.0
#include "gpu/reference/reordered_kernel.h"

#include "gpu/memory/plan.h"
#include "gpu/ops/layout.h"
#include "gpu/ops/registry.h"
#include "gpu/reference/low_precision_kernel.h"
#include "gpu/tensor/permute.h"

namespace strata::reference {
namespace {

/// An operand or result whose order changes, and its copy in the workspace.
struct Image {
  size_t index = 0, elementBytes = 0, offset = 0;
  // As the node has it, [N,C,H,W]
  Shape shape;
};

class ReorderedKernel final : public HostKernel {
 public:
  explicit ReorderedKernel(const KernelSetup& setup) {
    const OpDef& op = opNamed(setup.op);
    KernelSetup last = setup;
    last.attributes.remove("layout");
    if (last.attributes.has("input_shape")) {
      const Shape shape =
          asChannelsLast(setup.attributes, Shape(std::span(setup.list("input_shape"))));
      last.attributes.set("input_shape",
                          std::vector<int64_t>(shape.dims().begin(), shape.dims().end()));
    }
    for (size_t i = 0; i < setup.inputs.size(); ++i)
      if (isImageInput(op, i, setup.inputShape(i))) m_inputs.push_back(reorder(last.inputs[i], i));
    for (size_t i = 0; i < setup.outputs.size(); ++i)
      if (isImageOutput(op, setup.outputShape(i))) m_outputs.push_back(reorder(last.outputs[i], i));
    m_kernel = createKernel(last);
    m_ownBytes = m_bytes;
    m_bytes += alignedBytes(m_kernel->workspaceBytes());
  }

  size_t workspaceBytes() const override { return m_bytes; }
  int numStages() const override { return m_kernel->numStages() + 2; }
  std::string implementation() const override { return m_kernel->implementation(); }
  bool isStateless() const override { return m_kernel->isStateless(); }

  void run(const KernelArguments& arguments, int stage, int worker) const override {
    const bool isFirst = stage == 0, isLast = stage == m_kernel->numStages() + 1;
    if ((isFirst || isLast) && worker != 0) return;
    if (isFirst)
      for (const Image& image : m_inputs)
        permuteElements(arguments.inputs[image.index], image.shape, kToChannelsLast,
                        image.elementBytes, arguments.workspace + image.offset);
    if (isLast)
      for (const Image& image : m_outputs)
        permuteElements(arguments.workspace + image.offset,
                        permutedShape(image.shape, kToChannelsLast), kToChannelsFirst,
                        image.elementBytes, arguments.outputs[image.index]);
    if (isFirst || isLast) return;
    // Used again, because run() must not allocate memory
    thread_local KernelArguments own;
    own.inputs.assign(arguments.inputs.begin(), arguments.inputs.end());
    own.outputs.assign(arguments.outputs.begin(), arguments.outputs.end());
    for (const Image& image : m_inputs)
      own.inputs[image.index] = arguments.workspace + image.offset;
    for (const Image& image : m_outputs)
      own.outputs[image.index] = arguments.workspace + image.offset;
    own.workspace = arguments.workspace + m_ownBytes;
    m_kernel->run(own, stage - 1, worker);
  }

 private:
  /// Changes a type to the order of the inner kernel, and reserves memory for the copy.
  Image reorder(TensorType& type, size_t index) {
    const Image image{index, dtypeBytes(type.dtype), m_bytes, type.shape};
    type.shape = permutedShape(type.shape, kToChannelsLast);
    m_bytes += alignedBytes(type.bytes());
    return image;
  }

  std::unique_ptr<HostKernel> m_kernel;
  std::vector<Image> m_inputs, m_outputs;
  size_t m_bytes = 0, m_ownBytes = 0;
};

}  // namespace

std::unique_ptr<HostKernel> makeReordered(const KernelSetup& setup) {
  return std::make_unique<ReorderedKernel>(setup);
}

}  // namespace strata::reference
