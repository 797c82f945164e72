// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/cuda_stream.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "gpu/base/error.h"
#include "gpu/base/round_up.h"
#include "gpu/cuda/cuda_runner.h"

namespace strata::cuda {
namespace {

constexpr size_t kAlignment = 256;

size_t aligned(size_t bytes) { return roundUp(bytes, kAlignment); }

}  // namespace

StreamHandle makeStreamHandle(const Card& card) {
  CUstream stream = nullptr;
  card.driver().streamCreate(&stream, STRATA_CUDA_STREAM_NON_BLOCKING);
  return {card, stream};
}

EventHandle makeEvent(const Card& card, bool hasTiming) {
  CUevent event = nullptr;
  card.driver().eventCreate(&event, hasTiming ? 0 : STRATA_CUDA_EVENT_NO_TIMING);
  return {card, event};
}

MemoryHandle allocateMemory(const Card& card, size_t bytes) {
  CUdeviceptr address = 0;
  card.driver().memAlloc(&address, bytes);
  return {card, address};
}

PinnedHandle allocatePinned(const Card& card, size_t bytes) {
  void* memory = nullptr;
  // Other cards of the process may read it, too
  card.driver().memHostAlloc(&memory, bytes, STRATA_CUDA_HOST_PORTABLE);
  return {card, memory};
}

void copyToHost(const Card& card, CUstream stream, void* to, CUdeviceptr from, size_t bytes) {
  if (bytes == 0) return;
  const Driver& driver = card.driver();
  driver.memcpyDtoHAsync(to, from, bytes, stream);
  const int result = driver.table().streamSynchronize(stream);
  // The owner of the memory may free it after an error, so the copy must not run later
  if (result != STRATA_CUDA_SUCCESS) driver.table().streamSynchronize(stream);
  driver.check(result, "cuStreamSynchronize");
}

CudaStream::CudaStream(std::shared_ptr<Card> card, const ReplicaPlace& place,
                       bool copiesThroughHost, std::shared_ptr<CardCommunicator> communicator)
    : m_card(std::move(card)),
      m_place(place),
      m_copiesThroughHost(copiesThroughHost),
      m_communicator(std::move(communicator)) {
  m_card->use();
  m_compute = makeStreamHandle(*m_card);
  m_copies = makeStreamHandle(*m_card);
  if (m_place.group) m_communication = makeStreamHandle(*m_card);
  m_flags = allocateMemory(*m_card, sizeof(StreamFlags));
  m_card->driver().memsetD8Async(m_flags.get(), 0, sizeof(StreamFlags), compute());
  setRunning(true);
  for (int i = 0; i < kRingEntries; ++i)
    m_done.push_back(makeEvent(*m_card));
  m_slots.resize(kInputSlots);
  for (InputSlot& slot : m_slots) {
    slot.copied = makeEvent(*m_card);
    slot.taken = makeEvent(*m_card);
  }
}

void CudaStream::setRunning(bool isRunning) {
  static constexpr float kValues[] = {0, 1};
  m_card->driver().memcpyHtoDAsync(running().bits(), &kValues[isRunning ? 1 : 0], sizeof(float),
                                   compute());
}

CudaStream::~CudaStream() {
  m_card->addTransferBytes(-static_cast<std::ptrdiff_t>(m_transferBytes));
}

void CudaStream::upload(DeviceAddress to, const std::byte* from, size_t bytes) {
  wait();
  if (bytes == 0) return;
  // The driver has read memory that is not pinned when the function returns
  m_card->driver().memcpyHtoDAsync(to.bits(), from, bytes, compute());
}

void CudaStream::download(std::byte* to, DeviceAddress from, size_t bytes) {
  wait();
  copyToHost(*m_card, compute(), to, from.bits(), bytes);
}

void CudaStream::clear(DeviceAddress address, size_t bytes) {
  wait();
  if (bytes == 0) return;
  m_card->driver().memsetD8Async(address.bits(), 0, bytes, compute());
}

std::unique_ptr<Runner> CudaStream::makeRunner(const StepLayout& layout, StepAddresses addresses) {
  m_card->use();
  return std::make_unique<CudaRunner>(*this, layout, std::move(addresses));
}

void CudaStream::wait() {
  m_card->use();
  while (!m_pending.empty())
    collect(*m_pending.back().step);
}

size_t CudaStream::transferBytesFor(size_t inputBytes, size_t resultBytes) {
  return aligned(sizeof(StepRecord) + resultBytes) * kRingEntries +
         aligned(inputBytes) * kInputSlots;
}

void CudaStream::reserve(size_t inputBytes, size_t resultBytes) {
  const size_t recordBytes = aligned(sizeof(StepRecord) + resultBytes);
  if (inputBytes <= m_inputBytes && recordBytes <= m_recordBytes) return;
  // No copy is left after the last step is done
  wait();
  ++m_generation;
  if (recordBytes > m_recordBytes) {
    m_ring = {};
    m_results = {};
    m_recordBytes = 0;
    m_ring = allocateMemory(*m_card, recordBytes * kRingEntries);
    m_results = allocatePinned(*m_card, recordBytes * kRingEntries);
    m_recordBytes = recordBytes;
  }
  if (inputBytes > m_inputBytes) {
    const size_t each = aligned(inputBytes);
    m_staging = {};
    m_pinned = {};
    m_inputBytes = 0;
    m_staging = allocateMemory(*m_card, each * kInputSlots);
    m_pinned = allocatePinned(*m_card, each * kInputSlots);
    m_inputBytes = inputBytes;
    for (size_t i = 0; i < m_slots.size(); ++i) {
      m_slots[i].pinned = static_cast<std::byte*>(m_pinned.get()) + i * each;
      m_slots[i].staging = DeviceAddress::fromBits(m_staging.get()) + i * each;
      m_slots[i].isUsed = false;
    }
  }
  const size_t bytes = m_recordBytes * kRingEntries + aligned(m_inputBytes) * kInputSlots;
  m_card->addTransferBytes(static_cast<std::ptrdiff_t>(bytes - m_transferBytes));
  m_transferBytes = bytes;
}

CudaStream::InputSlot& CudaStream::nextInputSlot() {
  InputSlot& slot = m_slots[m_nextSlot];
  m_nextSlot = (m_nextSlot + 1) % m_slots.size();
  if (slot.isUsed) {
    // The copy out of the pinned memory is done, and the card has taken the inputs before
    m_card->driver().eventSynchronize(slot.copied.get());
    m_card->driver().streamWaitEvent(copies(), slot.taken.get(), 0);
  }
  slot.isUsed = true;
  return slot;
}

void CudaStream::add(SubmittedStep& step) {
  const size_t entry = nextEntry();
  m_card->driver().eventRecord(m_done[entry].get(), compute(), 0);
  m_pending.push_back({&step, entry});
  ++m_submitted;
  while (m_pending.size() > kPendingSteps)
    collect(*m_pending.front().step);
}

void CudaStream::finish(SubmittedStep& step) {
  collect(step);
  if (m_failed != &step) return;
  // The steps after it were submitted before its result was known, and are skipped
  wait();
  m_failed = nullptr;
  m_card->use();
  setRunning(true);
}

/// Waits for an event of a step. If another process is lost meanwhile, the step changes nothing:
/// its sums never end, or are wrong.
void CudaStream::awaitEvent(const EventHandle& event) {
  const Driver& driver = m_card->driver();
  if (!m_communicator) return driver.eventSynchronize(event.get());
  bool hasLost = false;
  int result = STRATA_CUDA_NOT_READY;
  while ((result = driver.table().eventQuery(event.get())) == STRATA_CUDA_NOT_READY) {
    // Simulated cards work while they are asked, and end such sums themselves
    if (m_card->isSimulated()) continue;
    if (!hasLost && m_communicator->hasLost()) {
      hasLost = true;
      static constexpr float kStopped = 0;
      driver.memcpyHtoDAsync(running().bits(), &kStopped, sizeof kStopped, copies());
      driver.streamSynchronize(copies());
      m_communicator->abort();
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  driver.check(result, "cuEventQuery");
  driver.eventSynchronize(event.get());
  if (m_communicator->hasLost()) m_communicator->requireWhole();
}

void CudaStream::collect(SubmittedStep& step) {
  if (step.isDone) return;
  const auto at = std::ranges::find(m_pending, &step, &Pending::step);
  require(at != m_pending.end(), "the step was submitted to this stream");
  m_card->use();
  try {
    awaitEvent(m_done[at->entry]);
    // Later steps may be done, too
    auto end = at + 1;
    while (end != m_pending.end() &&
           m_card->driver().table().eventQuery(m_done[end->entry].get()) == STRATA_CUDA_SUCCESS)
      ++end;
    takeResults(static_cast<size_t>(end - m_pending.begin()));
  }
  catch (...) {
    // The card has failed: no step of the stream has a result
    for (const Pending& pending : m_pending) {
      pending.step->isDone = true;
      pending.step->outcome = StepOutcome::Skipped;
      pending.step->failure = std::current_exception();
    }
    m_pending.clear();
  }
}

/// Copies the records of the oldest steps to the host in one or two pieces.
void CudaStream::takeResults(size_t count) {
  const auto* results = static_cast<const std::byte*>(m_results.get());
  const auto first = m_pending.front().entry;
  const size_t before = std::min(count, kRingEntries - first);
  const auto take = [&](size_t entry, size_t entries) {
    if (entries > 0)
      m_card->driver().memcpyDtoHAsync(
          static_cast<std::byte*>(m_results.get()) + entry * m_recordBytes,
          (ring() + entry * m_recordBytes).bits(), entries * m_recordBytes, copies());
  };
  m_card->driver().streamWaitEvent(copies(), m_done[m_pending[count - 1].entry].get(), 0);
  take(first, before);
  take(0, count - before);
  m_card->driver().streamSynchronize(copies());
  for (size_t i = 0; i < count; ++i) {
    const Pending pending = m_pending.front();
    m_pending.pop_front();
    SubmittedStep& step = *pending.step;
    const std::byte* record = results + pending.entry * m_recordBytes;
    StepRecord head;
    std::memcpy(&head, record, sizeof head);
    std::copy_n(record + sizeof head, step.results.size(), step.results.data());
    if (step.outcome != StepOutcome::Stopped) {
      step.outcome = head.guard == 0 ? StepOutcome::NonFinite : StepOutcome::Done;
      // A card that stops within a step leaves it as one that was skipped
      if (head.isSkipped) step.outcome = m_failed ? StepOutcome::Skipped : StepOutcome::Stopped;
    }
    step.isDone = true;
    if (!m_failed && step.outcome != StepOutcome::Done) m_failed = &step;
  }
}

}  // namespace strata::cuda
