// SPDX-License-Identifier: Apache-2.0
// A card's place among the cards of other processes, one for each process (NCCL).
// Thread: one thread at a time, with the context of the card.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>

#include "gpu/cuda/card.h"
#include "gpu/exec/process_link.h"

namespace strata::cuda {

class CardCommunicator {
 public:
  /// `isFast` lets the library add in any order. The link must outlive the object.
  CardCommunicator(std::shared_ptr<Card> card, ProcessLink& link, bool isFast);
  ~CardCommunicator();
  CardCommunicator(const CardCommunicator&) = delete;
  CardCommunicator& operator=(const CardCommunicator&) = delete;

  int rank() const { return m_link.rank(); }
  int size() const { return m_link.size(); }
  bool isFast() const { return m_isFast; }
  // Functions of StrataCollectives that add work to a stream. All processes call the first one at
  // the same time, which joins their cards.
  // They fail with DeviceFailure; UnsupportedOp if the library is missing; InvalidArgument if two
  // processes have the same card.
  void exchange(std::span<const StrataCardPart> parts, CUstream stream);
  void gather(CUdeviceptr from, CUdeviceptr to, size_t count, CUstream stream);
  void sum(CUdeviceptr values, size_t count, CUstream stream);
  /// Returns whether another process is lost, so that sums never end or are wrong.
  bool hasLost();
  /// Ends work that waits for other processes. The results are undefined.
  void abort();
  /// Fails: DeviceFailure with the reason, if hasLost() or after abort(). The subject is
  /// kProcesses.
  void requireWhole();

 private:
  void join();
  void check(int status);
  void awaitDone();
  std::shared_ptr<Card> m_card;
  ProcessLink& m_link;
  const bool m_isFast;
  // Another thread may interrupt it
  std::atomic<StrataCommunicator*> m_communicator{nullptr};
  // Why it is of no use any longer; empty while it is
  std::string m_lost;
};

}  // namespace strata::cuda
