// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/process_sums.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gpu/base/clock.h"
#include "gpu/base/error.h"

namespace strata {
namespace {

/// What processes tell each other before they exchange values.
struct Greeting {
  int64_t number = 0;
  ProcessState state = ProcessState::Sums;
  char why[244] = {};
};

/// Adds `count` elements of all replicas. The sums may replace elements of a replica.
template <class T>
void addElements(std::span<const std::byte* const> replicas, int64_t count, std::byte* result) {
  constexpr int64_t kChunk = 256;
  T sums[kChunk];
  for (int64_t begin = 0; begin < count; begin += kChunk) {
    const int64_t size = std::min(kChunk, count - begin);
    std::copy_n(reinterpret_cast<const T*>(replicas[0]) + begin, size, sums);
    for (size_t replica = 1; replica < replicas.size(); ++replica) {
      const T* const other = reinterpret_cast<const T*>(replicas[replica]) + begin;
      for (int64_t i = 0; i < size; ++i)
        sums[i] = sums[i] + other[i];
    }
    std::copy_n(sums, size, reinterpret_cast<T*>(result) + begin);
  }
}

size_t bytesIn(const SumLayout& layout, const SumLayout::Range& range, size_t operand) {
  return static_cast<size_t>(range.count) * dtypeBytes(layout.dtype(operand));
}

size_t bytesOf(const SumLayout& layout) {
  size_t bytes = 0;
  for (size_t i = 0; i < layout.numOperands(); ++i)
    bytes += layout.bytesOf(i);
  return bytes;
}

/// Returns whether a step computes without communication. The first step allocates memory.
bool computesApart(int64_t step) {
  constexpr int64_t kFirst = 32, kFirstEvery = 8, kLaterEvery = 64;
  return step % (step < kFirst ? kFirstEvery : kLaterEvery) == kFirstEvery / 2;
}

std::byte* at(std::byte* values, const SumLayout& layout, const SumLayout::Range& range,
              size_t operand) {
  return values + static_cast<size_t>(range.begin) * dtypeBytes(layout.dtype(operand));
}

}  // namespace

ProcessSums::ProcessSums(ProcessLink& link, int replicas)
    : m_link(link),
      m_replicas(replicas),
      m_thread([this](const std::stop_token& stop) { work(stop); }) {}

ProcessSums::~ProcessSums() {
  m_thread.request_stop();
  m_changed.notify_all();
}

void ProcessSums::begin() {
  const std::lock_guard lock(m_mutex);
  require(m_done == m_begun || m_failure, "the sums of a step are done before the next one");
  m_count = m_begun = m_done = 0;
  m_failure = nullptr;
  m_times = {};
  m_times.isApart = m_isHeld = computesApart(m_steps++);
  for (Sum& sum : m_sums)
    sum.started = 0;
}

void ProcessSums::enter() {
  std::exception_ptr failure;
  try {
    meet(0, ProcessState::Sums, "");
  }
  catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(m_mutex);
  m_failure = failure;
  // leave() does not wait for others, which wait for this process in their devices
  m_count = m_begun = m_done = 1;
  if (failure) std::rethrow_exception(failure);
}

void ProcessSums::start(int64_t number, int64_t count, const SumLayout& layout, int replica,
                        std::span<std::byte* const> values, std::byte* buffer) {
  const std::lock_guard lock(m_mutex);
  m_count = count;
  while (std::ssize(m_sums) <= number)
    m_sums.push_back({std::ssize(m_sums), nullptr,
                      std::vector<std::vector<std::byte*>>(static_cast<size_t>(m_replicas)),
                      std::vector<std::byte*>(static_cast<size_t>(m_replicas)), 0});
  Sum& sum = m_sums[static_cast<size_t>(number)];
  sum.layout = &layout;
  sum.values[static_cast<size_t>(replica)].assign(values.begin(), values.end());
  sum.buffers[static_cast<size_t>(replica)] = buffer;
  if (++sum.started < m_replicas) return;
  ++m_begun;
  m_changed.notify_all();
}

std::span<std::byte* const> ProcessSums::await(int64_t number) {
  const auto began = Clock::now();
  std::unique_lock lock(m_mutex);
  m_isAwaited = true;
  m_link.setPatient(false);
  if (std::exchange(m_isHeld, false)) m_changed.notify_all();
  m_changed.wait(lock, [&] { return m_done > number || m_failure; });
  m_isAwaited = false;
  m_times.waiting += Clock::now() - began;
  if (m_done <= number) std::rethrow_exception(m_failure);
  return m_sums[static_cast<size_t>(number)].values.front();
}

ProcessSums::Times ProcessSums::times() const {
  const std::lock_guard lock(m_mutex);
  return m_times;
}

void ProcessSums::leave(ProcessState state, const std::string& why) {
  std::unique_lock lock(m_mutex);
  m_link.setPatient(false);
  if (std::exchange(m_isHeld, false)) m_changed.notify_all();
  m_changed.wait(lock, [&] { return m_done == m_begun || m_failure; });
  // Others do not wait after all sums were done, or after one process has left
  if (m_failure || (m_count > 0 && m_done == m_count)) return;
  const int64_t number = m_done;
  lock.unlock();
  try {
    meet(number, state, why);
  }
  catch (const Error&) {
    // The link is broken, and the process ends with its own error
  }
}

void ProcessSums::work(const std::stop_token& stop) {
  std::unique_lock lock(m_mutex);
  while (true) {
    m_changed.wait(lock, stop, [&] { return m_done < m_begun && !m_failure && !m_isHeld; });
    if (stop.stop_requested()) return;
    const Sum& sum = m_sums[static_cast<size_t>(m_done)];
    m_link.setPatient(!m_isAwaited);
    const std::chrono::nanoseconds metBefore = m_times.meeting;
    lock.unlock();
    std::exception_ptr failure;
    const auto began = Clock::now();
    const std::chrono::nanoseconds usedBefore = threadProcessorTime();
    try {
      compute(sum);
    }
    catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    m_link.setPatient(false);
    const std::chrono::nanoseconds duration = Clock::now() - began;
    m_times.communicating += duration;
    if (!failure)
      m_log.add(0, "all_reduce", sum.number, bytesOf(*sum.layout), duration,
                m_times.meeting - metBefore);
    m_times.processor += threadProcessorTime() - usedBefore;
    ++m_times.sums;
    if (failure)
      m_failure = failure;
    else
      ++m_done;
    m_changed.notify_all();
  }
}

void ProcessSums::compute(const Sum& sum) {
  const auto began = Clock::now();
  meet(sum.number, ProcessState::Sums, "");
  {
    const std::lock_guard lock(m_mutex);
    m_times.meeting += Clock::now() - began;
  }
  exchange(sum);
  add(sum);
  gather(sum);
}

void ProcessSums::meet(int64_t number, ProcessState state, const std::string& why) {
  Greeting own{number, state, {}};
  std::memcpy(own.why, why.data(), std::min(why.size(), sizeof own.why - 1));
  std::vector<Greeting> all(static_cast<size_t>(m_link.size()));
  m_link.gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  if (state != ProcessState::Sums) return;
  for (const Greeting& each : all)
    if (each.state == ProcessState::Failed)
      throw Error(ErrorCode::DeviceFailure, kProcesses, std::string(each.why));
  for (const Greeting& each : all) {
    if (each.state == ProcessState::Stopped)
      throw Error(ErrorCode::Stopped, kProcesses, "another process has stopped the step.");
    require(each.number == number, "processes reach the collectives of a step in the same order");
  }
}

/// Sends elements to the processes that add them.
void ProcessSums::exchange(const Sum& sum) {
  m_sent.clear();
  m_received.clear();
  const SumLayout& layout = *sum.layout;
  for (int peer = 0; peer < m_link.size(); ++peer) {
    if (peer == m_link.rank()) continue;
    const auto slot = static_cast<size_t>(peer < m_link.rank() ? peer : peer - 1);
    for (size_t replica = 0; replica < sum.values.size(); ++replica)
      for (size_t i = 0; i < layout.numOperands(); ++i) {
        const SumLayout::Range out = layout.rangeOf(peer, i), in = layout.rangeOf(m_link.rank(), i);
        if (out.count > 0)
          m_sent.push_back(
              {peer, at(sum.values[replica][i], layout, out, i), bytesIn(layout, out, i)});
        if (in.count > 0)
          m_received.push_back(
              {peer,
               sum.buffers[replica] + slot * layout.shareBytes() + layout.beginOf(m_link.rank(), i),
               bytesIn(layout, in, i)});
      }
  }
  m_link.exchange(m_sent, m_received);
}

/// Adds the share of this process. The sums replace it in the first replica.
void ProcessSums::add(const Sum& sum) const {
  const SumLayout& layout = *sum.layout;
  std::vector<const std::byte*> replicas;
  for (size_t i = 0; i < layout.numOperands(); ++i) {
    const SumLayout::Range own = layout.rangeOf(m_link.rank(), i);
    if (own.count == 0) continue;
    replicas.clear();
    for (int peer = 0; peer < m_link.size(); ++peer) {
      const auto slot = static_cast<size_t>(peer < m_link.rank() ? peer : peer - 1);
      for (size_t replica = 0; replica < sum.values.size(); ++replica)
        replicas.push_back(peer == m_link.rank()
                               ? at(sum.values[replica][i], layout, own, i)
                               : sum.buffers[replica] + slot * layout.shareBytes() +
                                     layout.beginOf(m_link.rank(), i));
    }
    std::byte* const result = at(sum.values.front()[i], layout, own, i);
    if (layout.dtype(i) == DType::F64)
      addElements<double>(replicas, own.count, result);
    else
      addElements<float>(replicas, own.count, result);
  }
}

/// Sends the sums to the other processes.
void ProcessSums::gather(const Sum& sum) {
  m_sent.clear();
  m_received.clear();
  const SumLayout& layout = *sum.layout;
  const std::vector<std::byte*>& values = sum.values.front();
  int64_t bytes = 0;
  for (int peer = 0; peer < m_link.size(); ++peer)
    for (size_t i = 0; i < layout.numOperands(); ++i) {
      if (peer == m_link.rank()) continue;
      const SumLayout::Range own = layout.rangeOf(m_link.rank(), i),
                             other = layout.rangeOf(peer, i);
      if (own.count > 0)
        m_sent.push_back({peer, at(values[i], layout, own, i), bytesIn(layout, own, i)});
      if (other.count > 0)
        m_received.push_back({peer, at(values[i], layout, other, i), bytesIn(layout, other, i)});
      bytes += static_cast<int64_t>(bytesIn(layout, own, i) +
                                    sum.values.size() * bytesIn(layout, other, i));
    }
  m_link.exchange(m_sent, m_received);
  const std::lock_guard lock(m_mutex);
  m_times.bytes += bytes;
}

}  // namespace strata
