// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/program.h"

#include <doctest/doctest.h>

#include <cmath>
#include <thread>

#include "gpu/autodiff/autodiff.h"
#include "gpu/base/error.h"
#include "gpu/base/rng.h"
#include "gpu/cpu/thread_pool.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"
#include "gpu/reference/reference_backend.h"

using namespace strata;

namespace {

std::unique_ptr<Backend> reference(int threads) {
  DeviceOptions options;
  options.threads = threads;
  return makeReferenceBackend(options);
}

Tensor randomTensor(TensorType type, uint64_t seed) {
  Tensor result(type);
  RandomStream random(seed, streamOf("tensor"));
  for (float& x : result.as<float>()) x = random.uniform() - 0.5f;
  return result;
}

/// w -= rate * sum over the batch of x: state, an input and an output.
Graph tinyGraph(int64_t batch) {
  Graph g;
  const ValueId x = g.addInput("x", {DType::F32, {batch, 4}});
  const ValueId rate = g.addInput("rate", {DType::F32, {}});
  const ValueId w = g.addVariable("w", {DType::F32, {4}}, Category::Parameter, true);
  ValueId loss, gradient;
  {
    const Scope scope(g, "layer", Phase::Forward, Category::Activation);
    loss = sumAll(g, multiply(g, x, w));
  }
  {
    const Scope scope(g, "layer", Phase::Backward, Category::Gradient);
    gradient = reduceSum(g, x, {0});
  }
  {
    const Scope scope(g, "layer", Phase::Update, Category::Parameter);
    g.setNext("w", update(g, "sgd_update", {w, gradient, rate}, {}).front());
  }
  g.addOutput("loss", loss);
  return g;
}

}  // namespace

TEST_SUITE_BEGIN("program");

TEST_CASE("a step reads inputs, updates state and leaves outputs; programs of other batch sizes share the state") {
  for (int workers : {1, 2, 3}) {
    auto backend = reference(workers);
    State state;
    auto full = Program::build(tinyGraph(8), *backend, state);
    auto ragged = Program::build(tinyGraph(3), *backend, state);
    full->bind();
    ragged->bind();
    CHECK(state.names() == std::vector<std::string>{"w"});
    state.write("w", Tensor::from<float>({4}, std::vector<float>{1, 2, 3, 4}));
    std::vector<float> expected{1, 2, 3, 4};
    for (int step = 0; step < 4; ++step) {
      Program& program = step % 2 ? *ragged : *full;
      const int64_t batch = step % 2 ? 3 : 8;
      const Tensor x = randomTensor({DType::F32, {batch, 4}}, static_cast<uint64_t>(step));
      program.writeInput("x", x);
      program.writeInput("rate", Tensor::scalar(0.5f));
      double loss = 0;
      for (int64_t i = 0; i < batch * 4; ++i) loss += x.as<float>()[static_cast<size_t>(i)] * expected[static_cast<size_t>(i % 4)];
      CHECK(program.run() == Program::Outcome::Done);
      CHECK(program.readOutput("loss").as<float>()[0] == doctest::Approx(loss).epsilon(1e-5));
      for (size_t j = 0; j < 4; ++j) {
        double sum = 0;
        for (int64_t i = 0; i < batch; ++i) sum += x.as<float>()[static_cast<size_t>(i * 4) + j];
        expected[j] -= static_cast<float>(0.5 * sum);
        CHECK(state.read("w").as<float>()[j] == doctest::Approx(expected[j]).epsilon(1e-5));
      }
    }
  }
}

TEST_SUITE_END();
