// SPDX-License-Identifier: Apache-2.0
// Tests the memory of training steps of the example projects. Canaries must stay intact, the
// predicted peak must be exact, and training must allocate nothing after its first steps.
#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/compile/compile.h"
#include "core/model/model.h"
#include "core/project/project.h"
#include "gpu/base/rng.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/cpu/cpu_kernel.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/program.h"
#include "tests/support/allocation_count.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"

using namespace strata;

namespace {

constexpr int64_t kBatch = 6;

StepGraph stepOf(const std::string& name, StepMode mode, Device& backend, int64_t batch) {
  const Project project =
      loadProject((sourceDir() / "projects" / (name + ".json")).string()).value();
  Diagnostics diagnostics;
  const Model model = parseModel(project, diagnostics);
  const TrainingOptions training = parseTraining(project, diagnostics);
  StepOptions options;
  options.mode = mode;
  options.batchSize = batch;
  options.device = backend.traits();
  return buildStep(model, training, options, backend.passes());
}

void feed(Program& program) {
  for (const NamedValue& input : program.graph().inputs()) {
    Tensor value(program.graph().type(input.value));
    RandomStream random(5, streamOf(input.name));
    switch (value.dtype()) {
      case DType::F32:
        for (float& x : value.as<float>())
          x = random.uniform();
        break;
      case DType::U8:
        for (uint8_t& x : value.as<uint8_t>())
          x = static_cast<uint8_t>(random.below(256));
        break;
      case DType::I32:
        for (int32_t& x : value.as<int32_t>())
          x = static_cast<int32_t>(random.below(10));
        break;
      case DType::I64:
        for (int64_t& x : value.as<int64_t>())
          x = 1;
        break;
      case DType::F64:
      case DType::BF16:
      case DType::F16: break;
    }
    if (input.name == "learning_rate") value.as<float>()[0] = 0.01f;
    program.writeInput(input.name, value);
  }
}

struct TrainedWeights {
  std::vector<Tensor> tensors;
  bool operator==(const TrainedWeights& other) const {
    if (tensors.size() != other.tensors.size()) return false;
    for (size_t i = 0; i < tensors.size(); ++i)
      if (!tensors[i].isBitEqual(other.tensors[i])) return false;
    return true;
  }
};

/// Runs two training steps of the project and returns the state and the outputs.
TrainedWeights twoSteps(const std::string& project, const std::string& device, bool inPlace,
                        bool canaries) {
  DeviceOptions options;
  options.threads = 2;
  auto backend = openDevice(device, options);
  State state(*backend);
  const StepGraph step = stepOf(project, StepMode::Train, *backend, kBatch);
  auto program = Program::build(step.graph, *backend, state, inPlace);
  program->bind();
  initializeState(state, step, 1);
  program->setCanaries(canaries);
  feed(*program);
  for (int i = 0; i < 2; ++i)
    program->run();
  TrainedWeights result;
  for (const std::string& name : state.names())
    result.tensors.push_back(state.read(name));
  for (const NamedValue& output : program->graph().outputs())
    result.tensors.push_back(program->readOutput(output.name));
  checkMemoryPlan(program->graph(), program->memory());
  CHECK(program->memory().peakBytes() == state.allocatedBytes() + program->ownBytes());
  return result;
}

}  // namespace

TEST_SUITE_BEGIN("step_memory");

TEST_CASE(
    "example projects: canaries and in-place results change no bit, and the predicted peak is "
    "allocated") {
  for (const char* device : {"cpu", "reference"})
    for (const auto& entry : std::filesystem::directory_iterator(sourceDir() / "projects")) {
      if (entry.path().extension() != ".json") continue;
      const std::string project = entry.path().stem().string();
      CAPTURE(device);
      CAPTURE(project);
      // The loops of the reference device would take too long for this project.
      if (device == std::string("reference") && project == "mnist-resnet") continue;
      const TrainedWeights plain = twoSteps(project, device, true, false);
      CHECK(twoSteps(project, device, true, true) == plain);
      CHECK(twoSteps(project, device, false, true) == plain);
    }
}

TEST_CASE(
    "example projects: from the third step on the engine allocates nothing, with evaluation and a "
    "partial batch in between") {
  if (!test::canRun(test::whyNoAllocationCount())) return;
  for (const char* device : {"cpu", "reference"})
    for (const char* project : {"linear-regression", "mnist-mlp-128", "mnist-cnn"}) {
      CAPTURE(device);
      CAPTURE(project);
      DeviceOptions options;
      options.threads = 2;
      auto backend = openDevice(device, options);
      State state(*backend);
      const StepGraph step = stepOf(project, StepMode::Train, *backend, kBatch);
      auto full = Program::build(step.graph, *backend, state);
      auto partial =
          Program::build(stepOf(project, StepMode::Train, *backend, 2).graph, *backend, state);
      auto evaluation = Program::build(stepOf(project, StepMode::Evaluate, *backend, kBatch).graph,
                                       *backend, state);
      for (Program* program : {full.get(), partial.get(), evaluation.get()}) {
        program->bind();
        feed(*program);
      }
      initializeState(state, step, 1);
      const auto round = [&] {
        full->run();
        partial->run();
        evaluation->run();
      };
      for (int i = 0; i < 2; ++i)
        round();
      test::startCountingAllocations();
      for (int i = 0; i < 3; ++i)
        round();
      CHECK(test::stopCountingAllocations() == 0);
    }
}

namespace {

/// Wraps a kernel that calls oneDNN, and counts its allocations separately.
class ApartKernel final : public HostKernel {
 public:
  ApartKernel(std::unique_ptr<HostKernel> kernel) : m_kernel(std::move(kernel)) {}
  size_t workspaceBytes() const override { return m_kernel->workspaceBytes(); }
  int numStages() const override { return m_kernel->numStages(); }
  bool isSolo() const override { return m_kernel->isSolo(); }
  void run(const KernelArguments& arguments, int stage, int worker) const override {
    const test::CountApart apart;
    m_kernel->run(arguments, stage, worker);
  }
  std::string implementation() const override { return m_kernel->implementation(); }

 private:
  std::unique_ptr<HostKernel> m_kernel;
};

class ApartDevice final : public HostDevice {
 public:
  ApartDevice() : HostDevice({2, 0}) {}
  std::string name() const override { return "cpu"; }
  DeviceTraits traits() const override { return cpuTraits(); }
  std::vector<Pass> passes() const override { return cpuPasses(); }
  std::unique_ptr<HostKernel> createHostKernel(const Graph& graph, NodeId node) override {
    std::unique_ptr<HostKernel> kernel = createCpuKernel(graph, node, numWorkers());
    if (!kernel || !kernel->implementation().starts_with("onednn")) return kernel;
    ++numOnednn;
    return std::make_unique<ApartKernel>(std::move(kernel));
  }
  int numOnednn = 0;
};

int64_t countSteps(Program& program, int steps) {
  test::startCountingAllocations();
  for (int i = 0; i < steps; ++i)
    program.run();
  return test::stopCountingAllocations();
}

}  // namespace

TEST_CASE(
    "every workload: the engine allocates nothing from the third step on, and oneDNN's allocations "
    "do not grow") {
  if (!test::canRun(test::whyNoAllocationCount())) return;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(sourceDir() / "projects"))
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  if (const auto workloads = sharedDir() / "peers" / "workloads";
      std::filesystem::exists(workloads))
    for (const auto& entry : std::filesystem::directory_iterator(workloads))
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  Json deep =
      Json::parse(R"({"model": {"layers": [{"type": "Input", "name": "x", "shape": [5, 5, 192]},
    {"type": "Conv2D", "name": "a", "filters": 192, "kernel_size": [3, 3], "padding": "same"}, {"type": "Dropout", "name": "drop", "rate": 0.5},
    {"type": "Conv2D", "name": "b", "filters": 192, "kernel_size": [3, 3], "padding": "same"}, {"type": "GlobalAveragePooling2D", "name": "pool"},
    {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"}]},
    "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "adam", "batch_size": 4}})");
  // The empty name stands for `deep`, whose convolutions oneDNN computes.
  files.push_back("");
  int trained = 0;
  std::string counts;
  for (const std::string& file : files) {
    CAPTURE(file);
    const Project project = file.empty() ? Project(deep, "") : loadProject(file).value();
    Diagnostics diagnostics;
    const Model model = parseModel(project, diagnostics);
    const TrainingOptions training = parseTraining(project, diagnostics);
    if (std::any_of(diagnostics.begin(), diagnostics.end(),
                    [](const Diagnostic& d) { return d.severity == Severity::Error; })) {
      MESSAGE("not in this version: " << file);
      continue;
    }
    for (const MicroStep microStep : {MicroStep::Whole, MicroStep::Middle, MicroStep::Last}) {
      ApartDevice backend;
      StepOptions options;
      options.batchSize = 4;
      options.device = backend.traits();
      options.microStep = microStep;
      const StepGraph step = buildStep(model, training, options, backend.passes());
      State state(backend);
      auto program = Program::build(step.graph, backend, state);
      program->bind();
      initializeState(state, step, 1);
      feed(*program);
      for (int i = 0; i < 2; ++i)
        program->run();
      CHECK(countSteps(*program, 3) == 0);
      const int64_t first = test::allocationsApart();
      CHECK(countSteps(*program, 3) == 0);
      CHECK(test::allocationsApart() == first);
      if (microStep == MicroStep::Whole && backend.numOnednn > 0)
        counts +=
            (file.empty() ? std::string("5x5x192") : std::filesystem::path(file).stem().string()) +
            " " + std::to_string(first / 3) + " a step in " + std::to_string(backend.numOnednn) +
            " calls; ";
    }
    ++trained;
  }
  MESSAGE(trained << " networks trained; allocations of oneDNN: "
                  << (counts.empty() ? "none" : counts));
  CHECK(trained >= 9);
  if (!libraryVersions().empty() && loops().width >= 16) CHECK(!counts.empty());
}

TEST_SUITE_END();
