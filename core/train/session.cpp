// SPDX-License-Identifier: Apache-2.0
#include "core/train/session.h"

#include <condition_variable>
#include <mutex>
#include <thread>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/train/control.h"
#include "core/train/trainer.h"

namespace strata {

struct TrainingSession::Impl {
  Impl(SessionOptions options_, RunObserver& observer_)
      : options(std::move(options_)),
        observer(observer_),
        control(options.startsPaused, options.isProfiling) {
    control.capture(options.traceSteps);
  }

  void run();

  const SessionOptions options;
  RunObserver& observer;
  RunControl control;
  std::mutex mutex;
  std::condition_variable delivered;
  // `mutex` protects these two members.
  std::optional<RunOutcome> outcome;
  bool isStarted = false;
  std::jthread thread;
};

void TrainingSession::Impl::run() {
  if (options.niceness > 0)
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), options.niceness);
  RunOutcome result;
  // Catches all exceptions, so that a run always ends with an outcome.
  try {
    result = trainRun(options, control, observer);
  }
  catch (...) {
    result.outcome = Outcome::Failed;
    result.error = currentError();
  }
  control.setState(RunState::Ended);
  try {
    observer.onState(RunState::Ended);
    observer.onOutcome(result);
  }
  catch (const std::exception&) {
    // wait() still returns the outcome.
  }
  const std::lock_guard lock(mutex);
  outcome = std::move(result);
  delivered.notify_all();
}

TrainingSession::TrainingSession(SessionOptions options, RunObserver& observer)
    : m_impl(std::make_unique<Impl>(std::move(options), observer)) {}

TrainingSession::~TrainingSession() {
  m_impl->control.abandon();
  if (m_impl->thread.joinable()) m_impl->thread.join();
}

void TrainingSession::start() {
  const std::lock_guard lock(m_impl->mutex);
  if (std::exchange(m_impl->isStarted, true)) return;
  m_impl->thread = std::jthread([impl = m_impl.get()] { impl->run(); });
}

void TrainingSession::pause() { m_impl->control.pause(); }
void TrainingSession::resume() { m_impl->control.resume(); }
void TrainingSession::step() { m_impl->control.step(); }
void TrainingSession::stop() { m_impl->control.stop(); }
void TrainingSession::setProfiling(bool on) { m_impl->control.setProfiling(on); }
void TrainingSession::setLayerSampling(bool on) { m_impl->control.setLayerSampling(on); }
void TrainingSession::capture(int64_t steps) { m_impl->control.capture(steps); }
void TrainingSession::change(const std::string& name, double value, int64_t step) {
  m_impl->control.change({name, value, step});
}
void TrainingSession::answerDisk(DiskAnswer answer) { m_impl->control.answer(std::move(answer)); }
RunState TrainingSession::state() const { return m_impl->control.state(); }

RunOutcome TrainingSession::wait() {
  std::unique_lock lock(m_impl->mutex);
  if (!m_impl->isStarted) {
    RunOutcome never;
    never.outcome = Outcome::Stopped;
    return never;
  }
  m_impl->delivered.wait(lock, [&] { return m_impl->outcome.has_value(); });
  return *m_impl->outcome;
}

}  // namespace strata
