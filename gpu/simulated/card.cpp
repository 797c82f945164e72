// SPDX-License-Identifier: Apache-2.0
#include "gpu/simulated/card.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <tuple>

#include "gpu/base/error.h"
#include "gpu/cuda/lasting_errors.h"

namespace strata::simulated {
namespace {

// More waiting commands than this run although nobody waits for them
constexpr size_t kMaxQueued = 2048;
// What the context of a real driver takes, with its kernels and libraries: an estimate
constexpr size_t kContextBytes = size_t{480} << 20;
// The part of it that libraries take when they first compute a product or a convolution
constexpr size_t kProductBytes = size_t{24} << 20, kConvolutionBytes = size_t{40} << 20;

size_t queued(const std::vector<std::unique_ptr<CUstream_st>>& streams) {
  size_t result = 0;
  for (const auto& stream : streams)
    result += stream->queue.size();
  return result;
}

std::string nameOf(const Command& command) {
  switch (command.kind) {
    case Command::Kind::Launch: return std::string("kernel ") + command.kernel->name;
    case Command::Kind::Call: return "a library call";
    case Command::Kind::CopyIn: return "a copy from the host";
    case Command::Kind::CopyOut: return "a copy to the host";
    case Command::Kind::CopyWithin: return "a copy";
    case Command::Kind::CopyPeer: return "a copy between cards";
    case Command::Kind::Fill: return "a fill";
    case Command::Kind::Graph: return "a graph";
    default: return "an event";
  }
}

void fill(const Command& command) {
  if (command.valueBytes == 1) {
    std::memset(command.to, static_cast<int>(command.value), command.bytes);
    return;
  }
  for (size_t at = 0; at < command.bytes; at += sizeof command.value)
    std::memcpy(command.to + at, &command.value, sizeof command.value);
}

/// Returns for which op and layer a command is.
std::string placeOf(const Command& command) {
  if (command.op.empty()) return {};
  return " of op \"" + command.op + "\"" +
         (command.layer.empty() ? "" : " of layer " + command.layer);
}

}  // namespace

AllCards& allCards() {
  static AllCards* const result = new AllCards;
  return *result;
}

Card::Card(const StrataSimulatedCard& description, int ordinal)
    : m_description(description),
      m_name(description.name),
      m_properties(description.cudnnProperties ? description.cudnnProperties : ""),
      m_ordinal(ordinal),
      m_memory(description.memoryBytes - std::min(description.memoryBytes / 2, kContextBytes)),
      m_pool(std::max(1, description.threads)),
      m_random(description.order),
      m_failingCall(description.failingCall),
      m_failure(description.failure) {
  m_description.name = m_name.c_str();
  m_description.cudnnProperties = m_properties.c_str();
  m_context.card = this;
  unloadLibraries();
  for (int i = 0; i < m_pool.numWorkers(); ++i)
    m_blocks.push_back(std::make_unique<emulated::Block>());
}

Card::~Card() = default;

bool Card::canReopen(const StrataSimulatedCard& d) const {
  return m_isClosed && m_sticky == 0 && m_streams.empty() && m_memory.usedBytes() == 0 &&
         d.name == m_name && (d.cudnnProperties ? d.cudnnProperties : "") == m_properties &&
         d.major == m_description.major && d.minor == m_description.minor &&
         d.multiprocessors == m_description.multiprocessors &&
         d.clockKilohertz == m_description.clockKilohertz &&
         d.memoryBytes == m_description.memoryBytes &&
         d.bytesPerSecond == m_description.bytesPerSecond &&
         std::equal(std::begin(d.flopsPerSecond), std::end(d.flopsPerSecond),
                    m_description.flopsPerSecond) &&
         d.refusedProducts == m_description.refusedProducts &&
         d.peerFault == m_description.peerFault &&
         d.compilesEngines == m_description.compilesEngines && d.threads == m_description.threads;
}

void Card::reopen(const StrataSimulatedCard& description) {
  m_isClosed = false;
  unloadLibraries();
  forgetTime();
  m_utilization = -1;
  m_description.order = description.order;
  m_random = description.order;
  setFault(description.failingCall, description.failure);
}

void Card::unloadLibraries() {
  const size_t context = m_description.memoryBytes - m_memory.totalBytes();
  m_unloadedProducts = context < kContextBytes ? 0 : kProductBytes;
  m_unloadedConvolutions = context < kContextBytes ? 0 : kConvolutionBytes;
}

int Card::beginCall() {
  ++m_calls;
  if (m_sticky != 0) return m_sticky;
  if (m_failingCall == 0 || m_calls != m_failingCall) return 0;
  m_failingCall = 0;
  // From this result on, a real context answers nothing else
  if (cuda::isLasting(m_failure)) return failForever(m_failure, "the simulated fault");
  return m_failure;
}

void Card::setFault(int64_t failingCall, int failure) {
  m_failingCall = failingCall > 0 ? m_calls + failingCall : 0;
  m_failure = failure;
  m_sticky = 0;
  m_failureText.clear();
}

int Card::failForever(int result, const std::string& text) {
  m_sticky = result;
  m_failureText = text;
  for (const auto& stream : m_streams)
    stream->queue.clear();
  return result;
}

CUstream Card::makeStream() {
  m_streams.push_back(std::make_unique<CUstream_st>());
  CUstream_st& stream = *m_streams.back();
  stream.card = this;
  if (m_freeStreams.empty()) {
    stream.number = allCards().numStreams++;
  }
  else {
    std::tie(stream.number, stream.clock) = std::move(m_freeStreams.back());
    m_freeStreams.pop_back();
  }
  stream.seconds = m_latest;
  return &stream;
}

void Card::destroy(CUstream stream) {
  m_freeStreams.emplace_back(stream->number, std::move(stream->clock));
  std::erase_if(m_streams, [&](const auto& each) { return each.get() == stream; });
}

uint64_t Card::nextRandom() {
  m_random += 0x9e3779b97f4a7c15u;
  uint64_t value = m_random;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

int Card::add(CUstream stream, Command command) {
  const bool isWork = command.kind != Command::Kind::Record && command.kind != Command::Kind::Wait;
  if (stream->isAnnotated) {
    command.number = stream->workNumber;
    command.running = stream->running;
    command.isStoppable = stream->isStoppable;
  }
  if (command.kind == Command::Kind::Launch || command.kind == Command::Kind::Call) {
    if (!stream->isAnnotated)
      return failForever(STRATA_CUDA_INVALID_VALUE,
                         nameOf(command) + " was launched without saying which bytes it accesses");
    command.ranges = stream->ranges;
    command.op = stream->op;
    command.layer = stream->layer;
    // Work for no op only loads a library, and takes no time from a step
    if (!stream->op.empty())
      command.seconds =
          stream->nodeClock.take(command.speed.relativeTime, command.speed.copiedBytes);
  }
  command.seconds = wholeNanoseconds(command.seconds);
  if (stream->capture) {
    const int index = static_cast<int>(stream->capture->nodes.size());
    stream->capture->nodes.push_back({std::move(command), stream->last});
    stream->last = {index};
    return 0;
  }
  if (isWork) {
    stream->clock.join(m_hostClock);
    stream->clock.advance(stream->number);
    std::string what = nameOf(command);
    if (!stream->op.empty() && stream->isAnnotated) what += " of " + stream->op;
    const std::string conflict =
        allCards().accesses.add(stream->number, stream->clock, command.ranges, what);
    if (!conflict.empty()) return failForever(STRATA_CUDA_UNKNOWN, conflict);
  }
  command.stop = stream->stop;
  stream->queue.push_back(std::move(command));
  while (queued(m_streams) > kMaxQueued)
    if (const int result = progress()) return result;
  return 0;
}

/// Returns whether the first command of a stream can run. What a card that has failed should have
/// done is not awaited.
static bool isReady(const CUstream_st& stream) {
  if (stream.queue.empty()) return false;
  const Command& first = stream.queue.front();
  return first.kind != Command::Kind::Wait || first.event->reached >= first.record ||
         first.event->card->isLost();
}

/// Chooses the stream whose first command runs next.
CUstream Card::choose() {
  std::vector<CUstream> ready;
  for (const auto& stream : m_streams)
    if (isReady(*stream)) ready.push_back(stream.get());
  if (ready.empty()) return nullptr;
  return m_description.order == 0 ? ready.front() : ready[nextRandom() % ready.size()];
}

int Card::progress() {
  if (const CUstream stream = choose()) return runFirst(stream);
  if (queued(m_streams) == 0) return 0;
  // Only other cards have work that this one waits for
  for (const auto& other : allCards().cards)
    if (const CUstream stream = other->choose()) {
      other->runFirst(stream);
      return m_sticky;
    }
  return failForever(STRATA_CUDA_UNKNOWN, "a stream waits for an event that is never recorded");
}

int Card::forget(uint64_t begin, size_t bytes) {
  allCards().accesses.forget(begin, bytes);
  for (const auto& other : allCards().cards)
    for (const auto& stream : other->m_streams)
      for (const Command& command : stream->queue)
        for (const AccessRange& range : command.ranges)
          if (other.get() != this && range.begin < begin + bytes &&
              begin < range.begin + range.bytes)
            return failForever(STRATA_CUDA_ILLEGAL_ADDRESS,
                               "memory is freed before " + nameOf(command) + " of card " +
                                   std::to_string(other->ordinal()) + " has accessed it");
  return 0;
}

int Card::runFirst(CUstream stream) {
  const Command command = std::move(stream->queue.front());
  stream->queue.pop_front();
  switch (command.kind) {
    case Command::Kind::Record:
      command.event->reached = std::max(command.event->reached, command.record);
      command.event->seconds = stream->seconds;
      return 0;
    case Command::Kind::Wait:
      stream->seconds = std::max(stream->seconds, command.event->seconds);
      return 0;
    default: break;
  }
  if (m_recording.isOn && command.kind == Command::Kind::Graph)
    recordGraph(*command.graph, *stream);
  else if (m_recording.isOn)
    m_recording.add(command, stream->number, stream->seconds);
  noteTime(command, stream->seconds);
  stream->seconds += command.seconds;
  return execute(command, command.stop, *stream);
}

/// Notes that a command takes its time from `begin` on.
void Card::noteTime(const Command& command, double begin) {
  const double end = begin + command.seconds;
  m_latest = std::max(m_latest, end);
  const bool isKernel = command.kind == Command::Kind::Launch ||
                        command.kind == Command::Kind::Call || command.kind == Command::Kind::Graph;
  if (!isKernel) return;
  // Kernels of several streams may overlap
  m_busySeconds += std::max(0.0, end - std::max(begin, m_busyUntil));
  m_busyUntil = std::max(m_busyUntil, end);
}

double Card::takeUtilization() {
  // Shorter times may have no kernels by chance
  constexpr double kPeriodSeconds = 1e-3;
  const double passed = m_latest - m_takenLatest;
  if (passed > 0) m_utilization = std::clamp((m_busySeconds - m_takenBusy) / passed, 0.0, 1.0);
  if (passed >= kPeriodSeconds) forgetTime();
  return m_utilization;
}

void Card::forgetTime() {
  m_takenLatest = m_latest;
  m_takenBusy = m_busySeconds;
}

/// The nodes of a graph take their times one after the other, in the order of the capture.
void Card::recordGraph(const CUgraphExec_st& graph, const CUstream_st& stream) {
  double seconds = stream.seconds;
  for (const CUgraph_st::Node& node : graph.nodes) {
    m_recording.add(node.command, stream.number, seconds);
    seconds += node.command.seconds;
  }
}

void Card::alignStreams() {
  double latest = 0;
  for (const auto& stream : m_streams)
    latest = std::max(latest, stream->seconds);
  for (const auto& stream : m_streams)
    stream->seconds = latest;
}

/// Returns whether a stop was requested in time to skip this work. A step that is stopped changes
/// nothing: it counts as one that ran while `running` was 0.
bool Card::skips(const Command& command, const StepStop& stop, CUstream_st& stream) {
  if (command.running == 0 || !stop.rule.isRequested) return false;
  if (stream.stoppedStep == stop.step) return true;
  if (!command.isStoppable || !stop.rule.isRequested(stop.rule.step)) return false;
  stream.stoppedStep = stop.step;
  std::memset(hostByte(command.running), 0, sizeof(float));
  return true;
}

int Card::execute(const Command& command, const StepStop& stop, CUstream_st& stream) {
  if (command.kind == Command::Kind::Graph) return executeGraph(*command.graph, stop, stream);
  if (skips(command, stop, stream)) return 0;
  switch (command.kind) {
    case Command::Kind::CopyIn:
    case Command::Kind::CopyOut:
    case Command::Kind::CopyWithin:
    case Command::Kind::CopyPeer:
      std::memmove(command.to, command.staged.empty() ? command.from : command.staged.data(),
                   command.bytes);
      return 0;
    case Command::Kind::Fill: fill(command); return 0;
    default: break;
  }
  try {
    if (command.kind == Command::Kind::Call)
      command.call->run(command.addresses, m_pool);
    else
      launch(command);
  }
  catch (const std::exception& error) {
    return failForever(STRATA_CUDA_LAUNCH_FAILED,
                       nameOf(command) + placeOf(command) + ": " + error.what());
  }
  return 0;
}

/// Runs the nodes of a graph in a random order that its edges allow. The stream has the time at
/// which the graph ends; nodes take their times one after the other, in the order of the capture.
int Card::executeGraph(const CUgraphExec_st& graph, const StepStop& stop, CUstream_st& stream) {
  std::vector<double> begins;
  double begin = stream.seconds - graph.seconds;
  for (const CUgraph_st::Node& node : graph.nodes) {
    begins.push_back(begin);
    begin += node.command.seconds;
  }
  std::vector<int> missing(graph.nodes.size(), 0);
  std::vector<std::vector<int>> followers(graph.nodes.size());
  std::vector<int> ready;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    missing[i] = static_cast<int>(graph.nodes[i].after.size());
    for (const int before : graph.nodes[i].after)
      followers[static_cast<size_t>(before)].push_back(static_cast<int>(i));
    if (missing[i] == 0) ready.push_back(static_cast<int>(i));
  }
  while (!ready.empty()) {
    const size_t at = m_description.order == 0 ? 0 : nextRandom() % ready.size();
    const auto node = static_cast<size_t>(ready[at]);
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(at));
    const Command& command = graph.nodes[node].command;
    if (command.kind == Command::Kind::Record) {
      ++command.event->recorded;
      ++command.event->reached;
      command.event->seconds = begins[node];
    }
    else if (const int result = execute(command, stop, stream)) {
      return result;
    }
    for (const int follower : followers[node])
      if (--missing[static_cast<size_t>(follower)] == 0) ready.push_back(follower);
  }
  return 0;
}

void Card::launch(const Command& command) {
  const int64_t blocks = static_cast<int64_t>(command.grid.x) * command.grid.y * command.grid.z;
  const uint64_t seed = m_description.order == 0 ? 0 : nextRandom();
  const auto order = m_description.order == 0 ? emulated::ThreadOrder::Forward
                                              : static_cast<emulated::ThreadOrder>(seed % 3);
  std::atomic<int64_t> next{0};
  const auto run = [&](int worker) {
    emulated::Block& runner = *m_blocks[static_cast<size_t>(worker)];
    // Blocks may run in any order
    constexpr int64_t kAtOnce = 4;
    for (int64_t begin = next.fetch_add(kAtOnce); begin < blocks; begin = next.fetch_add(kAtOnce))
      for (int64_t i = begin; i < std::min(blocks, begin + kAtOnce); ++i) {
        const int64_t number = order == emulated::ThreadOrder::Forward ? i : blocks - 1 - i;
        const auto x = static_cast<int64_t>(command.grid.x);
        const auto y = static_cast<int64_t>(command.grid.y);
        const emulated::Index block{static_cast<unsigned>(number % x),
                                    static_cast<unsigned>(number / x % y),
                                    static_cast<unsigned>(number / x / y)};
        runner.run(*command.kernel, command.bound.data(), block, command.block, command.grid, order,
                   seed);
      }
  };
  // Waking other threads for a small launch takes longer than running it
  constexpr int64_t kMinThreadsForPool = 4096;
  if (blocks * command.block.x * command.block.y * command.block.z < kMinThreadsForPool)
    run(0);
  else
    m_pool.run(run);
}

int Card::finish(CUevent event) {
  while (event->reached < event->recorded)
    if (const int result = progress()) return result;
  m_hostClock.join(event->clock);
  return m_sticky;
}

int Card::finish(CUstream stream) {
  while (!stream->queue.empty())
    if (const int result = progress()) return result;
  m_hostClock.join(stream->clock);
  return m_sticky;
}

int Card::finishAll() {
  while (queued(m_streams) > 0)
    if (const int result = progress()) return result;
  for (const auto& stream : m_streams)
    m_hostClock.join(stream->clock);
  return m_sticky;
}

int Card::record(CUevent event, CUstream stream, bool isExternal) {
  if (event->card != this) return STRATA_CUDA_INVALID_HANDLE;
  if (stream->capture && isExternal) {
    // A node that records the event whenever the graph runs
    Command command;
    command.kind = Command::Kind::Record;
    command.event = event;
    return add(stream, std::move(command));
  }
  if (stream->capture) {
    event->graph = stream->capture;
    event->nodes = stream->last;
    return 0;
  }
  event->graph = nullptr;
  event->clock = stream->clock;
  event->clock.join(m_hostClock);
  Command command;
  command.kind = Command::Kind::Record;
  command.event = event;
  command.record = ++event->recorded;
  return add(stream, std::move(command));
}

int Card::wait(CUstream stream, CUevent event) {
  if (event->graph) {
    // The stream joins the capture
    if (stream->capture && stream->capture != event->graph) return STRATA_CUDA_CAPTURE_INVALIDATED;
    stream->capture = event->graph;
    for (const int node : event->nodes)
      if (std::ranges::find(stream->last, node) == stream->last.end()) stream->last.push_back(node);
    return 0;
  }
  if (stream->capture) return STRATA_CUDA_CAPTURE_UNSUPPORTED;
  stream->clock.join(event->clock);
  Command command;
  command.kind = Command::Kind::Wait;
  command.event = event;
  command.record = event->recorded;
  return add(stream, std::move(command));
}

int Card::beginCapture(CUstream stream) {
  if (stream->capture) return STRATA_CUDA_CAPTURE_UNSUPPORTED;
  stream->capture = new CUgraph_st;
  stream->capture->origin = stream;
  stream->capture->thread = std::this_thread::get_id();
  stream->last.clear();
  return 0;
}

bool Card::isCapturing() const {
  return std::ranges::any_of(m_streams, [](const auto& stream) {
    return stream->capture && stream->capture->thread == std::this_thread::get_id();
  });
}

void Card::invalidateCaptures() {
  for (const auto& stream : m_streams)
    if (stream->capture && stream->capture->thread == std::this_thread::get_id())
      stream->capture->isInvalid = true;
}

int Card::endCapture(CUstream stream, CUgraph* graph) {
  const CUgraph captured = stream->capture;
  if (!captured || captured->origin != stream) return STRATA_CUDA_CAPTURE_UNSUPPORTED;
  // Every other stream must have been joined: its last node happens before the last of this one
  std::vector<char> isBefore(captured->nodes.size(), 0);
  std::vector<int> open = stream->last;
  while (!open.empty()) {
    const auto node = static_cast<size_t>(open.back());
    open.pop_back();
    if (isBefore[node]) continue;
    isBefore[node] = 1;
    open.insert(open.end(), captured->nodes[node].after.begin(), captured->nodes[node].after.end());
  }
  bool isJoined = true;
  for (const auto& each : m_streams) {
    if (each->capture != captured) continue;
    for (const int node : each->last)
      isJoined = isJoined && isBefore[static_cast<size_t>(node)];
    each->capture = nullptr;
    each->last.clear();
  }
  if (captured->isInvalid || !isJoined) {
    const int result =
        captured->isInvalid ? STRATA_CUDA_CAPTURE_INVALIDATED : STRATA_CUDA_CAPTURE_UNJOINED;
    delete captured;
    *graph = nullptr;
    return result;
  }
  *graph = captured;
  return 0;
}

int Card::instantiate(CUgraph graph, CUgraphExec* executable) {
  // Unordered nodes must not access the same bytes. A node's clock counts it in a stream of its
  // own.
  AccessOrder accesses;
  std::vector<Clock> clocks(graph->nodes.size());
  auto result = std::make_unique<CUgraphExec_st>();
  for (size_t i = 0; i < graph->nodes.size(); ++i) {
    const CUgraph_st::Node& node = graph->nodes[i];
    for (const int before : node.after)
      clocks[i].join(clocks[static_cast<size_t>(before)]);
    clocks[i].advance(static_cast<int>(i));
    const std::string conflict =
        accesses.add(static_cast<int>(i), clocks[i], node.command.ranges, nameOf(node.command));
    if (!conflict.empty()) return failForever(STRATA_CUDA_UNKNOWN, conflict);
    result->ranges.insert(result->ranges.end(), node.command.ranges.begin(),
                          node.command.ranges.end());
  }
  for (const CUgraph_st::Node& node : graph->nodes)
    result->seconds += node.command.seconds;
  result->nodes = graph->nodes;
  *executable = result.release();
  return 0;
}

}  // namespace strata::simulated
