// SPDX-License-Identifier: Apache-2.0
// Links of processes that are threads of a test. Thread: each link on a separate thread.
#pragma once

#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/exec/process_link.h"

namespace strata {

/// What the threads have sent to each other.
struct SentTexts {
  std::mutex mutex;
  std::condition_variable changed;
  // By sender and receiver
  std::map<std::pair<int, int>, std::deque<std::string>> texts;
};

class MemoryLink final : public ProcessLink {
 public:
  MemoryLink(SentTexts& sent, int rank, int size) : ProcessLink(rank, size), m_texts(sent) {}

  void exchange(std::span<const SentBytes> sent, std::span<const ReceivedBytes> received) override {
    requireWhole();
    std::unique_lock lock(m_texts.mutex);
    for (const SentBytes& each : sent)
      m_texts.texts[{rank(), each.peer}].emplace_back(reinterpret_cast<const char*>(each.bytes),
                                                      each.count);
    m_texts.changed.notify_all();
    for (const ReceivedBytes& each : received) {
      std::deque<std::string>& waiting = m_texts.texts[{each.peer, rank()}];
      m_texts.changed.wait(lock, [&] { return !waiting.empty() || isBroken(); });
      requireWhole();
      require(waiting.front().size() == each.count, "a receiver expects as much as was sent");
      std::memcpy(each.bytes, waiting.front().data(), each.count);
      waiting.pop_front();
    }
  }

 private:
  SentTexts& m_texts;
};

/// Runs `work` on `size` threads with a link each.
inline void runLinked(int size, const std::function<void(ProcessLink&)>& work) {
  SentTexts sent;
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&sent, &work, rank, size] {
      MemoryLink link(sent, rank, size);
      work(link);
    });
}

}  // namespace strata
