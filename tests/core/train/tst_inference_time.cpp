// SPDX-License-Identifier: Apache-2.0
// Tests the measurement of predictions: its sizes and statistics, and that it changes no weight.
#include <doctest/doctest.h>

#include "core/check/checked_project.h"
#include "core/train/inference_time.h"
#include "tests/support/small_run.h"

namespace strata {

static NetworkOptions onOneThread() {
  NetworkOptions options;
  options.device = "cpu";
  options.threads = 1;
  return options;
}

TEST_SUITE_BEGIN("inference time");

TEST_CASE("inference time: batches of one and of several samples") {
  Network network(smallProject(), onOneThread());
  network.prepare({16}, {});
  const std::map<std::string, Tensor> before = network.state().weights();
  for (const int64_t batch : {int64_t{1}, int64_t{16}, int64_t{1000}}) {
    const InferenceTime time = inferenceTime(network, batch, 0.01);
    // At most a micro-batch
    CHECK(time.batch == std::min<int64_t>(batch, 16));
    CHECK(time.repetitions >= 5);
    CHECK(time.minSeconds > 0);
    CHECK(time.minSeconds <= time.medianSeconds);
    CHECK(time.medianSeconds <= time.maxSeconds);
    CHECK(time.samplesPerSecond() ==
          doctest::Approx(static_cast<double>(time.batch) / time.medianSeconds));
  }
  for (const auto& [name, tensor] : network.state().weights()) {
    const Tensor& old = before.at(name);
    REQUIRE(tensor.bytes() == old.bytes());
    CHECK(std::equal(tensor.data(), tensor.data() + tensor.bytes(), old.data()));
  }
}

TEST_CASE("inference time: a stop request ends the measurement") {
  Network network(smallProject(), onOneThread());
  network.prepare({16}, {});
  std::stop_source stop;
  stop.request_stop();
  try {
    (void)inferenceTime(network, 1, 1000, stop.get_token());
    FAIL("no error");
  }
  catch (const Error& error) {
    CHECK(error.code() == ErrorCode::Stopped);
  }
}

TEST_SUITE_END();

}  // namespace strata
