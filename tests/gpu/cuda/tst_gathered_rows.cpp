// SPDX-License-Identifier: Apache-2.0
// Steps on a card that gather their inputs from rows that the card keeps.
#include <doctest/doctest.h>

#include "tests/gpu/cuda/test_card.h"
#include "tests/support/guarded_step.h"

using namespace strata;

TEST_SUITE("card") {
  TEST_CASE("steps that run ahead gather the rows of their own indices") {
    const auto device = test::openTestCard();
    if (!device) return;
    constexpr int kRows = 64, kSteps = 20, kAhead = 6, kBatch = 4;
    State state(*device);
    const auto program = test::boundGuardedStep(*device, state);
    KeptRows rows;
    rows.dtype = DType::U8;
    rows.rows = kRows;
    rows.elements = 3;
    rows.scale = 0.5f;
    rows.offset = -1;
    std::vector<std::byte> values;
    for (int i = 0; i < kRows * 3; ++i)
      values.push_back(static_cast<std::byte>(i));
    rows.memory = DeviceMemory(*device, values.size());
    state.stream().upload(rows.memory.address(), values.data(), values.size());
    state.write("w", Tensor::from<float>({3}, std::vector<float>{1, 1, 1}));
    program->setScalar("rate", 0.0f);
    std::vector<Ticket> tickets;
    std::vector<int32_t> indices(kBatch);
    const auto indexOf = [](int step, int row) {
      return (step * 7 + row * 13) % kRows;
    };
    const auto take = [&](int step) {
      Ticket& ticket = tickets[static_cast<size_t>(step)];
      CHECK(ticket.wait() == StepOutcome::Done);
      float expected = 0;
      for (int row = 0; row < kBatch; ++row)
        for (int i = 0; i < 3; ++i)
          expected += static_cast<float>(indexOf(step, row) * 3 + i) * 0.5f - 1;
      CAPTURE(step);
      CHECK(ticket.result("loss")[0] == expected);
    };
    for (int step = 0; step < kSteps; ++step) {
      // The indices may change as soon as a step was submitted
      for (int row = 0; row < kBatch; ++row)
        indices[static_cast<size_t>(row)] = indexOf(step, row);
      program->gather("x", rows, indices.data());
      tickets.push_back(program->submit());
      if (step >= kAhead) take(step - kAhead);
    }
    for (int step = kSteps - kAhead; step < kSteps; ++step)
      take(step);
  }
}
