// SPDX-License-Identifier: Apache-2.0
#include "gpu/cost/trial.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "gpu/base/clock.h"
#include "gpu/base/rng.h"
#include "gpu/graph/op.h"
#include "gpu/memory/plan.h"

namespace strata {

Room::Room(size_t bytes) : m_bytes(bytes) { std::memset(m_bytes.data(), 0, bytes); }

std::byte* Room::take(size_t bytes) {
  std::byte* const at = m_bytes.data() + m_used;
  m_used += alignedBytes(bytes);
  return at;
}

Trial::Trial(cpu::KernelSetup setup, ThreadPool& pool)
    : m_pool(pool), m_setup(std::move(setup)), m_kernel(cpu::createKernel(m_setup)) {
  m_work = workOf(m_setup, m_kernel->implementation(), m_kernel->isSolo());
  for (const TensorType& type : m_setup.inputs)
    m_readBytes += type.bytes();
  for (const TensorType& type : m_setup.outputs)
    m_writtenBytes += type.bytes();
}

size_t Trial::bytes() const {
  return m_readBytes + m_writtenBytes + m_kernel->workspaceBytes() +
         (m_setup.inputs.size() + m_setup.outputs.size() + 1) * kHostAlignment;
}

void Trial::run(Room& room, double seconds, Tries& tries) {
  constexpr int kMinRuns = 2, kMaxRuns = 200, kRunsPerCall = 2;
  room.clear();
  KernelArguments arguments;
  for (const TensorType& type : m_setup.inputs)
    arguments.inputs.push_back(fill(room.take(type.bytes()), type));
  const OpDef& op = opNamed(m_setup.op);
  for (size_t i = 0; i < m_setup.outputs.size(); ++i) {
    std::byte* place = nullptr;
    for (const auto& [output, input] :
         sharedPairs(op, m_setup.inputs.size(), m_setup.outputs.size()))
      if (static_cast<size_t>(output) == i)
        place = const_cast<std::byte*>(arguments.inputs[static_cast<size_t>(input)]);
    arguments.outputs.push_back(place != nullptr ? place : room.take(m_setup.outputs[i].bytes()));
  }
  arguments.workspace = room.take(m_kernel->workspaceBytes());
  const int stages = m_kernel->numStages();
  const auto started = Clock::now();
  for (int count = 0; count < kMaxRuns && (count < kMinRuns || secondsSince(started) < seconds);) {
    std::array<double, kRunsPerCall> taken{};
    m_pool.run([&](int worker) {
      m_pool.barrier().wait();
      for (double& time : taken) {
        const auto start = Clock::now();
        for (int stage = 0; stage < stages; ++stage) {
          m_kernel->run(arguments, stage, worker);
          m_pool.barrier().wait();
        }
        if (worker == 0) time = secondsSince(start);
      }
    });
    // Do not count the first run, because its operands are in the cache of the thread that filled
    // them
    for (size_t i = count == 0 ? 1 : 0; i < taken.size(); ++i)
      tries.add(taken[i]);
    count += kRunsPerCall;
  }
}

std::string Trial::name() const {
  std::string name = m_setup.op;
  for (const TensorType& type : m_setup.inputs)
    name += " " + type.shape.toString();
  return name + ", " + m_kernel->implementation();
}

const std::byte* Trial::fill(std::byte* place, const TensorType& type) {
  static const std::vector<float> kPattern = [] {
    std::vector<float> values(8192);
    RandomStream random(1, 1);
    for (float& value : values)
      value = random.uniform() - 0.5f;
    return values;
  }();
  const size_t bytes = type.bytes();
  if (type.dtype != DType::F32)
    std::memset(place, 0, bytes);
  else
    for (size_t at = 0; at < bytes; at += kPattern.size() * sizeof(float))
      std::memcpy(place + at, kPattern.data(),
                  std::min(bytes - at, kPattern.size() * sizeof(float)));
  return place;
}

}  // namespace strata
