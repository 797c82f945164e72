// SPDX-License-Identifier: Apache-2.0
// A card's place among the cards of other processes, one for each process (NCCL).
// Thread: one thread at a time, with the context of the card.
#pragma once

#include <memory>
#include <span>

#include "gpu/cuda/card.h"
#include "gpu/exec/process_link.h"

namespace strata::cuda {

class CardCommunicator {
 public:
  /// `isFast` lets the library add in any order. The link must outlive the object.
  CardCommunicator(std::shared_ptr<Card> card, ProcessLink& link, bool isFast)
      : m_card(std::move(card)), m_link(link), m_isFast(isFast) {}
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

 private:
  void join();
  void check(int status) const;
  void awaitDone() const;
  std::shared_ptr<Card> m_card;
  ProcessLink& m_link;
  const bool m_isFast;
  StrataCommunicator* m_communicator = nullptr;
};

}  // namespace strata::cuda
