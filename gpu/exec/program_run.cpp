// SPDX-License-Identifier: Apache-2.0
// Runs one step of a program. Each worker executes its share of all instructions in order, and
// waits at the barriers that placeBarriers() has set.
#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "gpu/base/clock.h"
#include "gpu/base/error.h"
#include "gpu/exec/program_impl.h"
#include "gpu/graph/op.h"

namespace strata {
namespace {

constexpr int kNever = std::numeric_limits<int>::max();
// Bytes with this value form a NaN in every floating-point type
constexpr int kCanary = 0xFF;

/// Lowers `value` to `wanted` if it is larger. Several workers may call this at the same time.
void lower(std::atomic<int>& value, int wanted) {
  int current = value.load(std::memory_order_relaxed);
  while (wanted < current &&
         !value.compare_exchange_weak(current, wanted, std::memory_order_relaxed)) {
  }
}

}  // namespace

// Runs the share of one worker. Each worker counts the barriers that it passes. A worker that wants
// to stop writes the number of the next barrier to stopAt before it arrives there. All workers
// check stopAt after each barrier. A slow worker that checks after barrier n may already read n +
// 1. It then correctly continues.
template <bool kInstrumented>
void Program::Impl::work(const std::stop_token& stop, int worker) {
  SpinBarrier& barrier = backend->pool().barrier();
  WorkerFailure& failure = failures[static_cast<size_t>(worker)];
  int passed = 0;
  const auto waitAtBarrier = [&](bool mayStop) {
    ++passed;
    if (worker == 0 && mayStop && stop.stop_requested()) lower(stopAt, passed);
    if (!areAllSolo) barrier.wait();
    return stopAt.load(std::memory_order_relaxed) > passed;
  };
  Clock::time_point started{}, phaseStarted{};
  size_t phase = instructions.empty() ? 0 : static_cast<size_t>(instructions.front().phase);
  if (worker == 0) phaseStarted = started = Clock::now();

  const int count = static_cast<int>(instructions.size()), firstStateWrite = layout.firstStateWrite;
  for (int i = 0; i < count; ++i) {
    const Instruction& instruction = instructions[static_cast<size_t>(i)];
    // Instrumented steps have a barrier after each instruction. With canaries they need a second
    // one here, because worker 0 fills unused bytes between the two.
    if (kInstrumented ? hasCanaries : instruction.hasBarrier)
      if (!waitAtBarrier(i <= firstStateWrite)) return;
    if (worker == 0) {
      if constexpr (kInstrumented) {
        if (hasCanaries) started = Clock::now();
      }
      if (static_cast<size_t>(instruction.phase) != phase) {
        const auto now = Clock::now();
        phases[phase] += now - phaseStarted;
        phaseStarted = now;
        phase = static_cast<size_t>(instruction.phase);
      }
    }
    const int stages = instruction.apply && *instruction.apply == 0 ? 0 : instruction.numStages;
    for (int stage = 0; stage < stages; ++stage) {
      if (stage > 0 && !waitAtBarrier(i < firstStateWrite)) return;
      // Continue to the next barrier, where all workers leave
      if (failure.exception) continue;
      try {
        instruction.kernel->run(instruction.arguments, stage, worker);
      }
      catch (...) {
        failure = {std::current_exception(), i};
        lower(stopAt, passed + 1);
      }
    }
    if constexpr (kInstrumented) {
      if (!waitAtBarrier(i < firstStateWrite)) return;
      if (worker == 0) {
        const auto now = Clock::now();
        nodeTimes[static_cast<size_t>(i)] += now - started;
        started = now;
        if (hasCanaries) {
          try {
            checkCanaries(static_cast<size_t>(i));
          }
          catch (...) {
            failure = {std::current_exception(), i};
            lower(stopAt, passed + 1);
          }
          fillDead(deadAfter[static_cast<size_t>(i)]);
        }
      }
    }
  }
  if (worker == 0) phases[phase] += Clock::now() - phaseStarted;
}

Program::Outcome Program::Impl::runStep(const std::stop_token& stop) {
  phases.fill(std::chrono::nanoseconds(0));
  if (stop.stop_requested()) return Outcome::Stopped;
  stopAt.store(kNever, std::memory_order_relaxed);
  const bool isInstrumented = isProfiling || hasCanaries;
  if (hasCanaries && arena) fillDead({{0, plan.transientBytes}});
  backend->pool().run(
      [&](int worker) {
        if (isInstrumented)
          work<true>(stop, worker);
        else
          work<false>(stop, worker);
      },
      areAllSolo);
  const WorkerFailure* first = nullptr;
  for (const WorkerFailure& failure : failures)
    if (failure.exception && (!first || failure.instruction < first->instruction)) first = &failure;
  if (first) {
    const WorkerFailure failure = *first;
    std::fill(failures.begin(), failures.end(), WorkerFailure{});
    rethrow(failure);
  }
  if (stopAt.load(std::memory_order_relaxed) != kNever) return Outcome::Stopped;
  if (guard && *guard == 0) return Outcome::NonFinite;
  if (isInstrumented) ++profiledSteps;
  return Outcome::Done;
}

void Program::Impl::rethrow(const WorkerFailure& failure) const {
  const Node& node = graph.node(graph.order()[static_cast<size_t>(
      instructions[static_cast<size_t>(failure.instruction)].position)]);
  const std::string subject = node.layer.empty() ? node.op->name : node.layer;
  try {
    std::rethrow_exception(failure.exception);
  }
  catch (const Error& error) {
    if (!error.subject().empty()) throw;
    throw Error(error.code(), subject, error.what(), error.where());
  }
  catch (const std::bad_alloc&) {
    throw Error(ErrorCode::OutOfMemory, subject,
                "op \"" + node.op->name + "\" ran out of memory. Use a smaller batch or network.");
  }
  catch (const std::exception& error) {
    throw Error(
        ErrorCode::DeviceFailure, subject,
        "op \"" + node.op->name + "\" failed: " + error.what() + ". Try --device reference.");
  }
}

void Program::Impl::makeCanaries() {
  deadDuring.clear();
  deadAfter.clear();
  const auto complement = [&](auto&& isLive) {
    std::vector<ByteRange> live, dead;
    for (const Storage& storage : plan.storages)
      if (storage.lane == Storage::Lane::Transient && storage.bytes > 0 && isLive(storage))
        live.push_back({storage.offset, storage.offset + storage.bytes});
    std::sort(live.begin(), live.end(),
              [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
    size_t at = 0;
    for (const ByteRange& range : live) {
      if (range.begin > at) dead.push_back({at, range.begin});
      at = std::max(at, range.end);
    }
    if (at < plan.transientBytes) dead.push_back({at, plan.transientBytes});
    return dead;
  };
  const int last = static_cast<int>(graph.order().size()) - 1;
  for (const Instruction& instruction : instructions) {
    const int now = instruction.position;
    deadDuring.push_back(
        complement([&](const Storage& s) { return s.begin <= now && s.end >= now; }));
    deadAfter.push_back(complement(
        [&](const Storage& s) { return s.begin <= now && (s.end > now || s.end == last); }));
  }
}

void Program::Impl::fillDead(const std::vector<ByteRange>& ranges) const {
  for (const ByteRange& range : ranges)
    std::memset(arena + range.begin, kCanary, range.end - range.begin);
}

void Program::Impl::checkCanaries(size_t index) const {
  for (const ByteRange& range : deadDuring[index])
    for (size_t at = range.begin; at < range.end; ++at)
      if (arena[at] != std::byte{kCanary}) {
        const Instruction& instruction = instructions[index];
        const Node& node = graph.node(graph.order()[static_cast<size_t>(instruction.position)]);
        throw Error(ErrorCode::Internal, node.layer,
                    "op \"" + node.op->name + "\" (" + instruction.kernel->implementation() +
                        ") wrote byte " + std::to_string(at) +
                        " of the arena, which is outside its operands.");
      }
}

}  // namespace strata
