// SPDX-License-Identifier: Apache-2.0
// Runs the rows of the op table in bf16 and f16, forward and backward. The reference must agree
// with f32 on the same operands, and every device with the reference. Each op rounds its results,
// so the tolerance is a few roundings: 2^-8 for bf16, 2^-11 for f16, relative to the largest
// magnitude.
#include <doctest/doctest.h>

#include <cmath>

#include "gpu/base/error.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/program.h"
#include "gpu/graph/op.h"
#include "tests/gpu/ops/op_rows.h"
#include "tests/support/naive.h"

TEST_SUITE_BEGIN("low precision rows");

namespace strata::test {

namespace {

double roundingOf(DType dtype) { return dtype == DType::BF16 ? 0x1p-8 : 0x1p-11; }
// The gradient of an op is a chain of up to about ten ops
constexpr double kRoundings = 12;

/// Returns the row in this type. Returns nullopt if an op of the row does not take it, because it
/// always computes in f32 or has f32 parameters.
std::optional<RowRun> lowRun(const OpRow& row, DType dtype) {
  try {
    return makeRowRun(row, dtype, true);
  }
  catch (const Error&) {
    return std::nullopt;
  }
}

bool isUpdateRow(const RowRun& run) { return !run.variables.empty(); }

NamedTensors asF32(const NamedTensors& tensors) {
  NamedTensors result;
  for (const auto& [name, tensor] : tensors)
    result.emplace(name,
                   isLowPrecision(tensor.dtype()) ? tensor.converted(DType::F32) : Tensor(tensor));
  return result;
}

/// Returns the largest difference relative to the largest magnitude, or to 1. Elements that are not
/// finite in both tensors count as equal.
double relativeDifference(const Tensor& got, const Tensor& expected) {
  const Tensor a = got.converted(DType::F64), b = expected.converted(DType::F64);
  double largest = 1, worst = 0;
  for (const double value : b.as<double>())
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < a.as<double>().size(); ++i) {
    const double x = a.as<double>()[i], y = b.as<double>()[i];
    if (x == y || (!std::isfinite(x) && !std::isfinite(y))) continue;
    worst = std::max(worst, std::abs(x - y) / largest);
  }
  return worst;
}

/// Returns whether an op of the graph jumps where its operands change slightly.
bool jumps(const Graph& graph) {
  for (const NodeId id : graph.order()) {
    const OpRole role = graph.node(id).op->role;
    const std::string& name = graph.node(id).op->name;
    if (role == OpRole::Less || role == OpRole::LessEqual || role == OpRole::Greater ||
        role == OpRole::GreaterEqual || role == OpRole::Equal || role == OpRole::NotEqual ||
        name == "floor" || name == "sign" || name == "argmax" || name == "is_finite")
      return true;
  }
  return false;
}

}  // namespace

TEST_CASE("the reference in bf16 and f16 agrees with f32") {
  for (const DType dtype : {DType::BF16, DType::F16}) {
    int compared = 0;
    for (const OpRow& row : opRows()) {
      CAPTURE(row.name);
      const std::optional<RowRun> low = lowRun(row, dtype);
      if (!low || isUpdateRow(*low) || jumps(low->graph)) continue;
      const RowRun wide = makeRowRun(row, DType::F32, true);
      const Evaluation got = evaluateGraph(low->graph, low->inputs, low->variables),
                       expected = evaluateGraph(wide.graph, asF32(low->inputs), wide.variables);
      for (const auto& [name, tensor] : expected.outputs) {
        CAPTURE(name);
        REQUIRE(got.outputs.contains(name));
        if (!isFloating(tensor.dtype())) continue;
        CHECK(relativeDifference(got.outputs.at(name), tensor) <= kRoundings * roundingOf(dtype));
      }
      ++compared;
    }
    CHECK(compared > 100);
    MESSAGE(dtypeName(dtype) << ": " << compared << " rows");
  }
}

TEST_CASE("programs in bf16 and f16 agree with the reference on every device") {
  for (const DeviceInfo& device : listDevices()) {
    if (!device.isUsable) continue;
    for (const int threads : {1, 3}) {
      const std::unique_ptr<Device> backend = openDevice(device.name, {.threads = threads});
      CAPTURE(device.name);
      CAPTURE(threads);
      for (const DType dtype : {DType::BF16, DType::F16}) {
        CAPTURE(dtypeName(dtype));
        for (const OpRow& row : opRows()) {
          CAPTURE(row.name);
          const std::optional<RowRun> run = lowRun(row, dtype);
          if (!run || isUpdateRow(*run)) continue;
          const Evaluation expected = evaluateGraph(run->graph, run->inputs, run->variables);
          State state(*backend);
          const auto program = Program::build(run->graph, *backend, state);
          program->bind();
          program->setCanaries(true);
          NamedTensors first;
          for (int repeat = 0; repeat < 2; ++repeat) {
            for (const auto& [name, tensor] : run->inputs)
              program->writeInput(name, tensor);
            REQUIRE(program->run() == Program::Outcome::Done);
            for (const auto& [name, tensor] : expected.outputs) {
              CAPTURE(name);
              const Tensor got = program->readOutput(name);
              CHECK(relativeDifference(got, tensor) <= 4 * roundingOf(dtype));
              if (repeat == 0)
                first.emplace(name, got);
              else
                CHECK(got.isBitEqual(first.find(name)->second));
            }
          }
        }
      }
    }
  }
}

}  // namespace strata::test

TEST_SUITE_END();
