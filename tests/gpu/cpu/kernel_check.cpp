// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/cpu/kernel_check.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "gpu/base/rng.h"
#include "gpu/cpu/cpu_kernel.h"
#include "gpu/reference/evaluate.h"

namespace strata::test {

Tensor randomTensor(Shape shape, uint64_t seed, float low, float high) {
  Tensor tensor(TensorType{DType::F32, shape});
  RandomStream stream(seed, 7);
  for (float& x : tensor.as<float>())
    x = low + (high - low) * stream.uniform();
  return tensor;
}

Tensor randomLabels(Shape shape, uint64_t seed, int32_t classes) {
  Tensor tensor(TensorType{DType::I32, shape});
  RandomStream stream(seed, 8);
  for (int32_t& x : tensor.as<int32_t>())
    x = static_cast<int32_t>(stream.below(static_cast<uint32_t>(classes)));
  return tensor;
}

namespace {

/// Returns the attributes with the default value of each attribute that is missing, as a node of a
/// graph has them.
Attributes completed(const OpDef& op, Attributes attributes) {
  for (const AttributeSpec& spec : op.attributes)
    if (!attributes.has(spec.name)) attributes.set(spec.name, spec.defaultValue);
  return attributes;
}

double number(const Tensor& tensor, int64_t i) {
  return reference::readScalar(
      tensor.data() + static_cast<size_t>(i) * dtypeBytes(tensor.type().dtype),
      tensor.type().dtype);
}

std::vector<Tensor> runOnce(const HostKernel& kernel, const cpu::KernelSetup& setup,
                            const OpDef& op, std::vector<Tensor> inputs) {
  std::vector<Tensor> outputs;
  KernelArguments arguments;
  for (Tensor& input : inputs)
    arguments.inputs.push_back(input.data());
  for (const TensorType& type : setup.outputs) {
    outputs.emplace_back(type);
    // The pattern reveals elements that a kernel does not write.
    if (type.bytes() > 0) std::memset(outputs.back().data(), 0xee, type.bytes());
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    arguments.outputs.push_back(outputs[i].data());
  for (const auto& [output, input] : op.mustAlias) {
    if (static_cast<size_t>(output) >= outputs.size() ||
        static_cast<size_t>(input) >= inputs.size())
      continue;
    arguments.outputs[static_cast<size_t>(output)] = inputs[static_cast<size_t>(input)].data();
  }
  AlignedBytes workspace(kernel.workspaceBytes() + 64);
  std::memset(workspace.data(), 0xee, workspace.size());
  arguments.workspace = workspace.data();
  ThreadPool pool(setup.numWorkers);
  for (int stage = 0; stage < kernel.numStages(); ++stage)
    pool.run([&](int worker) {
      // Only worker 0 runs a solo kernel.
      if (worker == 0 || !kernel.isSolo()) kernel.run(arguments, stage, worker);
    });
  for (size_t i = 0; i < outputs.size(); ++i)
    if (arguments.outputs[i] != outputs[i].data())
      std::memcpy(outputs[i].data(), arguments.outputs[i], setup.outputs[i].bytes());
  return outputs;
}

}  // namespace

void checkKernel(const std::string& name, Attributes attributes, const std::vector<Tensor>& inputs,
                 double tolerance, bool expectOwn) {
  const OpDef& op = opNamed(name);
  attributes = completed(op, attributes);
  const std::vector<Tensor> expected = evaluateOp(op, attributes, inputs);
  for (const Loops* set : usableLoops())
    for (int workers : {1, 2, 3}) {
      cpu::KernelSetup setup;
      setup.op = name;
      setup.layer = "layer";
      for (const Tensor& input : inputs)
        setup.inputs.push_back(input.type());
      for (const Tensor& output : expected)
        setup.outputs.push_back(output.type());
      setup.attributes = attributes;
      setup.numWorkers = workers;
      setup.loops = set;
      const std::unique_ptr<HostKernel> kernel = cpu::createKernel(setup);
      INFO(name << " " << inputs[0].type().toString() << " on " << set->name << " with " << workers
                << " workers: " << kernel->implementation());
      if (expectOwn) CHECK(kernel->implementation() != "reference");
      const std::vector<Tensor> first = runOnce(*kernel, setup, op, inputs),
                                second = runOnce(*kernel, setup, op, inputs);
      REQUIRE(first.size() == expected.size());
      for (size_t i = 0; i < first.size(); ++i) {
        INFO("output " << i);
        CHECK(first[i].isBitEqual(second[i]));
        double largest = 1, worst = 0;
        int64_t where = -1;
        const int64_t count = expected[i].type().shape.numElements();
        for (int64_t e = 0; e < count; ++e)
          if (std::isfinite(number(expected[i], e)))
            largest = std::max(largest, std::fabs(number(expected[i], e)));
        for (int64_t e = 0; e < count; ++e) {
          const double want = number(expected[i], e), got = number(first[i], e);
          if (want == got || (std::isnan(want) && std::isnan(got))) continue;
          const double difference =
              std::isfinite(want) && std::isfinite(got) ? std::fabs(want - got) : INFINITY;
          if (difference > worst) {
            worst = difference;
            where = e;
          }
        }
        INFO("worst at " << where << ": got " << (where < 0 ? 0 : number(first[i], where))
                         << ", expected " << (where < 0 ? 0 : number(expected[i], where)));
        CHECK(worst <= tolerance * largest);
      }
    }
}

}  // namespace strata::test
