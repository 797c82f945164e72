// SPDX-License-Identifier: Apache-2.0
// The first process has a connection to each other one, and passes on what they send each other.
// Messages have no text that somebody else could have written: the connection needs the secret of
// the communicator.
#include "gpu/simulated/collectives.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "gpu/simulated/card.h"
#include "gpu/simulated/last_error.h"
#include "gpu/simulated/launches.h"

namespace {

constexpr std::chrono::seconds kJoinTimeout{30};
constexpr int kPollMilliseconds = 20;

}  // namespace

/// A connection that is closed with the object.
class StrataConnection {
 public:
  explicit StrataConnection(int file = -1) : m_file(file) {}
  ~StrataConnection() {
    if (m_file >= 0) close(m_file);
  }
  StrataConnection(StrataConnection&& other) noexcept : m_file(std::exchange(other.m_file, -1)) {}
  StrataConnection& operator=(StrataConnection&& other) noexcept {
    std::swap(m_file, other.m_file);
    return *this;
  }
  int file() const { return m_file; }

 private:
  int m_file;
};

struct StrataCommunicator {
  int ranks = 0, rank = 0;
  // Of the first process: by rank. Of others: one, to the first process
  std::vector<StrataConnection> connections;
  std::atomic<bool> isAborted{false};
};

namespace strata::simulated {
namespace {

/// What names a communicator.
struct Id {
  uint16_t port = 0;
  unsigned char secret[32] = {};
};
static_assert(sizeof(Id) <= STRATA_COMMUNICATOR_ID_BYTES);

/// The first message of a process.
struct Greeting {
  unsigned char secret[32] = {};
  int32_t rank = 0;
};

std::mutex listenersMutex;
/// The sockets of communicators that this process has named and not joined yet, by port.
std::map<uint16_t, StrataConnection>& listeners() {
  static auto* const result = new std::map<uint16_t, StrataConnection>;
  return *result;
}

int fail(const std::string& text) {
  setLastError(text);
  return STRATA_STATUS_LIBRARY_FAILED;
}

/// Waits until a connection can be read or written.
template <class IsAborted>
void awaitReady(int file, short events, const IsAborted& isAborted) {
  while (!isAborted()) {
    pollfd ready{file, events, 0};
    if (poll(&ready, 1, kPollMilliseconds) > 0) return;
  }
  throw std::runtime_error("the communicator was ended");
}

template <class IsAborted>
void sendAll(int file, const void* bytes, size_t count, const IsAborted& isAborted) {
  const auto* next = static_cast<const char*>(bytes);
  while (count > 0) {
    awaitReady(file, POLLOUT, isAborted);
    const ssize_t done = send(file, next, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (done <= 0) throw std::runtime_error("another process is gone");
    next += done;
    count -= static_cast<size_t>(done);
  }
}

template <class IsAborted>
void receiveAll(int file, void* bytes, size_t count, const IsAborted& isAborted) {
  auto* next = static_cast<char*>(bytes);
  while (count > 0) {
    awaitReady(file, POLLIN, isAborted);
    const ssize_t done = recv(file, next, count, MSG_DONTWAIT);
    if (done < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (done <= 0) throw std::runtime_error("another process is gone");
    next += done;
    count -= static_cast<size_t>(done);
  }
}

sockaddr_in loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

int identify(char* id) {
  Id made;
  StrataConnection listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  if (listener.file() < 0 ||
      bind(listener.file(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      listen(listener.file(), 64) != 0 ||
      getsockname(listener.file(), reinterpret_cast<sockaddr*>(&address), &length) != 0 ||
      getrandom(made.secret, sizeof made.secret, 0) != sizeof made.secret)
    return fail("the simulated cards cannot listen on this machine");
  made.port = ntohs(address.sin_port);
  const std::lock_guard lock(listenersMutex);
  listeners()[made.port] = std::move(listener);
  std::memset(id, 0, STRATA_COMMUNICATOR_ID_BYTES);
  std::memcpy(id, &made, sizeof made);
  return 0;
}

/// Accepts the connections of all other processes. Connections without the secret are closed.
void acceptAll(StrataCommunicator& own, const Id& id) {
  StrataConnection listener;
  {
    const std::lock_guard lock(listenersMutex);
    const auto found = listeners().find(id.port);
    if (found == listeners().end()) throw std::runtime_error("it was named by another process");
    listener = std::move(found->second);
    listeners().erase(found);
  }
  own.connections.resize(static_cast<size_t>(own.ranks));
  const auto end = std::chrono::steady_clock::now() + kJoinTimeout;
  const auto isLate = [&] {
    return std::chrono::steady_clock::now() > end;
  };
  for (int joined = 1; joined < own.ranks;) {
    awaitReady(listener.file(), POLLIN, isLate);
    StrataConnection connection(accept4(listener.file(), nullptr, nullptr, SOCK_CLOEXEC));
    Greeting greeting;
    if (connection.file() < 0) continue;
    receiveAll(connection.file(), &greeting, sizeof greeting, isLate);
    if (std::memcmp(greeting.secret, id.secret, sizeof id.secret) != 0 || greeting.rank < 1 ||
        greeting.rank >= own.ranks ||
        own.connections[static_cast<size_t>(greeting.rank)].file() >= 0)
      continue;
    own.connections[static_cast<size_t>(greeting.rank)] = std::move(connection);
    ++joined;
  }
}

void connectToFirst(StrataCommunicator& own, const Id& id) {
  StrataConnection connection(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(id.port);
  if (connection.file() < 0 ||
      connect(connection.file(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("the first process is not on this machine");
  Greeting greeting;
  std::copy(std::begin(id.secret), std::end(id.secret), greeting.secret);
  greeting.rank = own.rank;
  sendAll(connection.file(), &greeting, sizeof greeting, [] { return false; });
  own.connections.push_back(std::move(connection));
}

int join(const char* bytes, int32_t ranks, int32_t rank, StrataCommunicator** made) {
  Id id;
  std::memcpy(&id, bytes, sizeof id);
  auto own = std::make_unique<StrataCommunicator>();
  own->ranks = ranks;
  own->rank = rank;
  try {
    if (rank == 0)
      acceptAll(*own, id);
    else
      connectToFirst(*own, id);
  }
  catch (const std::exception& error) {
    return fail(std::string("the simulated cards cannot connect: ") + error.what());
  }
  *made = own.release();
  return 0;
}

int state(StrataCommunicator* communicator, int32_t* isDone) {
  *isDone = 1;
  return communicator->isAborted ? fail("the simulated cards have lost another process") : 0;
}

void leave(StrataCommunicator* communicator, int32_t aborts) {
  communicator->isAborted = aborts != 0;
  // Work that still runs uses an object that is aborted
  if (aborts == 0) delete communicator;
}

void interrupt(StrataCommunicator* communicator) { communicator->isAborted = true; }

/// Exchanges messages of any size between all processes. `sent` has one message for each rank, and
/// `received` gets as many.
void exchangeAll(StrataCommunicator& own, const std::vector<std::vector<std::byte>>& sent,
                 std::vector<std::vector<std::byte>>& received) {
  using Messages = std::vector<std::vector<std::byte>>;
  const auto isAborted = [&] {
    return own.isAborted.load();
  };
  const auto ranks = static_cast<size_t>(own.ranks);
  const auto sendMessages = [&](int file, const Messages& messages) {
    for (const std::vector<std::byte>& message : messages) {
      const uint64_t size = message.size();
      sendAll(file, &size, sizeof size, isAborted);
      sendAll(file, message.data(), message.size(), isAborted);
    }
  };
  const auto receiveMessages = [&](int file) {
    Messages messages(ranks);
    for (std::vector<std::byte>& message : messages) {
      uint64_t size = 0;
      receiveAll(file, &size, sizeof size, isAborted);
      message.resize(size);
      receiveAll(file, message.data(), size, isAborted);
    }
    return messages;
  };
  if (own.rank != 0) {
    sendMessages(own.connections[0].file(), sent);
    received = receiveMessages(own.connections[0].file());
    return;
  }
  std::vector<Messages> all{sent};
  for (size_t rank = 1; rank < ranks; ++rank)
    all.push_back(receiveMessages(own.connections[rank].file()));
  for (size_t to = 0; to < ranks; ++to) {
    Messages messages;
    for (size_t from = 0; from < ranks; ++from)
      messages.push_back(std::move(all[from][to]));
    if (to == 0)
      received = std::move(messages);
    else
      sendMessages(own.connections[to].file(), messages);
  }
}

/// Returns false if another process is gone, or somebody has interrupted the communicator.
bool exchangeOrAbort(StrataCommunicator& own, const std::vector<std::vector<std::byte>>& sent,
                     std::vector<std::vector<std::byte>>& received) {
  try {
    if (!own.isAborted) exchangeAll(own, sent, received);
  }
  catch (const std::exception&) {
    own.isAborted = true;
  }
  return !own.isAborted;
}

std::vector<std::byte> bytesOf(const std::byte* from, size_t count) { return {from, from + count}; }

class ExchangeCall final : public HostCall {
 public:
  ExchangeCall(StrataCommunicator& communicator, std::vector<StrataCardPart> parts)
      : m_communicator(communicator), m_parts(std::move(parts)) {}

  void run(const std::vector<std::byte*>& addresses, ThreadPool&) const override {
    const auto ranks = static_cast<size_t>(m_communicator.ranks);
    std::vector<std::vector<std::byte>> sent(ranks), received;
    for (size_t i = 0; i < m_parts.size(); ++i) {
      if (!m_parts[i].isSent) continue;
      std::vector<std::byte>& message = sent[static_cast<size_t>(m_parts[i].peer)];
      message.insert(message.end(), addresses[i], addresses[i] + bytesIn(m_parts[i]));
    }
    if (!exchangeOrAbort(m_communicator, sent, received)) {
      for (size_t i = 0; i < m_parts.size(); ++i)
        if (!m_parts[i].isSent) std::memset(addresses[i], 0, bytesIn(m_parts[i]));
      return;
    }
    std::vector<size_t> done(ranks);
    for (size_t i = 0; i < m_parts.size(); ++i) {
      if (m_parts[i].isSent) continue;
      const auto peer = static_cast<size_t>(m_parts[i].peer);
      if (done[peer] + bytesIn(m_parts[i]) > received[peer].size())
        throw std::runtime_error("another process sends fewer elements");
      std::memcpy(addresses[i], received[peer].data() + done[peer], bytesIn(m_parts[i]));
      done[peer] += bytesIn(m_parts[i]);
    }
  }

 private:
  static size_t bytesIn(const StrataCardPart& part) { return part.count * sizeof(float); }
  StrataCommunicator& m_communicator;
  const std::vector<StrataCardPart> m_parts;
};

/// Brings equally many bytes of all processes to each of them.
class GatherCall final : public HostCall {
 public:
  GatherCall(StrataCommunicator& communicator, size_t count, bool sums)
      : m_communicator(communicator), m_count(count), m_sums(sums) {}

  void run(const std::vector<std::byte*>& addresses, ThreadPool&) const override {
    const size_t bytes = m_count * sizeof(float);
    const auto ranks = static_cast<size_t>(m_communicator.ranks);
    std::vector<std::vector<std::byte>> received;
    if (!exchangeOrAbort(m_communicator, {ranks, bytesOf(addresses[0], bytes)}, received)) {
      std::memset(m_sums ? addresses[0] : addresses[1], 0, m_sums ? bytes : ranks * bytes);
      return;
    }
    for (const std::vector<std::byte>& each : received)
      if (each.size() != bytes) throw std::runtime_error("another process has other elements");
    if (!m_sums) {
      for (size_t rank = 0; rank < ranks; ++rank)
        std::memcpy(addresses[1] + rank * bytes, received[rank].data(), bytes);
      return;
    }
    auto* const total = reinterpret_cast<float*>(addresses[0]);
    std::memcpy(total, received[0].data(), bytes);
    for (size_t rank = 1; rank < ranks; ++rank) {
      const auto* const other = reinterpret_cast<const float*>(received[rank].data());
      for (size_t i = 0; i < m_count; ++i)
        total[i] = total[i] + other[i];
    }
  }

 private:
  StrataCommunicator& m_communicator;
  const size_t m_count;
  const bool m_sums;
};

int addToStream(CUstream stream, std::shared_ptr<const HostCall> call,
                const std::vector<CUdeviceptr>& addresses, const char* name) {
  constexpr int32_t kNoLibrary = -1;
  return addCall(stream, std::move(call), kNoLibrary, {}, addresses.data(), addresses.size(), 0,
                 name);
}

int exchange(StrataCommunicator* communicator, const StrataCardPart* parts, size_t count,
             CUstream stream) {
  std::vector<CUdeviceptr> addresses;
  for (size_t i = 0; i < count; ++i)
    addresses.push_back(parts[i].address);
  return addToStream(
      stream, std::make_shared<ExchangeCall>(*communicator, std::vector(parts, parts + count)),
      addresses, "simulated send and receive");
}

int gather(StrataCommunicator* communicator, CUdeviceptr from, CUdeviceptr to, size_t count,
           CUstream stream) {
  return addToStream(stream, std::make_shared<GatherCall>(*communicator, count, false), {from, to},
                     "simulated all-gather");
}

int sum(StrataCommunicator* communicator, CUdeviceptr values, size_t count, CUstream stream) {
  return addToStream(stream, std::make_shared<GatherCall>(*communicator, count, true), {values},
                     "simulated all-reduce");
}

}  // namespace

StrataCollectives simulatedCollectives() {
  return {identify, join, state, leave, interrupt, exchange, gather, sum, lastError};
}

}  // namespace strata::simulated
