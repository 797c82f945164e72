// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/card_communicator.h"

#include <array>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gpu/base/clock.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"

namespace strata::cuda {
namespace {

constexpr std::chrono::seconds kJoinTimeout{60};

std::string busAddressOf(const Card& card) {
  std::array<char, 64> id{};
  CUdevice device = 0;
  card.driver().deviceGet(&device, card.ordinal());
  card.driver().deviceGetPCIBusId(id.data(), static_cast<int>(id.size()), device);
  return id.data();
}

/// Requires that no two processes have the same card. Each process simulates other cards.
void requireDifferentCards(const Card& card, ProcessLink& link) {
  const std::string address =
      card.isSimulated() ? std::to_string(link.rank()) : hostName() + " " + busAddressOf(card);
  std::set<std::string> seen;
  for (const std::string& each : link.gather(address))
    if (!seen.insert(each).second)
      throw Error(ErrorCode::InvalidArgument, card.name(),
                  "two processes use the same card, " + each +
                      " (expected one process for each card). Name the cards of a machine, one for "
                      "each of its processes, such as --device cuda:0,cuda:1, or start fewer "
                      "processes.");
}

}  // namespace

CardCommunicator::CardCommunicator(std::shared_ptr<Card> card, ProcessLink& link, bool isFast)
    : m_card(std::move(card)), m_link(link), m_isFast(isFast) {
  link.setOnBreak([this] {
    if (StrataCommunicator* const joined = m_communicator) m_card->collectives().interrupt(joined);
  });
}

CardCommunicator::~CardCommunicator() {
  m_link.setOnBreak(nullptr);
  if (!m_communicator) return;
  m_card->driver().table().ctxSetCurrent(m_card->context());
  m_card->collectives().leave(m_communicator, m_link.isBroken() || !m_lost.empty() ? 1 : 0);
}

void CardCommunicator::join() {
  requireWhole();
  if (m_communicator) return;
  requireDifferentCards(*m_card, m_link);
  const StrataCollectives& collectives = m_card->collectives();
  m_card->use();
  std::array<char, STRATA_COMMUNICATOR_ID_BYTES> id{};
  // All processes learn whether the first one has failed
  std::string problem;
  if (m_link.isFirst() && collectives.identify(id.data()) != 0) problem = collectives.lastError();
  problem = m_link.broadcast(problem);
  if (!problem.empty())
    throw Error(ErrorCode::UnsupportedOp, m_card->name(), problem + ". Use --device cpu.");
  m_link.broadcast(std::as_writable_bytes(std::span(id)));
  StrataCommunicator* made = nullptr;
  if (collectives.join(id.data(), m_link.size(), m_link.rank(), &made) != 0)
    throw Error(ErrorCode::DeviceFailure, m_card->name(),
                std::string(collectives.lastError()) + ". Use --device cpu.");
  m_communicator = made;
  awaitDone();
}

void CardCommunicator::check(int status) {
  if (status == 0) return;
  m_lost = std::string(m_card->collectives().lastError()) +
           ". Another process may have failed: see its message.";
  requireWhole();
}

bool CardCommunicator::hasLost() {
  int32_t isDone = 0;
  if (m_lost.empty() && m_communicator && m_card->collectives().state(m_communicator, &isDone) != 0)
    m_lost = std::string(m_card->collectives().lastError()) + ".";
  return m_link.isBroken() || !m_lost.empty();
}

void CardCommunicator::abort() {
  if (m_lost.empty()) m_lost = "another process is lost.";
  if (StrataCommunicator* const joined = m_communicator.exchange(nullptr))
    m_card->collectives().leave(joined, 1);
}

void CardCommunicator::requireWhole() {
  m_link.requireWhole();
  if (!m_lost.empty()) throw Error(ErrorCode::DeviceFailure, kProcesses, m_lost);
}

/// Waits until the library has done what it does in the background.
void CardCommunicator::awaitDone() {
  const auto began = Clock::now();
  while (true) {
    m_link.requireWhole();
    int32_t isDone = 0;
    check(m_card->collectives().state(m_communicator, &isDone));
    if (isDone != 0) return;
    if (Clock::now() - began > kJoinTimeout) {
      m_lost =
          "the cards of other processes did not answer within 60 s. Check the network between "
          "the machines.";
      requireWhole();
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void CardCommunicator::exchange(std::span<const StrataCardPart> parts, CUstream stream) {
  join();
  check(m_card->collectives().exchange(m_communicator, parts.data(), parts.size(), stream));
  awaitDone();
}

void CardCommunicator::gather(CUdeviceptr from, CUdeviceptr to, size_t count, CUstream stream) {
  join();
  check(m_card->collectives().gather(m_communicator, from, to, count, stream));
  awaitDone();
}

void CardCommunicator::sum(CUdeviceptr values, size_t count, CUstream stream) {
  join();
  check(m_card->collectives().sum(m_communicator, values, count, stream));
  awaitDone();
}

}  // namespace strata::cuda
