// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/card_sums.h"

#include "gpu/base/error.h"
#include "gpu/base/round_up.h"
#include "gpu/graph/op.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::cuda {

CardSums::CardSums(CudaStream& stream, const ReplicaPlace& place, const Graph& graph,
                   const Node& node)
    : m_stream(stream), m_place(place) {
  constexpr size_t kAlignment = 64;
  reference::KernelSetup setup;
  setup.op = node.op->name;
  setup.attributes = node.attributes;
  size_t total = kAlignment;
  for (const ValueId input : node.inputs) {
    setup.inputs.push_back(graph.type(input));
    m_bytes.push_back(graph.type(input).bytes());
    total += roundUp(m_bytes.back(), kAlignment);
  }
  setup.outputs = setup.inputs;
  m_kernel = reference::makeAllReduce(setup);
  m_pinned = allocatePinned(stream.card(), total);
  auto* next = static_cast<std::byte*>(m_pinned.get());
  m_running = reinterpret_cast<float*>(next);
  *m_running = 0;
  next += kAlignment;
  for (const size_t bytes : m_bytes) {
    m_places.push_back(next);
    next += roundUp(bytes, kAlignment);
  }
}

void CardSums::run(const Operands& operands) {
  const Driver& driver = m_stream.card().driver();
  const CUstream stream = m_stream.compute();
  m_stream.card().annotate(stream, nullptr);
  driver.memcpyDtoHAsync(m_running, m_stream.running().bits(), sizeof(float), stream);
  for (size_t i = 0; i < m_bytes.size(); ++i)
    driver.memcpyDtoHAsync(m_places[i], operands.inputs[i].bits(), m_bytes[i], stream);
  driver.streamSynchronize(stream);
  // Other replicas learn that this one has stopped when its step ends
  if (*m_running == 0) return;
  KernelArguments arguments;
  arguments.inputs.assign(m_places.begin(), m_places.end());
  arguments.outputs = m_places;
  arguments.replica = m_place;
  try {
    for (int stage = 0; stage < m_kernel->numStages(); ++stage)
      m_kernel->run(arguments, stage, 0);
  }
  catch (const Error& error) {
    if (error.code() != ErrorCode::Stopped) throw;
    return m_stream.setRunning(false);
  }
  for (size_t i = 0; i < m_bytes.size(); ++i)
    driver.memcpyHtoDAsync(operands.outputs[i].bits(), m_places[i], m_bytes[i], stream);
}

}  // namespace strata::cuda
