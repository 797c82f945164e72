// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/peer_copies.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "gpu/base/clock.h"
#include "gpu/base/error.h"
#include "gpu/cuda/cuda_stream.h"

namespace strata::cuda {
namespace {

constexpr size_t kTriedBytes = size_t{1} << 20;
constexpr std::chrono::seconds kTimeout{5};

/// Returns whether a card gets the bytes of another one. Fails: DeviceFailure if a copy never ends.
bool copies(const Card& to, const Card& from) {
  std::vector<std::byte> sent(kTriedBytes), received(kTriedBytes);
  for (size_t i = 0; i < kTriedBytes; ++i)
    sent[i] = static_cast<std::byte>(i * 31 + i / 251);
  from.use();
  MemoryHandle source = allocateMemory(from, kTriedBytes);
  StreamHandle fromStream = makeStreamHandle(from);
  from.driver().memcpyHtoDAsync(source.get(), sent.data(), kTriedBytes, fromStream.get());
  EventHandle isSent = makeEvent(from);
  from.driver().eventRecord(isSent.get(), fromStream.get(), 0);
  to.use();
  MemoryHandle target = allocateMemory(to, kTriedBytes);
  StreamHandle stream = makeStreamHandle(to);
  EventHandle done = makeEvent(to);
  to.driver().memsetD8Async(target.get(), 0, kTriedBytes, stream.get());
  to.driver().streamWaitEvent(stream.get(), isSent.get(), 0);
  copyBetween(to, from, target.get(), source.get(), kTriedBytes, stream.get());
  to.driver().eventRecord(done.get(), stream.get(), 0);
  const auto begin = Clock::now();
  int result = STRATA_CUDA_NOT_READY;
  while ((result = to.driver().table().eventQuery(done.get())) == STRATA_CUDA_NOT_READY &&
         Clock::now() - begin < kTimeout)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  if (result == STRATA_CUDA_NOT_READY) {
    // Left as they are, because the driver would wait for the copy
    new MemoryHandle(std::move(source));
    new MemoryHandle(std::move(target));
    new StreamHandle(std::move(stream));
    new EventHandle(std::move(done));
    new std::shared_ptr<const Card>(to.shared_from_this());
    new std::shared_ptr<const Card>(from.shared_from_this());
    throw Error(ErrorCode::DeviceFailure, to.name(),
                "a copy from " + from.name() +
                    " did not end within 5 s. Use one of the cards, or one process for each card "
                    "(strata launch).");
  }
  to.driver().check(result, "cuEventQuery");
  copyToHost(to, stream.get(), received.data(), target.get(), kTriedBytes);
  return received == sent;
}

/// Lets a card access the memory of another one. Returns whether it can.
bool enable(const Card& to, const Card& from) {
  int canAccess = 0;
  CUdevice device = 0, peer = 0;
  to.driver().deviceGet(&device, to.ordinal());
  to.driver().deviceGet(&peer, from.ordinal());
  to.driver().deviceCanAccessPeer(&canAccess, device, peer);
  if (canAccess == 0) return false;
  to.use();
  const int result = to.driver().table().ctxEnablePeerAccess(from.context(), 0);
  if (result != STRATA_CUDA_PEER_ACCESS_ALREADY_ENABLED)
    to.driver().check(result, "cuCtxEnablePeerAccess");
  return true;
}

}  // namespace

void copyBetween(const Card& toCard, const Card& fromCard, CUdeviceptr to, CUdeviceptr from,
                 size_t bytes, CUstream stream) {
  if (toCard.context() == fromCard.context())
    toCard.driver().memcpyDtoDAsync(to, from, bytes, stream);
  else
    toCard.driver().memcpyPeerAsync(to, toCard.context(), from, fromCard.context(), bytes, stream);
}

std::string tryPeerCopies(std::span<const Card* const> cards) {
  for (const Card* to : cards)
    for (const Card* from : cards) {
      if (to->context() == from->context()) continue;
      if (!enable(*to, *from)) return "they cannot access each other's memory";
      if (!copies(*to, *from)) return "a copy has other bytes";
    }
  return {};
}

}  // namespace strata::cuda
