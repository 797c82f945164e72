// SPDX-License-Identifier: Apache-2.0
// Tests that compiling can be stopped quickly at any stage: lowering, passes, memory planning and
// creation of kernels.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/train/network.h"
#include "core/train/session.h"
#include "gpu/base/error.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

Project thousandLayers() {
  Json list = Json::array();
  list.push_back({{"type", "Input"}, {"name", "x"}, {"shape", {8, 8, 16}}});
  for (int i = 0; i < 333; ++i) {
    const std::string number = std::to_string(i);
    list.push_back({{"type", "Conv2D"},
                    {"name", "conv" + number},
                    {"filters", 16},
                    {"kernel_size", {3, 3}},
                    {"padding", "same"}});
    list.push_back({{"type", "BatchNormalization"}, {"name", "norm" + number}});
    list.push_back({{"type", "Activation"}, {"name", "relu" + number}, {"activation", "relu"}});
  }
  list.push_back({{"type", "GlobalAveragePooling2D"}, {"name", "pool"}});
  list.push_back({{"type", "Dense"}, {"name", "out"}, {"units", 10}, {"activation", "softmax"}});
  Json document = smallProject().document();
  document["data"]["source"] = {
      {"type", "random"}, {"samples", 100}, {"shape", {8, 8, 16}}, {"classes", 10}, {"seed", 4}};
  document["model"]["layers"] = list;
  return Project(std::move(document), "");
}

double milliseconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}
double cpuMilliseconds(pthread_t thread) {
  clockid_t clock{};
  timespec time{};
  pthread_getcpuclockid(thread, &clock);
  clock_gettime(clock, &time);
  return milliseconds(time);
}

struct Ended {
  bool isStopped = false;
  // The time from the request to the end, in milliseconds of real time and of processor time of the
  // thread.
  double wall = 0, cpu = 0;
  // The processor time of the thread for the whole call, in milliseconds.
  double all = 0;
};

/// Compiles the project, and requests a stop when the compiling thread has worked for `after`
/// milliseconds.
Ended compileFor(const Project& project, double after) {
  std::stop_source stop;
  std::atomic<double> asked{-1};
  std::atomic<bool> isDone{false};
  std::chrono::steady_clock::time_point askedAt;
  Ended result;
  std::thread compiling([&] {
    const double start = cpuMilliseconds(pthread_self());
    try {
      NetworkOptions options;
      options.device = "cpu";
      options.threads = 1;
      options.stop = stop.get_token();
      Network network(project, options);
      const std::vector<int64_t> train{32}, none;
      network.prepare(train, none);
    }
    catch (const Error& error) {
      result.isStopped = error.code() == ErrorCode::Stopped;
    }
    const double end = cpuMilliseconds(pthread_self());
    result.all = end - start;
    if (asked >= 0) {
      result.cpu = end - asked;
      result.wall =
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - askedAt)
              .count();
    }
    isDone = true;
  });
  const pthread_t handle = compiling.native_handle();
  while (!isDone && cpuMilliseconds(handle) < after)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  if (!isDone) {
    askedAt = std::chrono::steady_clock::now();
    asked = cpuMilliseconds(handle);
    stop.request_stop();
  }
  compiling.join();
  return result;
}

}  // namespace

TEST_SUITE("cancel") {
  TEST_CASE(
      "compiling a thousand layers stops within a tenth of a second after the request, at any "
      "stage") {
    const Project project = thousandLayers();
    const Ended whole = compileFor(project, 1e9);
    CHECK(!whole.isStopped);
    double longest = 0, longestWall = 0;
    int stopped = 0;
    constexpr int kPlaces = 24;
    // The limit is in milliseconds of processor time.
    constexpr double kLongest = 100;
    for (int i = 0; i < kPlaces; ++i) {
      const auto at = [&] {
        return compileFor(project, whole.all * (i + 0.5) / kPlaces);
      };
      Ended ended = at();
      // On a busy machine the work may briefly take ten times as long. A stage that ignores the
      // stop takes long every time, so the shortest of several attempts counts.
      for (int again = 0; again < 5 && ended.isStopped && ended.cpu >= kLongest; ++again)
        if (const Ended other = at(); other.isStopped && other.cpu < ended.cpu) ended = other;
      if (!ended.isStopped) continue;
      ++stopped;
      longest = std::max(longest, ended.cpu);
      longestWall = std::max(longestWall, ended.wall);
    }
    MESSAGE("1002 layers compile in " << whole.all << " ms; ended at " << stopped
                                      << " places, at most " << longest << " ms of work later ("
                                      << longestWall << " ms by the clock)");
    CHECK(stopped > kPlaces / 2);
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CHECK(longest < kLongest);
#endif
  }

  TEST_CASE("a session that is stopped while it prepares ends as stopped") {
    SessionOptions options = optionsFor(thousandLayers());
    options.device = "cpu";
    Recorder recorder;
    TrainingSession session(std::move(options), recorder);
    session.start();
    std::this_thread::sleep_for(20ms);
    session.stop();
    const RunOutcome outcome = session.wait();
    CHECK(outcome.outcome == Outcome::Stopped);
    CHECK(!outcome.error);
    CHECK(outcome.steps == 0);
    CHECK(recorder.outcomes == 1);
  }
}
