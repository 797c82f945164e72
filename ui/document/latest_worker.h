// SPDX-License-Identifier: GPL-3.0-or-later
// A thread that works only on the latest request. A new request replaces a waiting one. It is not a
// thread pool. Thread: any thread may call post() and cancel(). The work runs on the worker thread,
// whose nice value is kNice.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace strata::ui {

/// The nice value of all threads that compute for the window. It is low enough to give these
/// threads some time while other programs are busy, and high enough to give precedence to the GUI
/// thread.
constexpr int kNice = 5;
void lowerPriorityOfThisThread();

template <class Request>
class LatestWorker {
 public:
  /// Calls `work` on the worker thread for each request that is not replaced or canceled before.
  /// The stop token asks `work` to return early when a newer request is posted, cancel() is called,
  /// or the worker is destroyed.
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
  /// Drops the waiting request and asks the running one to stop.
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
  // Declared last, so that the thread ends before the other members are destroyed.
  std::jthread m_thread;
};

}  // namespace strata::ui
