// SPDX-License-Identifier: Apache-2.0
// Measures reading a trace of the PyTorch profiler: when the first events can be drawn, when the
// whole file is read, how long a stop takes, and the most memory.
//
//     strata_trace_bench --make FILE.json MEBIBYTES     writes such a trace
//     strata_trace_bench FILE                           reads it
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "core/trace/chrome_reader.h"
#include "core/trace/trace_query.h"
#include "gpu/base/error.h"

namespace strata {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Writes steps with ops of a host thread, calls of the runtime, kernels, flows and allocations.
void makeTrace(const char* path, double bytes) {
  std::FILE* file = std::fopen(path, "wb");
  if (!file) {
    std::perror(path);
    std::exit(1);
  }
  static const char* const kOps[] = {"conv2d", "batch_norm", "relu_", "linear", "addmm", "add_"};
  double written = std::fprintf(file, "{\"schemaVersion\": 1, \"traceEvents\": [\n");
  double now = 1.7e15;
  for (long id = 1; written < bytes; ++id) {
    const char* op = kOps[id % 6];
    now += 20;
    written += std::fprintf(
        file,
        "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::%s\", \"pid\": 4711, \"tid\": 4711,"
        " \"ts\": %.3f, \"dur\": 18.211, \"args\": {\"External id\": %ld, \"Record function id\": "
        "0, \"Ev Idx\": %ld}},\n"
        "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::_%s_impl\", \"pid\": 4711, \"tid\":"
        " 4711, \"ts\": %.3f, \"dur\": 15.010, \"args\": {\"External id\": %ld, \"Ev Idx\": %ld}},"
        "\n"
        "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 4711,"
        " \"tid\": 4711, \"ts\": %.3f, \"dur\": 6.100, \"args\": {\"External id\": %ld, \"cbid\": "
        "211, \"correlation\": %ld}},\n"
        "{\"ph\": \"s\", \"id\": %ld, \"pid\": 4711, \"tid\": 4711, \"ts\": %.3f, \"cat\": "
        "\"ac2g\", \"name\": \"ac2g\"},\n",
        op, now, 2 * id, 2 * id, op, now + 2, 2 * id + 1, 2 * id + 1, now + 5, 2 * id + 1, id, id,
        now + 5);
    written += std::fprintf(
        file,
        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void at::native::vectorized_elementwise_"
        "kernel<4, at::native::%s_functor<float>, at::detail::Array<char*, 3> >(int, float)\", "
        "\"pid\": 0, \"tid\": %ld, \"ts\": %.3f, \"dur\": %.3f, \"args\": {\"External id\": %ld, "
        "\"queued\": 0, \"device\": 0, \"context\": 1, \"stream\": 7, \"correlation\": %ld, "
        "\"registers per thread\": 32, \"shared memory\": 0, \"blocks per SM\": 2.370370, "
        "\"warps per SM\": 9.481481, \"grid\": [%ld, 1, 1], \"block\": [128, 1, 1], "
        "\"est. achieved occupancy %%\": 15}},\n"
        "{\"ph\": \"f\", \"id\": %ld, \"pid\": 0, \"tid\": %ld, \"ts\": %.3f, \"cat\": \"ac2g\", "
        "\"name\": \"ac2g\", \"bp\": \"e\"},\n",
        op, 7 + id % 3, now + 30, 4.0 + static_cast<double>(id % 9), 2 * id + 1, id, 64 + id % 50,
        id, 7 + id % 3, now + 30);
  }
  std::fprintf(file,
               "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 0, \"args\": {\"name\": "
               "\"python\"}}\n]}\n");
  std::fclose(file);
}

void readTrace(const std::string& path) {
  const Clock::time_point begin = Clock::now();
  double first = -1, longest = 0, last = 0;
  size_t events = 0;
  TraceReadOptions options;
  options.onSnapshot = [&](const TracePointer& trace, double) {
    const double now = secondsSince(begin);
    if (first < 0) {
      first = now;
      events = trace->numEvents();
    }
    longest = std::max(longest, now - last);
    last = now;
  };
  const TracePointer trace = readChromeTrace(path, options);
  const double whole = secondsSince(begin);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("first snapshot %.2f s (%zu events), longest gap between snapshots %.2f s\n", first,
              events, longest);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  std::printf("complete %.2f s (processor time %.2f s), at most %ld MiB\n", whole,
              seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss / 1024);
  std::printf("%zu events, %zu links, %zu lanes\n", trace->numEvents(), trace->links.size(),
              trace->lanes.size());
  for (const TraceNote& note : trace->notes)
    std::printf("%s\n", noteText(note).c_str());
  // Near the end, a stop may come while rows and links are sorted
  for (const double part : {0.1, 0.5, 0.8, 0.85, 0.9, 0.95}) {
    std::stop_source source;
    TraceReadOptions stopped;
    stopped.stop = source.get_token();
    Clock::time_point asked;
    std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::duration<double>(part * whole));
      asked = Clock::now();
      source.request_stop();
    });
    try {
      (void)readChromeTrace(path, stopped);
    }
    catch (const Error& error) {
      if (error.code() != ErrorCode::Stopped) throw;
      std::printf("stopped after %.0f%%: took %.1f ms\n", 100 * part, 1e3 * secondsSince(asked));
    }
  }
}

}  // namespace
}  // namespace strata

int main(int count, char** words) {
  const std::string_view first = count > 1 ? words[1] : "";
  if (first == "--make" && count == 4) {
    strata::makeTrace(words[2], 1048576.0 * std::atof(words[3]));
    return 0;
  }
  if (count != 2) {
    std::fprintf(stderr, "usage: strata_trace_bench --make FILE.json MEBIBYTES | FILE\n");
    return 2;
  }
  strata::readTrace(words[1]);
  return 0;
}
