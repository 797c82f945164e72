// SPDX-License-Identifier: Apache-2.0
// Runs every row of the op table, forward and backward, as a program on a simulated card, captured
// and uncaptured, in f32, bf16 and f16. The results are compared with those of the interpreter.
// STRATA_TEST_ROWS=text runs only the rows whose name contains the text.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

#include "gpu/base/error.h"
#include "gpu/exec/program.h"
#include "gpu/graph/op.h"
#include "tests/gpu/ops/op_rows.h"
#include "tests/support/naive.h"
#include "tests/gpu/cuda/test_card.h"

TEST_SUITE_BEGIN("rows on cards");

namespace strata::test {

namespace {

// The first step has canaries, the next two run uncaptured, and the others as a graph
constexpr int kSteps = 5;

bool isChosen(const OpRow& row) {
  const char* chosen = std::getenv("STRATA_TEST_ROWS");
  return !chosen || row.name.find(chosen) != std::string::npos;
}

/// The largest difference relative to the largest magnitude, or to 1. Elements that are not finite
/// in both tensors count as equal.
double differenceOf(const Tensor& got, const Tensor& expected) {
  const Tensor a = got.converted(DType::F64), b = expected.converted(DType::F64);
  double largest = 1, worst = 0;
  for (const double value : b.as<double>())
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < a.as<double>().size(); ++i) {
    const double x = a.as<double>()[i], y = b.as<double>()[i];
    if (x == y || (!std::isfinite(x) && !std::isfinite(y))) continue;
    worst = std::max(worst, std::isfinite(x - y) ? std::abs(x - y) / largest : 1e9);
  }
  return worst;
}

void runRow(const RowRun& run, Device& device, double tolerance) {
  State state(device);
  const std::unique_ptr<Program> program = Program::build(run.graph, device, state);
  program->bind();
  const Evaluation expected = evaluateGraph(run.graph, run.inputs, run.variables);
  NamedTensors first;
  for (int step = 0; step < kSteps; ++step) {
    program->setCanaries(step == 0);
    for (const auto& [name, tensor] : run.inputs)
      program->writeInput(name, tensor);
    for (const auto& [name, tensor] : run.variables)
      state.write(name, tensor);
    REQUIRE(program->run() == Program::Outcome::Done);
    const auto compare = [&](const NamedTensors& wanted, auto&& read) {
      for (const auto& [name, tensor] : wanted) {
        CAPTURE(name);
        const Tensor got = read(name);
        CHECK(differenceOf(got, tensor) <= tolerance);
        // Captured and uncaptured steps give the same bits
        if (step == 0)
          first.emplace(name, got);
        else
          CHECK(got.isBitEqual(first.find(name)->second));
      }
    };
    compare(expected.outputs, [&](const std::string& name) { return program->readOutput(name); });
    compare(expected.variables, [&](const std::string& name) { return state.read(name); });
  }
}

}  // namespace

TEST_CASE("rows in f32 on a card agree with the interpreter") {
  const std::unique_ptr<Device> device = openTestCard();
  if (!device) return;
  int numRun = 0;
  for (const OpRow& row : opRows()) {
    if (!isChosen(row)) continue;
    CAPTURE(row.name);
    try {
      // Sums of the card are in f32, those of the interpreter in f64
      runRow(makeRowRun(row, DType::F32, true), *device, std::max(row.floatTolerance, 2e-5));
      ++numRun;
    }
    catch (const Error& error) {
      FAIL_CHECK(error.line());
    }
  }
  MESSAGE(numRun << " rows");
}

TEST_CASE("rows in bf16 and f16 on a card agree with the interpreter") {
  const std::unique_ptr<Device> device = openTestCard();
  if (!device) return;
  for (const DType dtype : {DType::BF16, DType::F16}) {
    CAPTURE(dtypeName(dtype));
    const double rounding = dtype == DType::BF16 ? 0x1p-8 : 0x1p-11;
    int numRun = 0;
    for (const OpRow& row : opRows()) {
      if (!isChosen(row)) continue;
      CAPTURE(row.name);
      std::optional<RowRun> run;
      try {
        run = makeRowRun(row, dtype, true);
      }
      catch (const Error&) {
        // An op of the row does not take the type
        continue;
      }
      if (!run->variables.empty()) continue;
      try {
        runRow(*run, *device, 4 * rounding);
        ++numRun;
      }
      catch (const Error& error) {
        FAIL_CHECK(error.line());
      }
    }
    MESSAGE(dtypeName(dtype) << ": " << numRun << " rows");
  }
}

}  // namespace strata::test

TEST_SUITE_END();
