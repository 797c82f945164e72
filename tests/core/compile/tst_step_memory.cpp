// SPDX-License-Identifier: Apache-2.0
// Rule 13 on the steps of the example projects: canaries, the predicted peak, and no allocation while training.
#include <doctest/doctest.h>

#include "core/compile/compile.h"
#include "core/model/model.h"
#include "core/project/project.h"
#include "gpu/base/rng.h"
#include "gpu/exec/program.h"
#include "tests/support/allocation_count.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

constexpr int64_t kBatch = 6;

StepGraph stepOf(const std::string& name, StepMode mode, Backend& backend, int64_t batch) {
  const Project project = loadProject((sourceDir() / "projects" / (name + ".json")).string()).value();
  Diagnostics diagnostics;
  const Model model = parseModel(project, diagnostics);
  const TrainingOptions training = parseTraining(project, diagnostics);
  StepOptions options;
  options.mode = mode;
  options.batchSize = batch;
  return buildStep(model, training, options, backend.passes());
}

void feed(Program& program) {
  for (const NamedValue& input : program.graph().inputs()) {
    Tensor value(program.graph().type(input.value));
    RandomStream random(5, streamOf(input.name));
    switch (value.dtype()) {
      case DType::F32:
        for (float& x : value.as<float>()) x = random.uniform();
        break;
      case DType::U8:
        for (uint8_t& x : value.as<uint8_t>()) x = static_cast<uint8_t>(random.below(256));
        break;
      case DType::I32:
        for (int32_t& x : value.as<int32_t>()) x = static_cast<int32_t>(random.below(10));
        break;
      case DType::I64:
        for (int64_t& x : value.as<int64_t>()) x = 1;
        break;
      case DType::F64: break;
    }
    if (input.name == "learning_rate") value.as<float>()[0] = 0.01f;
    program.writeInput(input.name, value);
  }
}

struct Outcome {
  std::vector<Tensor> tensors;
  bool operator==(const Outcome& other) const {
    if (tensors.size() != other.tensors.size()) return false;
    for (size_t i = 0; i < tensors.size(); ++i)
      if (!tensors[i].isBitEqual(other.tensors[i])) return false;
    return true;
  }
};

/// Two steps; state and outputs afterwards.
Outcome twoSteps(const std::string& project, const std::string& device, bool inPlace, bool canaries) {
  DeviceOptions options;
  options.threads = 2;
  auto backend = openDevice(device, options);
  State state;
  const StepGraph step = stepOf(project, StepMode::Train, *backend, kBatch);
  auto program = Program::build(step.graph, *backend, state, inPlace);
  initializeState(state, step, 1);
  program->bind();
  program->setCanaries(canaries);
  feed(*program);
  for (int i = 0; i < 2; ++i) program->run();
  Outcome result;
  for (const std::string& name : state.names()) result.tensors.push_back(state.read(name));
  for (const NamedValue& output : program->graph().outputs()) result.tensors.push_back(program->readOutput(output.name));
  checkMemoryPlan(program->graph(), program->memory());
  CHECK(program->memory().peakBytes() == state.allocatedBytes() + program->ownBytes());
  return result;
}

}  // namespace

TEST_SUITE_BEGIN("step_memory");

TEST_CASE("example projects: canaries and in-place change no bit, and the predicted peak is what is allocated") {
  for (const char* device : {"cpu", "reference"})
    for (const char* project : {"linear-regression", "mnist-mlp-128", "lenet5", "mnist-cnn", "random-integers"}) {
      CAPTURE(device);
      CAPTURE(project);
      const Outcome plain = twoSteps(project, device, true, false);
      CHECK(twoSteps(project, device, true, true) == plain);
      CHECK(twoSteps(project, device, false, true) == plain);
    }
}

TEST_CASE("example projects: from the third step on the engine allocates nothing, with evaluation and a partial batch in between") {
  if (!test::canCountAllocations()) return;
  for (const char* device : {"cpu", "reference"})
    for (const char* project : {"linear-regression", "mnist-mlp-128", "mnist-cnn"}) {
      CAPTURE(device);
      CAPTURE(project);
      DeviceOptions options;
      options.threads = 2;
      auto backend = openDevice(device, options);
      State state;
      const StepGraph step = stepOf(project, StepMode::Train, *backend, kBatch);
      auto full = Program::build(step.graph, *backend, state);
      auto partial = Program::build(stepOf(project, StepMode::Train, *backend, 2).graph, *backend, state);
      auto evaluation = Program::build(stepOf(project, StepMode::Evaluate, *backend, kBatch).graph, *backend, state);
      initializeState(state, step, 1);
      for (Program* program : {full.get(), partial.get(), evaluation.get()}) {
        program->bind();
        feed(*program);
      }
      const auto round = [&] {
        full->run();
        partial->run();
        evaluation->run();
      };
      for (int i = 0; i < 2; ++i) round();
      test::startCountingAllocations();
      for (int i = 0; i < 3; ++i) round();
      CHECK(test::stopCountingAllocations() == 0);
    }
}

TEST_SUITE_END();
