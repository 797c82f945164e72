// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/emulation/block.h"

#include <sys/mman.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#include <algorithm>
#include <array>
#include <map>
#include <new>
#include <numeric>
#include <string_view>

namespace strata::emulated {

thread_local Thread* current __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

#if defined(__SANITIZE_THREAD__)
// For functions that go on on another stack: the sanitizer counts calls and returns by stack
#define STRATA_LEAVES_ITS_STACK __attribute__((no_sanitize("thread")))
#else
#define STRATA_LEAVES_ITS_STACK
#endif
#if defined(__SANITIZE_ADDRESS__)
// Frames have red zones
constexpr size_t kStackBytes = 512 * 1024;
#else
constexpr size_t kStackBytes = 64 * 1024;
#endif
// Fibers use their stacks at different offsets, which fall on different lines of caches
constexpr size_t kStackOffsets = 64, kStackOffsetBytes = 576;
constexpr int kLanes = 32;

uint64_t mixed(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

std::map<std::string_view, Kernel>& kernels() {
  static std::map<std::string_view, Kernel> result;
  return result;
}

}  // namespace

bool registerKernel(const Kernel& kernel) { return kernels().emplace(kernel.name, kernel).second; }

const Kernel* findKernel(const char* name) {
  const auto found = kernels().find(name);
  return found == kernels().end() ? nullptr : &found->second;
}

// Saves the registers of a fiber on its stack and continues another one (System V ABI).
extern "C" void strataSwitchFiber(void** saved, void* next);
#if defined(__x86_64__)
asm(R"(
.text
.p2align 4
.hidden strataSwitchFiber
.globl strataSwitchFiber
.type strataSwitchFiber,@function
strataSwitchFiber:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size strataSwitchFiber,.-strataSwitchFiber
)");
constexpr size_t kSavedRegisters = 6;
#elif defined(__aarch64__)
asm(R"(
.text
.p2align 4
.hidden strataSwitchFiber
.globl strataSwitchFiber
.type strataSwitchFiber,%function
strataSwitchFiber:
  sub sp, sp, #176
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #176
  ret
.size strataSwitchFiber,.-strataSwitchFiber
)");
#else
#error "simulated cards need a switch of fibers for this processor"
#endif

struct Block::Fiber {
  Thread thread;
  std::byte* stack = nullptr;
  void* saved = nullptr;
  // What a sanitizer keeps for a stack
  void* sanitized = nullptr;
  bool isDone = false;
  // The fiber waits while *waits == waitValue
  const uint32_t* waits = nullptr;
  uint32_t waitValue = 0;
  unsigned exchanges = 0;

  bool isReady() const { return !isDone && (!waits || *waits != waitValue); }

  Fiber() {
    void* memory =
        mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    stack = static_cast<std::byte*>(memory);
  }
  ~Fiber() {
    munmap(stack, kStackBytes);
#if defined(__SANITIZE_THREAD__)
    if (sanitized) __tsan_destroy_fiber(sanitized);
#endif
  }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
};

struct Block::Warp {
  std::array<std::array<uint32_t, kLanes>, 2> values{};
  int lanes = 0, arrived = 0;
  uint32_t generation = 0;
};

struct Block::Shared {
  const void* site = nullptr;
  std::vector<std::byte> data;
  std::vector<Shadow> shadow;
  bool isUsed = false;
};

Block::Block() = default;
Block::~Block() = default;

/// Continues `to`, or the thread that runs the block if it is null. `from` is the running fiber;
/// null: the thread.
STRATA_LEAVES_ITS_STACK void Block::switchFiber(Fiber* from, Fiber* to) {
  void** const saved = from ? &from->saved : &m_schedulerStack;
  void* const next = to ? to->saved : m_schedulerStack;
#if defined(__SANITIZE_ADDRESS__)
  void** const kept = from ? &from->sanitized : &m_sanitized;
  __sanitizer_start_switch_fiber(from && from->isDone ? nullptr : kept,
                                 to ? to->stack : m_schedulerBottom,
                                 to ? kStackBytes : m_schedulerBytes);
  strataSwitchFiber(saved, next);
  __sanitizer_finish_switch_fiber(*kept, nullptr, nullptr);
#else
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(to ? to->sanitized : m_sanitized, 0);
#endif
  strataSwitchFiber(saved, next);
#endif
}

/// Numbers the threads of a block and orders them. Most blocks are like the one before.
void Block::arrangeThreads(Index blockDim, ThreadOrder order, uint64_t seed) {
  if (order == m_arranged.order && seed == m_arranged.seed && blockDim == m_arranged.blockDim)
    return;
  m_arranged = {blockDim, order, seed};
  m_indices.clear();
  for (unsigned z = 0; z < blockDim.z; ++z)
    for (unsigned y = 0; y < blockDim.y; ++y)
      for (unsigned x = 0; x < blockDim.x; ++x)
        m_indices.push_back({x, y, z});
  m_order.resize(m_indices.size());
  std::iota(m_order.begin(), m_order.end(), 0);
  if (order == ThreadOrder::Reverse) std::ranges::reverse(m_order);
  if (order == ThreadOrder::Shuffled)
    for (size_t i = m_order.size(); i > 1; --i)
      std::swap(m_order[i - 1], m_order[mixed(seed + i) % i]);
}

void Block::run(const Kernel& kernel, const void* bound, Index block, Index blockDim, Index gridDim,
                ThreadOrder order, uint64_t seed) {
  m_kernel = &kernel;
  m_bound = bound;
  arrangeThreads(blockDim, order, seed);
  const auto count = static_cast<int>(m_order.size());
  Thread* const before = current;
  if (!kernel.isCooperative) {
    Thread thread{{}, block, blockDim, gridDim, this, 0};
    current = &thread;
    try {
      for (const int number : m_order) {
        thread.thread = m_indices[static_cast<size_t>(number)];
        thread.number = number;
        kernel.call(bound);
      }
    }
    catch (...) {
      current = before;
      throw;
    }
    current = before;
    return;
  }
  while (m_fibers.size() < static_cast<size_t>(count))
    m_fibers.push_back(std::make_unique<Fiber>());
  for (int i = 0; i < count; ++i) {
    Fiber& fiber = *m_fibers[static_cast<size_t>(i)];
    fiber.thread = {m_indices[static_cast<size_t>(i)], block, blockDim, gridDim, this, i, &m_epoch};
    prepare(fiber);
  }
  m_warps.assign(static_cast<size_t>((count + kLanes - 1) / kLanes), Warp{});
  for (int i = 0; i < count; ++i)
    ++m_warps[static_cast<size_t>(i / kLanes)].lanes;
  for (Shared& shared : m_shared)
    shared.isUsed = false;
  m_count = count;
  m_exited = m_arrived = 0;
  countEpoch();
  m_failure.clear();
  runCooperative();
  current = before;
  if (!m_failure.empty()) throw KernelFailure(m_failure);
}

void Block::prepare(Fiber& fiber) {
#if defined(__SANITIZE_THREAD__)
  // Calls of an abandoned block never return
  if (!fiber.isDone) {
    if (fiber.sanitized) __tsan_destroy_fiber(fiber.sanitized);
    fiber.sanitized = __tsan_create_fiber(0);
  }
#endif
  fiber.isDone = false;
  fiber.waits = nullptr;
  fiber.exchanges = 0;
  std::byte* const end =
      fiber.stack + kStackBytes -
      static_cast<size_t>(fiber.thread.number) % kStackOffsets * kStackOffsetBytes;
#if defined(__x86_64__)
  auto* top = reinterpret_cast<void**>(end);
  // At the entry of a function, the stack pointer is 8 below a multiple of 16
  top -= 2;
  *top = reinterpret_cast<void*>(&Block::enter);
  fiber.saved = top - kSavedRegisters;
#else
  auto* top = reinterpret_cast<void**>(end) - 22;
  top[11] = reinterpret_cast<void*>(&Block::enter);
  fiber.saved = top;
#endif
}

STRATA_LEAVES_ITS_STACK void Block::enter() {
  Block& block = *current->owner;
  Fiber& fiber = *block.m_running;
#if defined(__SANITIZE_ADDRESS__)
  const void* bottom = nullptr;
  size_t bytes = 0;
  __sanitizer_finish_switch_fiber(nullptr, &bottom, &bytes);
  // The first fiber comes from the thread that runs the block
  if (!block.m_schedulerBottom) block.m_schedulerBottom = bottom, block.m_schedulerBytes = bytes;
#endif
  try {
    block.m_kernel->call(block.m_bound);
  }
  catch (const std::exception& error) {
    if (block.m_failure.empty()) block.m_failure = error.what();
  }
  fiber.isDone = true;
  ++block.m_exited;
  // A block that failed is abandoned
  Fiber* const next = block.m_failure.empty() ? block.nextReady() : nullptr;
  block.switchFiber(&fiber, next);
}

void Block::runCooperative() {
  m_place = m_order.size() - 1;
  m_schedulerBottom = nullptr;
#if defined(__SANITIZE_THREAD__)
  m_sanitized = __tsan_get_current_fiber();
#endif
  Fiber* const first = nextReady();
  switchFiber(nullptr, first);
  if (m_failure.empty() && m_exited < m_count)
    m_failure = "threads wait for others that have left the kernel or wait elsewhere";
}

/// Makes the next fiber that can go on the running one. Returns null if there is none.
Block::Fiber* Block::nextReady() {
  const size_t count = m_order.size();
  size_t place = m_place;
  for (size_t i = 0; i < count; ++i) {
    place = place + 1 == count ? 0 : place + 1;
    Fiber& fiber = *m_fibers[static_cast<size_t>(m_order[place])];
    if (!fiber.isReady()) continue;
    fiber.waits = nullptr;
    m_place = place;
    m_running = &fiber;
    current = &fiber.thread;
    return &fiber;
  }
  return nullptr;
}

void Block::waitFor(const uint32_t& generation) {
  Fiber& own = *m_running;
  own.waits = &generation;
  own.waitValue = generation;
  Fiber* const next = nextReady();
  switchFiber(&own, next);
}

void Block::countEpoch() {
  // 0 is for elements that nobody has accessed
  if (++m_epoch == 0) ++m_epoch;
}

void Block::syncThreads() {
  if (!m_kernel->isCooperative)
    throw KernelFailure("it has a barrier, but is not registered as cooperative");
  if (m_exited > 0) throw KernelFailure("a thread has left the kernel before a barrier");
  if (++m_arrived == m_count) {
    m_arrived = 0;
    countEpoch();
    return;
  }
  waitFor(m_epoch);
}

void Block::syncWarp() {
  if (!m_kernel->isCooperative)
    throw KernelFailure("it uses a warp, but is not registered as cooperative");
  Warp& warp = m_warps[static_cast<size_t>(m_running->thread.number / kLanes)];
  if (++warp.arrived == warp.lanes) {
    warp.arrived = 0;
    ++warp.generation;
    return;
  }
  waitFor(warp.generation);
}

uint32_t Block::exchange(uint32_t bits, int source) {
  if (!m_kernel->isCooperative)
    throw KernelFailure("it uses a shuffle, but is not registered as cooperative");
  Warp& warp = m_warps[static_cast<size_t>(m_running->thread.number / kLanes)];
  if (warp.lanes != kLanes || source < 0 || source >= kLanes)
    throw KernelFailure("a shuffle needs 32 lanes");
  // Two buffers, because a lane may write its next value before others have read this one
  auto& values = warp.values[m_running->exchanges++ % 2];
  values[static_cast<size_t>(m_running->thread.number % kLanes)] = bits;
  syncWarp();
  return values[static_cast<size_t>(source)];
}

SharedMemory Block::sharedMemory(const void* site, size_t elements, size_t elementBytes) {
  if (!m_kernel->isCooperative)
    throw KernelFailure("it has shared memory, but is not registered as cooperative");
  Shared* found = nullptr;
  for (Shared& shared : m_shared)
    if (shared.site == site) found = &shared;
  if (!found) {
    found = &m_shared.emplace_back();
    found->site = site;
  }
  if (!found->isUsed) {
    found->data.assign(elements * elementBytes, std::byte{0xFF});
    found->shadow.resize(std::max(found->shadow.size(), elements));
    found->isUsed = true;
  }
  return {found->data.data(), found->shadow.data()};
}

void syncThreads() { current->owner->syncThreads(); }
void syncWarp() { current->owner->syncWarp(); }
uint32_t exchange(uint32_t bits, int source) { return current->owner->exchange(bits, source); }
SharedMemory sharedMemory(const void* site, size_t elements, size_t elementBytes) {
  return current->owner->sharedMemory(site, elements, elementBytes);
}
void failAccess(const Shadow& shadow, size_t index, bool isWrite) {
  const uint64_t own = ownAccess();
  const bool isWritten = shadow.written != own && isSameEpoch(shadow.written, own);
  const auto other = static_cast<uint32_t>(isWritten ? shadow.written : shadow.read);
  throw KernelFailure(
      "thread " + std::to_string(current->number) + (isWrite ? " writes" : " reads") + " element " +
      std::to_string(index) + " of shared memory that " +
      (other == kManyThreads ? "other threads have" : "thread " + std::to_string(other) + " has") +
      (isWritten ? " written" : " read") + " without a barrier between them");
}
int laneOfThread() { return current->number % kLanes; }
void fail(const char* message) { throw KernelFailure(message); }

}  // namespace strata::emulated
