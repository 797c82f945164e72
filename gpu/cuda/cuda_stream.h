// SPDX-License-Identifier: Apache-2.0
// The queue of a State on a card: a stream that computes, one that copies inputs meanwhile, and one
// that exchanges values with other replicas.
// Inputs pass through slots of pinned memory, and results through a ring on the card that one copy
// brings to the host.
// Thread: as Stream.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/cuda/card.h"
#include "gpu/cuda/card_communicator.h"
#include "gpu/cuda/kernels/columns.h"
#include "gpu/exec/replica_group.h"
#include "gpu/exec/runner.h"

namespace strata::cuda {

/// Owns a handle of the driver. `Destroy` is a member of StrataDriverTable.
template <class T, auto Destroy>
class Handle {
 public:
  Handle() = default;
  Handle(const Card& card, T value) : m_card(&card), m_value(value) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept
      : m_card(other.m_card), m_value(std::exchange(other.m_value, T{})) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      m_card = other.m_card;
      m_value = std::exchange(other.m_value, T{});
    }
    return *this;
  }
  T get() const { return m_value; }

 private:
  // Silent, because destructors call it. Once, because drivers report errors of earlier work here,
  // after the handle is gone
  void reset() {
    if (!m_value) return;
    m_card->driver().table().ctxSetCurrent(m_card->context());
    (m_card->driver().table().*Destroy)(std::exchange(m_value, T{}));
  }
  const Card* m_card = nullptr;
  T m_value{};
};
using StreamHandle = Handle<CUstream, &StrataDriverTable::streamDestroy>;
using EventHandle = Handle<CUevent, &StrataDriverTable::eventDestroy>;
using GraphHandle = Handle<CUgraphExec, &StrataDriverTable::graphExecDestroy>;
using MemoryHandle = Handle<CUdeviceptr, &StrataDriverTable::memFree>;
using PinnedHandle = Handle<void*, &StrataDriverTable::memFreeHost>;

StreamHandle makeStreamHandle(const Card& card);
EventHandle makeEvent(const Card& card, bool hasTiming = false);
MemoryHandle allocateMemory(const Card& card, size_t bytes);
PinnedHandle allocatePinned(const Card& card, size_t bytes);

/// Copies from the card to memory that need not be pinned, and waits for the stream. Drivers may
/// copy to such memory later than the function that adds the copy returns.
void copyToHost(const Card& card, CUstream stream, void* to, CUdeviceptr from, size_t bytes);

/// What a step leaves in the ring before its results.
struct StepRecord {
  // Value of the guard, 1 without one
  float guard = 1;
  // Whether an earlier step had stopped the stream
  int32_t isSkipped = 0;
};

/// Numbers of a stream on the card.
struct StreamFlags {
  // 1, or 0 after a bad step until somebody has waited for it. Where it is 0, steps change nothing.
  float running = 0;
  // The entry of the ring that the next step writes
  int32_t ringCounter = 0;
  // Operands::progress and counters
  uint64_t progress = 0;
  uint32_t counters[kMaxCountedBlocks] = {};
};

class CudaStream final : public Stream {
 public:
  /// `place`: the replica that the card is. `copiesThroughHost`: cards do not copy from each other.
  /// `communicator`: the cards of other processes, or null.
  explicit CudaStream(std::shared_ptr<Card> card, const ReplicaPlace& place = {},
                      bool copiesThroughHost = false,
                      std::shared_ptr<CardCommunicator> communicator = nullptr);
  ~CudaStream() override;
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  void upload(DeviceAddress to, const std::byte* from, size_t bytes) override;
  void download(std::byte* to, DeviceAddress from, size_t bytes) override;
  void clear(DeviceAddress address, size_t bytes) override;
  std::unique_ptr<Runner> makeRunner(const StepLayout& layout, StepAddresses addresses) override;
  void wait() override;

  /// Returns the bytes on the card for slots of inputs and the ring of results.
  static size_t transferBytesFor(size_t inputBytes, size_t resultBytes);

  static constexpr int kPendingSteps = 16;
  static constexpr int kInputSlots = 3;

  /// A place through which the inputs of a step pass.
  struct InputSlot {
    std::byte* pinned = nullptr;
    DeviceAddress staging;
    // The copy to the card is done; the step has taken the inputs from the staging memory
    EventHandle copied, taken;
    bool isUsed = false;
  };
  Card& card() { return *m_card; }
  const ReplicaPlace& replica() const { return m_place; }
  bool copiesThroughHost() const { return m_copiesThroughHost; }
  CardCommunicator* communicator() const { return m_communicator.get(); }
  /// Whether work that is added to compute() now becomes part of a graph.
  bool isCapturing() const { return m_isCapturing; }
  void setCapturing(bool on) { m_isCapturing = on; }
  CUstream compute() const { return m_compute.get(); }
  CUstream copies() const { return m_copies.get(); }
  /// Null without replicas.
  CUstream communication() const { return m_communication.get(); }
  /// Returns whether it is called for the first time: the card ends its first step with others.
  bool isFirstMeeting() { return !std::exchange(m_hasMet, true); }
  /// Makes slots and ring entries large enough. Waits for all steps if they must grow.
  void reserve(size_t inputBytes, size_t resultBytes);
  /// Changes when slots and ring have moved. Captured graphs are then invalid.
  int64_t generation() const { return m_generation; }
  InputSlot& nextInputSlot();

  /// The members of the StreamFlags on the card.
  DeviceAddress running() const { return flag(offsetof(StreamFlags, running)); }
  DeviceAddress ringCounter() const { return flag(offsetof(StreamFlags, ringCounter)); }
  DeviceAddress progress() const { return flag(offsetof(StreamFlags, progress)); }
  DeviceAddress counters() const { return flag(offsetof(StreamFlags, counters)); }
  /// The ring of results: entry i of kRingEntries has recordBytes() bytes.
  DeviceAddress ring() const { return DeviceAddress::fromBits(m_ring.get()); }
  /// Makes later steps change nothing (false), or undoes that. It comes after all submitted steps.
  void setRunning(bool isRunning);
  size_t recordBytes() const { return m_recordBytes; }
  static constexpr int kRingEntries = kPendingSteps + 8;

  /// A step in the stream, in the order of submission.
  struct Pending {
    SubmittedStep* step = nullptr;
    // Number of its event, and of its entry in the ring
    size_t entry = 0;
  };
  void add(SubmittedStep& step);
  /// Returns the entry of the ring that the next step writes.
  size_t nextEntry() const { return static_cast<size_t>(m_submitted % kRingEntries); }
  /// Waits until `step` is done, and takes the results of all steps that are done. If it is the
  /// one that stopped the stream, later steps run again.
  void finish(SubmittedStep& step);

 private:
  DeviceAddress flag(size_t offset) const {
    return DeviceAddress::fromBits(m_flags.get()) + offset;
  }
  void collect(SubmittedStep& step);
  void awaitEvent(const EventHandle& event);
  void takeResults(size_t count);

  std::shared_ptr<Card> m_card;
  const ReplicaPlace m_place;
  const bool m_copiesThroughHost;
  const std::shared_ptr<CardCommunicator> m_communicator;
  bool m_isCapturing = false, m_hasMet = false;
  StreamHandle m_compute, m_copies, m_communication;
  std::vector<InputSlot> m_slots;
  size_t m_nextSlot = 0, m_inputBytes = 0, m_recordBytes = 0;
  MemoryHandle m_staging, m_flags, m_ring;
  PinnedHandle m_pinned, m_results;
  std::vector<EventHandle> m_done;
  std::deque<Pending> m_pending;
  int64_t m_submitted = 0, m_generation = 0;
  size_t m_transferBytes = 0;
  // The step that did not end with Done; null after somebody waited for it
  const SubmittedStep* m_failed = nullptr;
};

}  // namespace strata::cuda
