// SPDX-License-Identifier: GPL-3.0-or-later
// One thread that works on the latest request only: a newer request replaces one that waits. Not a
// pool.
// Thread: post() from any thread; the work runs on the worker's own thread at kNice, and delivers
// there.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace strata::ui {

/// Of every thread that computes for the window: it stays behind the window's own, yet keeps a
/// quarter of a processor that another program holds (19 would leave a hundredth, and training
/// would stand still). The longest gap of the window is 14 to 16 ms with 5, 10 and 19 alike.
constexpr int kNice = 5;
void lowerPriorityOfThisThread();

template <class Request>
class LatestWorker {
 public:
  /// `work` is told by its token when a newer request waits or the worker goes.
  explicit LatestWorker(std::function<void(Request, std::stop_token)> work)
      : m_work(std::move(work)),
        m_thread([this](std::stop_token quit) { loop(std::move(quit)); }) {}
  ~LatestWorker() {
    m_thread.request_stop();
    const std::lock_guard lock(m_mutex);
    m_current.request_stop();
  }

  void post(Request request) {
    {
      const std::lock_guard lock(m_mutex);
      m_waiting = std::move(request);
      m_current.request_stop();
    }
    m_wake.notify_one();
  }
  /// Drops what waits and asks what runs to end.
  void cancel() {
    const std::lock_guard lock(m_mutex);
    m_waiting.reset();
    m_current.request_stop();
  }

 private:
  void loop(std::stop_token quit) {
    lowerPriorityOfThisThread();
    std::unique_lock lock(m_mutex);
    while (m_wake.wait(lock, quit, [this] { return m_waiting.has_value(); })) {
      if (quit.stop_requested()) return;
      Request request = std::move(*m_waiting);
      m_waiting.reset();
      m_current = std::stop_source();
      const std::stop_token token = m_current.get_token();
      lock.unlock();
      m_work(std::move(request), token);
      lock.lock();
    }
  }

  std::function<void(Request, std::stop_token)> m_work;
  std::mutex m_mutex;
  std::condition_variable_any m_wake;
  std::optional<Request> m_waiting;
  std::stop_source m_current;
  // last: ends before the rest goes
  std::jthread m_thread;
};

}  // namespace strata::ui
