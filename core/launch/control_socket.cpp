// SPDX-License-Identifier: Apache-2.0
#include "core/launch/control_socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "gpu/base/clock.h"
#include "gpu/base/error.h"

namespace strata {
namespace {

// A peer that does not read gets no more
constexpr size_t kMaxUnsentBytes = 1 << 20;

[[noreturn]] void failSocket(const std::string& what) {
  throw Error(ErrorCode::IoFailure, "launch",
              what + " (" + std::string(std::strerror(errno)) + "). Look at the network.");
}

sockaddr_in addressOf(in_addr_t host, uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = host;
  address.sin_port = htons(port);
  return address;
}

const sockaddr* generic(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

void tuneSocket(int descriptor) {
  const int on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// Tries to connect for `milliseconds`.
Descriptor connectTo(const sockaddr_in& address, int milliseconds) {
  Descriptor result(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!result) return result;
  if (::connect(result.number(), generic(address), sizeof address) != 0) {
    if (errno != EINPROGRESS) return Descriptor();
    pollfd waiting{result.number(), POLLOUT, 0};
    if (::poll(&waiting, 1, milliseconds) != 1) return Descriptor();
    int problem = 0;
    socklen_t size = sizeof problem;
    ::getsockopt(result.number(), SOL_SOCKET, SO_ERROR, &problem, &size);
    if (problem != 0) return Descriptor();
  }
  tuneSocket(result.number());
  return result;
}

/// Reads "10.0.0.5:4711".
std::optional<sockaddr_in> parseAddress(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  in_addr host{};
  uint16_t port = 0;
  const char* const end = text.data() + text.size();
  if (::inet_pton(AF_INET, text.substr(0, colon).c_str(), &host) != 1 ||
      std::from_chars(text.data() + colon + 1, end, port).ptr != end)
    return std::nullopt;
  return addressOf(host.s_addr, port);
}

}  // namespace

Descriptor::~Descriptor() {
  if (m_number >= 0) ::close(m_number);
}

Descriptor::Descriptor(Descriptor&& other) noexcept : m_number(std::exchange(other.m_number, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this == &other) return *this;
  if (m_number >= 0) ::close(m_number);
  m_number = std::exchange(other.m_number, -1);
  return *this;
}

ControlSocket::ControlSocket(Descriptor descriptor) : m_descriptor(std::move(descriptor)) {}

std::vector<ControlMessage> ControlSocket::read() {
  std::vector<ControlMessage> messages;
  char buffer[4096];
  while (isOpen()) {
    const ssize_t count = ::recv(descriptor(), buffer, sizeof buffer, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (count <= 0) {
      close();
      break;
    }
    m_reader.add({buffer, static_cast<size_t>(count)});
    try {
      while (auto message = m_reader.next())
        messages.push_back(std::move(*message));
    }
    catch (const Error&) {
      close();
    }
  }
  return messages;
}

void ControlSocket::send(const ControlMessage& message) {
  m_unsent += printMessage(message);
  sendRest();
}

void ControlSocket::sendRest() {
  while (isOpen() && !m_unsent.empty()) {
    const ssize_t count = ::send(descriptor(), m_unsent.data(), m_unsent.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (m_unsent.size() > kMaxUnsentBytes) close();
      return;
    }
    if (count < 0) return close();
    m_unsent.erase(0, static_cast<size_t>(count));
  }
}

Descriptor listenForControl(bool isLoopback) {
  Descriptor result(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!result) failSocket("cannot open a control connection");
  const sockaddr_in address = addressOf(htonl(isLoopback ? INADDR_LOOPBACK : INADDR_ANY), 0);
  if (::bind(result.number(), generic(address), sizeof address) != 0 ||
      ::listen(result.number(), SOMAXCONN) != 0)
    failSocket("cannot listen for control connections");
  return result;
}

std::string addressesOf(const Descriptor& listening, bool isLoopback) {
  sockaddr_in bound{};
  socklen_t size = sizeof bound;
  ::getsockname(listening.number(), reinterpret_cast<sockaddr*>(&bound), &size);
  const std::string port = ":" + std::to_string(ntohs(bound.sin_port));
  std::string list;
  ifaddrs* all = nullptr;
  if (!isLoopback && ::getifaddrs(&all) == 0) {
    for (const ifaddrs* each = all; each; each = each->ifa_next) {
      if (!each->ifa_addr || each->ifa_addr->sa_family != AF_INET ||
          (each->ifa_flags & IFF_LOOPBACK) != 0)
        continue;
      char text[INET_ADDRSTRLEN] = {};
      ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr, text,
                  sizeof text);
      list += (list.empty() ? "" : ",") + std::string(text) + port;
    }
    ::freeifaddrs(all);
  }
  return list.empty() ? "127.0.0.1" + port : list;
}

Descriptor acceptControl(const Descriptor& listening) {
  Descriptor result(::accept4(listening.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (result) tuneSocket(result.number());
  return result;
}

Descriptor connectControl(const std::string& addresses, int seconds) {
  constexpr int kTryMilliseconds = 2000;
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  do {
    for (size_t begin = 0; begin < addresses.size();) {
      const size_t comma = std::min(addresses.find(',', begin), addresses.size());
      if (const auto address = parseAddress(addresses.substr(begin, comma - begin)))
        if (Descriptor result = connectTo(*address, kTryMilliseconds)) return result;
      begin = comma + 1;
    }
    ::usleep(100'000);
  } while (Clock::now() < end);
  throw Error(ErrorCode::IoFailure, "launch",
              "this process cannot reach strata launch at " + addresses +
                  ". Look at the network and the firewall between the hosts.");
}

}  // namespace strata
