// SPDX-License-Identifier: Apache-2.0
// Runs every row of the op table, forward and backward, as a program on every device. The results
// are compared with those of the interpreter, which stores each value separately.
#include <doctest/doctest.h>

#include "gpu/base/error.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/program.h"
#include "gpu/graph/op.h"
#include "tests/gpu/ops/op_rows.h"
#include "tests/support/naive.h"

TEST_SUITE_BEGIN("op_rows_on_devices");

namespace strata::test {

namespace {

void runRow(const OpRow& row, const RowRun& run, Device& backend) {
  State state(backend);
  const std::unique_ptr<Program> program = Program::build(run.graph, backend, state);
  program->bind();
  program->setCanaries(true);
  const Evaluation expected = evaluateGraph(run.graph, run.inputs, run.variables);
  NamedTensors first;
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (const auto& [name, tensor] : run.inputs)
      program->writeInput(name, tensor);
    for (const auto& [name, tensor] : run.variables)
      state.write(name, tensor);
    REQUIRE(program->run() == Program::Outcome::Done);
    const auto compare = [&](const NamedTensors& wanted, auto&& read) {
      for (const auto& [name, tensor] : wanted) {
        CAPTURE(name);
        const Tensor got = read(name);
        const Array reference(tensor);
        CHECK(largestDifference(Array(got), reference) <= row.floatTolerance * scaleOf(reference));
        // Every run gives the same bits.
        if (repeat == 0)
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

TEST_CASE("programs of every row agree with the interpreter on every device") {
  for (const DeviceInfo& device : listDevices()) {
    if (!device.isUsable) continue;
    for (const int threads : {1, 2, 3}) {
      const std::unique_ptr<Device> backend = openDevice(device.name, {.threads = threads});
      CAPTURE(device.name);
      CAPTURE(threads);
      for (const OpRow& row : opRows()) {
        CAPTURE(row.name);
        runRow(row, makeRowRun(row, DType::F32, true), *backend);
        // f64 always uses the reference kernels, so one number of threads is enough.
        if (threads == 2) runRow(row, makeRowRun(row, DType::F64, true), *backend);
      }
    }
  }
}

}  // namespace strata::test

TEST_SUITE_END();
