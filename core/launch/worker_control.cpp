// SPDX-License-Identifier: Apache-2.0
#include "core/launch/worker_control.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <fstream>

#include "gpu/base/debug.h"
#include "gpu/base/machine.h"

namespace strata {
namespace {

constexpr std::chrono::seconds kMaxEnd{15}, kMaxStopping{4};
constexpr int kConnectSeconds = 30;

}  // namespace

std::optional<LaunchPlace> launchPlace() {
  const auto addresses = environmentVariable(kLaunchAddresses),
             secret = environmentVariable(kLaunchSecret);
  if (!addresses || !secret) return std::nullopt;
  return LaunchPlace{*addresses, *secret};
}

WorkerControl::WorkerControl(const LaunchPlace& place, int rank, Calls calls)
    : m_rank(rank),
      m_calls(std::move(calls)),
      m_socket(connectControl(place.addresses, kConnectSeconds)),
      m_heard(Clock::now()) {
  // A process whose mpirun was killed must not stay, even if it is stopped
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  m_socket.send({.kind = ControlMessage::Kind::Hello,
                 .secret = place.secret,
                 .host = hostName(),
                 .rank = rank,
                 .process = ::getpid()});
  m_thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

WorkerControl::~WorkerControl() = default;

void WorkerControl::setState(const std::string& state) {
  const std::lock_guard lock(m_mutex);
  m_state = state;
}

void WorkerControl::setRun(const std::string& directory) {
  const std::lock_guard lock(m_mutex);
  m_socket.send({.kind = ControlMessage::Kind::Run, .text = directory});
}

bool WorkerControl::end(int code, const std::string& error) {
  std::unique_lock lock(m_mutex);
  m_isEnding = true;
  m_socket.send(
      {.kind = ControlMessage::Kind::Ended, .text = error, .step = m_step.load(), .code = code});
  m_changed.wait_for(lock, kMaxEnd, [this] { return m_mayEnd || m_isLost; });
  if (m_isSilent) endDaemon();
  return m_mayEnd && !m_isLost && (code == 0 || code == 130);
}

void WorkerControl::hear(const ControlMessage& message) {
  m_heard = Clock::now();
  if (message.kind == ControlMessage::Kind::Stop) m_calls.onStop();
  if (message.kind == ControlMessage::Kind::Lost) lose(message.text, false);
  if (message.kind != ControlMessage::Kind::End) return;
  bool isEnding = false;
  {
    const std::lock_guard lock(m_mutex);
    m_mayEnd = true;
    isEnding = m_isEnding;
  }
  m_changed.notify_all();
  if (!isEnding) lose("strata launch ends the run.", false);
}

void WorkerControl::lose(const std::string& why, bool isSilent) {
  {
    const std::lock_guard lock(m_mutex);
    if (m_isLost || (m_mayEnd && m_isEnding)) return;
    m_isLost = true;
    m_isSilent = isSilent;
  }
  m_lostAt = Clock::now();
  m_changed.notify_all();
  m_calls.onLost(why);
}

/// Ends the daemon of mpirun on this machine. If launch cannot be reached, mpirun on the other side
/// of the network cannot end it either.
void WorkerControl::endDaemon() const {
  const pid_t parent = ::getppid();
  std::string name;
  std::getline(std::ifstream("/proc/" + std::to_string(parent) + "/comm"), name);
  if (m_rank != 0 && name == "orted") ::kill(parent, SIGKILL);
}

void WorkerControl::run(const std::stop_token& stop) {
  auto nextBeat = Clock::now();
  while (!stop.stop_requested()) {
    std::vector<ControlMessage> messages;
    bool isOpen = false;
    int descriptor = -1;
    {
      const std::lock_guard lock(m_mutex);
      if (Clock::now() >= nextBeat) {
        nextBeat = Clock::now() + kBetweenBeats;
        m_socket.send({.kind = ControlMessage::Kind::Beat, .text = m_state, .step = m_step.load()});
      }
      m_socket.sendRest();
      messages = m_socket.read();
      isOpen = m_socket.isOpen();
      descriptor = m_socket.descriptor();
    }
    for (const ControlMessage& message : messages)
      hear(message);
    if (!isOpen) lose("strata launch has ended.", false);
    if (Clock::now() - m_heard > kMaxSilence)
      lose("strata launch was silent for 10 s. The network may be cut.", true);
    // The process may be unable to end by itself
    if (m_lostAt != Clock::time_point() &&
        Clock::now() - m_lostAt > (m_rank == 0 ? kMaxSaving : kMaxStopping)) {
      if (m_isSilent) endDaemon();
      ::_exit(1);
    }
    pollfd waiting{descriptor, POLLIN, 0};
    ::poll(&waiting, isOpen ? 1 : 0, 100);
  }
}

}  // namespace strata
