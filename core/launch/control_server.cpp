// SPDX-License-Identifier: Apache-2.0
#include "core/launch/control_server.h"

#include <poll.h>

#include <algorithm>

namespace strata {

using Kind = ControlMessage::Kind;

// Connections that have not shown the secret yet
static constexpr size_t kMaxStrangers = 64;
static constexpr std::chrono::seconds kMaxHello{5};

ControlServer::ControlServer(int size, bool isLoopback)
    : m_isLoopback(isLoopback),
      m_secret(makeSecret()),
      m_listening(listenForControl(isLoopback)),
      m_workers(static_cast<size_t>(size)) {}

void ControlServer::accept() {
  while (true) {
    Descriptor descriptor = acceptControl(m_listening);
    if (!descriptor) return;
    const auto strangers = std::ranges::count(m_connections, -1, &Connection::rank);
    if (static_cast<size_t>(strangers) < kMaxStrangers)
      m_connections.push_back({ControlSocket(std::move(descriptor)), Clock::now(), -1});
  }
}

void ControlServer::hear(Connection& connection, const ControlMessage& message) {
  if (connection.rank < 0) {
    const bool isKnown = message.kind == Kind::Hello && isSameSecret(message.secret, m_secret) &&
                         message.rank >= 0 && message.rank < std::ssize(m_workers) &&
                         !m_workers[static_cast<size_t>(message.rank)].hasJoined;
    if (!isKnown) return connection.socket.close();
    connection.rank = static_cast<int>(message.rank);
    WorkerState& worker = m_workers[static_cast<size_t>(connection.rank)];
    worker.isConnected = worker.hasJoined = true;
    worker.host = message.host;
    worker.process = message.process;
    worker.heard = Clock::now();
    return connection.socket.send({.kind = Kind::Welcome});
  }
  WorkerState& worker = m_workers[static_cast<size_t>(connection.rank)];
  worker.heard = Clock::now();
  if (message.kind == Kind::Beat) worker.state = message.text;
  if (message.kind == Kind::Beat || message.kind == Kind::Ended) worker.step = message.step;
  if (message.kind == Kind::Run && connection.rank == 0) m_run = message.text;
  if (message.kind != Kind::Ended) return;
  worker.hasEnded = true;
  worker.code = message.code;
  worker.error = message.text;
}

void ControlServer::beat() {
  if (Clock::now() - m_lastBeat < kBetweenBeats) return;
  m_lastBeat = Clock::now();
  for (Connection& each : m_connections)
    if (each.rank >= 0) each.socket.send({.kind = Kind::Beat});
}

void ControlServer::handle(int milliseconds) {
  std::vector<pollfd> waiting{{m_listening.number(), POLLIN, 0}};
  for (const Connection& each : m_connections)
    waiting.push_back({each.socket.descriptor(),
                       static_cast<short>(POLLIN | (each.socket.hasUnsent() ? POLLOUT : 0)), 0});
  ::poll(waiting.data(), waiting.size(), milliseconds);
  accept();
  for (Connection& each : m_connections) {
    each.socket.sendRest();
    for (const ControlMessage& message : each.socket.read())
      hear(each, message);
    if (each.rank < 0 && Clock::now() - each.began > kMaxHello) each.socket.close();
    if (each.rank < 0 || each.socket.isOpen()) continue;
    m_workers[static_cast<size_t>(each.rank)].isConnected = false;
    m_workers[static_cast<size_t>(each.rank)].heard = Clock::now();
  }
  std::erase_if(m_connections, [](const Connection& each) { return !each.socket.isOpen(); });
  beat();
}

void ControlServer::send(int rank, const ControlMessage& message) {
  for (Connection& each : m_connections)
    if (each.rank == rank) each.socket.send(message);
}

void ControlServer::sendToAll(const ControlMessage& message) {
  for (Connection& each : m_connections)
    if (each.rank >= 0) each.socket.send(message);
}

}  // namespace strata
