// SPDX-License-Identifier: Apache-2.0
#include "core/launch/launcher.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <thread>

#include "core/project/project.h"
#include "core/runs/run_directory.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"
#include "gpu/exec/process_link.h"

extern char** environ;

namespace strata {

using Kind = ControlMessage::Kind;
using std::chrono::seconds;

static constexpr seconds kMaxStart{90}, kMaxEnding{3}, kMaxExit{12}, kMaxLock{30};
static constexpr std::chrono::milliseconds kSettling{400};
static constexpr int kFailed = 1, kStopped = 130;

/// One start of the processes.
struct Launcher::Attempt {
  Attempt(const LaunchOptions& options)
      : server(options.processes, options.hosts.empty() && !options.isSlurm), began(Clock::now()) {}

  ControlServer server;
  pid_t process = 0;
  Clock::time_point began;
  // Its status after it has ended
  std::optional<int> status;
  bool isStopping = false;
  // Why the run cannot go on; empty while it can
  std::string loss;
  enum class Stage : uint8_t { Running, Saving, Leaving, Ending, Killed };
  Stage stage = Stage::Running;
  // When the next stage begins at the latest
  Clock::time_point deadline;
  void begin(Stage next, Clock::duration longest) {
    stage = next;
    deadline = Clock::now() + longest;
  }
};

std::string Launcher::nameOf(const Attempt& attempt, int rank) const {
  const WorkerState& worker = attempt.server.workers()[static_cast<size_t>(rank)];
  std::string name = "process " + std::to_string(rank);
  if (!worker.host.empty())
    name += " on " + worker.host + " (PID " + std::to_string(worker.process) + ")";
  return name;
}

void Launcher::start(Attempt& attempt) {
  LaunchOptions options = m_options;
  if (!m_run.empty()) options.words = wordsToResume(options.words, m_run);
  const LaunchCommand command =
      composeCommand(options, attempt.server.addresses(), attempt.server.secret());
  m_say("starting " + std::to_string(options.processes) +
        " processes: " + commandText(command.words));
  std::vector<std::string> variables;
  for (char** each = environ; *each; ++each) {
    const std::string variable = *each, name = variable.substr(0, variable.find('='));
    if (std::ranges::none_of(command.environment,
                             [&](const auto& own) { return own.first == name; }))
      variables.push_back(variable);
  }
  for (const auto& [name, value] : command.environment)
    variables.push_back(name + "=" + value);
  const auto pointersOf = [](const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const std::string& text : texts)
      pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
  };
  // Ctrl-C in a terminal must reach launch alone
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  const int problem =
      ::posix_spawnp(&attempt.process, command.words.front().c_str(), &actions, &attributes,
                     pointersOf(command.words).data(), pointersOf(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0)
    throw Error(ErrorCode::IoFailure, command.words.front(),
                std::string("cannot be started (") + std::strerror(problem) +
                    "). Run strata doctor for help.");
}

void Launcher::takeSignals(Attempt& attempt) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  const timespec none{0, 0};
  while (::sigtimedwait(&set, nullptr, &none) > 0) {
    if (attempt.isStopping) {
      attempt.loss = "ended without saving";
      killAll(attempt);
      continue;
    }
    attempt.isStopping = true;
    m_say("stopping: the run saves the network. Press Ctrl-C again to end it without saving.");
    attempt.server.sendToAll({.kind = Kind::Stop});
  }
}

/// Returns whether a process has ended because of others, one of which may be lost. Launch learns
/// which one a moment later.
static bool mayFollowLoss(const WorkerState& worker) {
  return worker.hasEnded && worker.code == kFailed &&
         worker.error.find(kProcesses + std::string(":")) != std::string::npos &&
         Clock::now() - worker.heard < 2 * kSettling;
}

/// Returns why the run cannot go on; empty if it can.
std::string Launcher::lossIn(const Attempt& attempt) const {
  // Its processes end directly after it
  if (attempt.status) {
    const int status = *attempt.status;
    return (m_options.isSlurm ? "srun " : "mpirun ") +
           (WIFSIGNALED(status) ? "was killed by signal " + std::to_string(WTERMSIG(status))
                                : "ended with exit code " + std::to_string(WEXITSTATUS(status)));
  }
  const std::vector<WorkerState>& workers = attempt.server.workers();
  for (size_t i = 0; i < workers.size(); ++i) {
    const WorkerState& worker = workers[i];
    const std::string name = nameOf(attempt, static_cast<int>(i));
    if (worker.hasEnded) {
      if (i == 0 || worker.code != kFailed || mayFollowLoss(worker)) continue;
      std::string error = worker.error;
      while (error.ends_with('.'))
        error.pop_back();
      return name + " failed: " + error;
    }
    if (!worker.hasJoined) {
      if (Clock::now() - attempt.began > kMaxStart)
        return name + " did not start within " + std::to_string(kMaxStart.count()) + " s";
      continue;
    }
    // If mpirun ends, its processes end a moment earlier
    if (!worker.isConnected && Clock::now() - worker.heard < kSettling) continue;
    if (!worker.isConnected)
      return name + " ended unexpectedly after step " + std::to_string(worker.step);
    if (Clock::now() - worker.heard > kMaxSilence)
      return name + " was silent for " + std::to_string(kMaxSilence.count()) + " s after step " +
             std::to_string(worker.step);
  }
  return {};
}

void Launcher::killAll(Attempt& attempt) {
  attempt.begin(Attempt::Stage::Killed, kMaxExit);
  ::kill(-attempt.process, SIGKILL);
  // mpirun gives each process on this machine a separate process group
  const std::string host = hostName();
  for (const WorkerState& worker : attempt.server.workers()) {
    if (worker.host != host || worker.process <= 1) continue;
    std::error_code error;
    const auto program =
        std::filesystem::read_symlink("/proc/" + std::to_string(worker.process) + "/exe", error);
    if (!error && program == m_options.program) ::kill(static_cast<pid_t>(worker.process), SIGKILL);
  }
}

/// Looks at the processes once, and acts.
void Launcher::watch(Attempt& attempt) {
  if (int status = 0;
      !attempt.status && ::waitpid(attempt.process, &status, WNOHANG) == attempt.process)
    attempt.status = status;
  const std::vector<WorkerState>& workers = attempt.server.workers();
  const WorkerState& first = workers.front();
  const bool isLate = Clock::now() > attempt.deadline,
             haveAllEnded = std::ranges::all_of(workers, &WorkerState::hasEnded);
  const auto end = [&](Clock::duration longest) {
    attempt.server.sendToAll({.kind = Kind::End});
    attempt.begin(Attempt::Stage::Ending, longest);
  };
  switch (attempt.stage) {
    case Attempt::Stage::Running:
      if (first.hasEnded && !mayFollowLoss(first))
        return attempt.begin(Attempt::Stage::Leaving, kMaxEnding);
      attempt.loss = lossIn(attempt);
      if (attempt.loss.empty()) return;
      m_say(attempt.loss + ".");
      attempt.server.send(0, {.kind = Kind::Lost, .text = attempt.loss + "."});
      return attempt.begin(Attempt::Stage::Saving, kMaxSaving);
    case Attempt::Stage::Saving:
      if (first.hasEnded || !first.isConnected || isLate) end(kMaxEnding);
      return;
    // The others end directly after the first process
    case Attempt::Stage::Leaving:
      if (haveAllEnded || isLate) end(haveAllEnded ? kMaxExit : kMaxEnding);
      return;
    case Attempt::Stage::Ending:
      if (isLate && !attempt.status) killAll(attempt);
      return;
    case Attempt::Stage::Killed: return;
  }
}

/// Writes the state of each process for a window. A file that cannot be written does not stop a
/// run.
void Launcher::writeState(const Attempt& attempt) const {
  if (m_options.stateFile.empty()) return;
  Json workers = Json::array();
  for (const WorkerState& worker : attempt.server.workers()) {
    const std::string state = worker.hasEnded       ? "ended"
                              : !worker.hasJoined   ? "starting"
                              : !worker.isConnected ? "lost"
                                                    : worker.state;
    const double silent = std::chrono::duration<double>(Clock::now() - worker.heard).count();
    Json each{{"rank", workers.size()},    {"host", worker.host},
              {"process", worker.process}, {"state", state},
              {"step", worker.step},       {"seconds_silent", worker.hasJoined ? silent : 0.0},
              {"error", worker.error}};
    if (worker.hasEnded) each["code"] = worker.code;
    workers.push_back(std::move(each));
  }
  const Json state{{"run", m_run},
                   {"restarts", m_restarts},
                   {"problem", attempt.loss},
                   {"workers", std::move(workers)}};
  try {
    writeFileAtomically(m_options.stateFile, state.dump());
  }
  catch (const Error&) {
    // The next state is written again
  }
}

int Launcher::runOnce(bool& isLost) {
  constexpr int kMilliseconds = 100;
  constexpr std::chrono::milliseconds kBetweenStates{500};
  Clock::time_point written;
  Attempt attempt(m_options);
  start(attempt);
  while (!attempt.status || attempt.stage < Attempt::Stage::Ending) {
    attempt.server.handle(kMilliseconds);
    takeSignals(attempt);
    watch(attempt);
    if (!attempt.server.run().empty()) m_run = attempt.server.run();
    if (Clock::now() - written < kBetweenStates) continue;
    writeState(attempt);
    written = Clock::now();
  }
  writeState(attempt);
  // Processes that mpirun has lost may still be there
  if (!attempt.loss.empty()) {
    std::this_thread::sleep_for(seconds(1));
    killAll(attempt);
  }
  const WorkerState& first = attempt.server.workers().front();
  isLost = !attempt.loss.empty() && !attempt.isStopping;
  if (attempt.loss.empty() && first.hasEnded) return static_cast<int>(first.code);
  return attempt.isStopping ? kStopped : kFailed;
}

/// Waits until no process holds the lock of the run.
bool Launcher::awaitLock() const {
  const auto end = Clock::now() + kMaxLock;
  do {
    try {
      const RunLock lock(m_run);
      return true;
    }
    catch (const Error&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
  } while (Clock::now() < end);
  return false;
}

int Launcher::run() {
  for (int restart = 0;; ++restart) {
    bool isLost = false;
    const int code = runOnce(isLost);
    if (!isLost) return code;
    if (restart == m_options.maxRestarts) {
      if (!m_run.empty())
        m_say("the run is in " + m_run + ". Continue it with: strata launch -np " +
              std::to_string(m_options.processes) + " " +
              commandText(wordsToResume(m_options.words, m_run)));
      return code;
    }
    if (!m_run.empty() && !awaitLock()) {
      m_say(m_run + ": a process still trains in it, so the run is not started again.");
      return code;
    }
    m_say("restart " + std::to_string(restart + 1) + " of " +
          std::to_string(m_options.maxRestarts) +
          (m_run.empty() ? "." : " from the newest checkpoint of " + m_run + "."));
    m_restarts = restart + 1;
  }
}

}  // namespace strata
