// SPDX-License-Identifier: Apache-2.0
// Tests that a State hides how a device stores variables: other orders of axes, and 16-bit copies.
#include <doctest/doctest.h>

#include "gpu/base/error.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/state.h"
#include "gpu/graph/op.h"
#include "gpu/tensor/permute.h"
#include "tests/gpu/cuda/test_card.h"

using namespace strata;

namespace {

/// A graph with a weight [R,S,C,K] that is stored as [K,R,S,C], and its 16-bit copy.
Graph storedWeight(bool hasCopy = true) {
  Graph graph;
  graph.addVariable("w", {DType::F32, {2, 3, 1, 4}}, Category::Parameter, true);
  graph.addVariable("m", {DType::F32, {5}}, Category::Optimizer, false);
  graph.edit().reorderVariable("w", {3, 0, 1, 2});
  if (!hasCopy) return graph;
  const ValueId copy =
      graph.addVariable("w:bf16", {DType::BF16, {4, 2, 3, 1}}, Category::Parameter, false);
  Attributes& attributes = graph.edit().mutableNode(graph.value(copy).producer).attributes;
  attributes.set("axes", std::vector<int64_t>{3, 0, 1, 2});
  attributes.set("copy_of", std::string("w"));
  return graph;
}

Tensor countedWeight() {
  Tensor result(DType::F32, {2, 3, 1, 4});
  for (size_t i = 0; i < result.as<float>().size(); ++i)
    result.as<float>()[i] = 1.0f + 0.001f * static_cast<float>(i);
  return result;
}

/// Returns the bytes of a variable as the device has them.
Tensor storedBytes(State& state, const std::string& name, TensorType type) {
  Tensor result(type);
  state.stream().download(result.data(), state.address(name), result.bytes());
  return result;
}

void checkStored(Device& device) {
  State state(device);
  state.ensureVariables(storedWeight());
  CHECK(state.type("w") == TensorType{DType::F32, {2, 3, 1, 4}});
  CHECK(state.names() == std::vector<std::string>{"m", "w"});
  const Tensor w = countedWeight();
  state.write("w", w);
  CHECK(state.read("w").isBitEqual(w));
  Tensor expected(DType::F32, {4, 2, 3, 1});
  permuteElements(w.data(), w.shape(), std::vector<int64_t>{3, 0, 1, 2}, sizeof(float),
                  expected.data());
  CHECK(storedBytes(state, "w", expected.type()).isBitEqual(expected));
  // Writing the weight writes its copy
  CHECK(storedBytes(state, "w:bf16", {DType::BF16, {4, 2, 3, 1}})
            .isBitEqual(expected.converted(DType::BF16)));
  const Snapshot snapshot = state.snapshot();
  REQUIRE(snapshot.views().size() == 2);
  const TensorView& view = snapshot.views().at("w");
  CHECK(view.type == w.type());
  CHECK(std::equal(w.data(), w.data() + w.bytes(), view.data));
}

/// Checks a 16-bit copy that has the columns of two weights.
void checkJoinedCopy(Device& device) {
  Graph graph;
  graph.addVariable("a", {DType::F32, {2, 3}}, Category::Parameter, true);
  graph.addVariable("b", {DType::F32, {2, 1, 2}}, Category::Parameter, true);
  const ValueId copy = graph.addVariable("both", {DType::BF16, {2, 5}}, Category::Parameter, false);
  graph.edit()
      .mutableNode(graph.value(copy).producer)
      .attributes.set("copy_of", std::string("a\nb"));
  State state(device);
  state.ensureVariables(graph);
  CHECK(state.names() == std::vector<std::string>{"a", "b"});
  const auto counted = [](Shape shape, float first) {
    Tensor result(DType::F32, shape);
    for (float& each : result.as<float>())
      each = first++;
    return result;
  };
  const auto checkBytes = [&](const std::vector<float>& expected) {
    const Tensor got = storedBytes(state, "both", {DType::BF16, {2, 5}}).converted(DType::F32);
    CHECK(std::equal(expected.begin(), expected.end(), got.as<float>().begin()));
  };
  state.write("b", counted({2, 1, 2}, 10));
  checkBytes({0, 0, 0, 10, 11, 0, 0, 0, 12, 13});
  state.write("a", counted({2, 3}, 1));
  checkBytes({1, 2, 3, 10, 11, 4, 5, 6, 12, 13});
  CHECK(state.read("a").isBitEqual(counted({2, 3}, 1)));
}

}  // namespace

TEST_SUITE("state") {
  TEST_CASE("a copy has the columns of several variables") {
    checkJoinedCopy(*openDevice("cpu", {1, 0}));
    checkJoinedCopy(*openDevice("detached", {1, 0}));
    if (const auto card = test::openTestCard()) checkJoinedCopy(*card);
  }

  TEST_CASE("variables with another order of axes are read and written in the order of files") {
    checkStored(*openDevice("cpu", {1, 0}));
    checkStored(*openDevice("detached", {1, 0}));
    if (const auto card = test::openTestCard()) checkStored(*card);
  }

  TEST_CASE("a copy that is added later has the value of its variable") {
    const auto device = openDevice("detached", {1, 0});
    State state(*device);
    state.ensureVariables(storedWeight(false));
    const Tensor w = countedWeight();
    state.write("w", w);
    state.ensureVariables(storedWeight());
    CHECK(state.read("w").isBitEqual(w));
    Tensor expected(DType::F32, {4, 2, 3, 1});
    permuteElements(w.data(), w.shape(), std::vector<int64_t>{3, 0, 1, 2}, sizeof(float),
                    expected.data());
    CHECK(storedBytes(state, "w:bf16", {DType::BF16, {4, 2, 3, 1}})
              .isBitEqual(expected.converted(DType::BF16)));
  }

  TEST_CASE("programs that use a variable in different orders are refused") {
    const auto device = openDevice("cpu", {1, 0});
    State state(*device);
    Graph first = storedWeight();
    Graph other;
    other.addVariable("w", {DType::F32, {2, 3, 1, 4}}, Category::Parameter, true);
    // Graphs that do not use a variable leave its order to others
    state.ensureVariables(other);
    const Tensor w = countedWeight();
    state.write("w", w);
    first.addOutput("y", first.findVariable("w")->value);
    state.ensureVariables(first);
    CHECK(state.read("w").isBitEqual(w));
    state.ensureVariables(other);
    other.addOutput("y", other.findVariable("w")->value);
    CHECK_THROWS_AS(state.ensureVariables(other), Error);
  }

  TEST_CASE("a graph that changes a variable without its 16-bit copy is refused") {
    const auto device = openDevice("cpu", {1, 0});
    State state(*device);
    state.ensureVariables(storedWeight());
    Graph other = storedWeight(false);
    const ValueId w = other.findVariable("w")->value;
    other.setNext("w", other.add(opNamed("negate"), {w}));
    CHECK_THROWS_AS(state.ensureVariables(other), Error);
  }
}
