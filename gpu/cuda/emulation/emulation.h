// SPDX-License-Identifier: Apache-2.0
// Lets the host compiler compile the kernels of gpu/cuda/kernels: the words of CUDA C++ that they
// use, and the registration of each kernel. The threads of a block are plain calls, or fibers if
// the kernel is cooperative (block.h runs them).
// Not here: what a simulated card does with kernels (launch.h).
// Thread: a block runs on one host thread; several host threads run different blocks.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "gpu/tensor/low_precision.h"

namespace strata::emulated {

struct Index {
  unsigned x = 0, y = 0, z = 0;
  bool operator==(const Index&) const = default;
};

class Block;

/// The thread of a kernel that runs on this host thread.
struct Thread {
  Index thread, block, blockDim, gridDim;
  Block* owner = nullptr;
  // Number of the thread in its block
  int number = 0;
  // Counts the barriers. Null if the kernel is not cooperative
  const uint32_t* epoch = nullptr;
};

extern thread_local Thread* current __attribute__((tls_model("initial-exec")));

// What cooperative kernels call:
void syncThreads();
void syncWarp();
/// Exchanges values in a warp: returns the bits of the lane `source`.
uint32_t exchange(uint32_t bits, int source);
/// Returns the memory of a shared array: `bytes` bytes, the same for all threads of the block.
/// `site` identifies the declaration.
struct SharedMemory {
  std::byte* data = nullptr;
  // One shadow word per element
  struct Shadow* shadow = nullptr;
};
SharedMemory sharedMemory(const void* site, size_t elements, size_t elementBytes);
/// Ends the launch with this error.
[[noreturn]] void fail(const char* message);

/// The last accesses to an element of shared memory. An access is the epoch, which is never 0, in
/// the high half and the number of the thread in the low half.
struct Shadow {
  uint64_t written = 0, read = 0;
};
constexpr uint32_t kManyThreads = 0xffffffffu;

/// Reports an access to an element that another thread has accessed since the last barrier.
[[noreturn]] void failAccess(const Shadow& shadow, size_t index, bool isWrite);

/// Returns the current thread and epoch as an access.
inline uint64_t ownAccess() {
  return static_cast<uint64_t>(*current->epoch) << 32 | static_cast<uint32_t>(current->number);
}
inline bool isSameEpoch(uint64_t a, uint64_t b) { return ((a ^ b) >> 32) == 0; }

/// Notes an access to an element of shared memory. Fails if another thread has accessed it since
/// the last barrier, and one of the two accesses writes.
inline void noteRead(Shadow& shadow, size_t index) {
  const uint64_t own = ownAccess();
  if (shadow.written != own && isSameEpoch(shadow.written, own)) failAccess(shadow, index, false);
  if (shadow.read != own) shadow.read = isSameEpoch(shadow.read, own) ? own | kManyThreads : own;
}
inline void noteWrite(Shadow& shadow, size_t index) {
  const uint64_t own = ownAccess();
  if ((shadow.written != own && isSameEpoch(shadow.written, own)) ||
      (shadow.read != own && isSameEpoch(shadow.read, own)))
    failAccess(shadow, index, true);
  shadow.written = own;
}

/// An element of shared memory.
template <class T>
class SharedElement {
 public:
  SharedElement(T& value, Shadow& shadow, size_t index)
      : m_value(value), m_shadow(shadow), m_index(index) {}
  operator T() const {
    noteRead(m_shadow, m_index);
    return m_value;
  }
  SharedElement& operator=(T value) {
    noteWrite(m_shadow, m_index);
    m_value = value;
    return *this;
  }
  SharedElement& operator=(const SharedElement& other) { return *this = static_cast<T>(other); }
  SharedElement& operator+=(T value) { return *this = static_cast<T>(*this) + value; }

 private:
  T& m_value;
  Shadow& m_shadow;
  size_t m_index;
};

template <class T>
class SharedArray {
 public:
  SharedArray(const void* site, size_t count)
      : m_memory(sharedMemory(site, count, sizeof(T))), m_count(count) {}
  template <class I>
  SharedElement<T> operator[](I index) const {
    const auto i = static_cast<size_t>(index);
    if (i >= m_count) fail("an index of shared memory is out of range");
    return {reinterpret_cast<T*>(m_memory.data)[i], m_memory.shadow[i], i};
  }

 private:
  SharedMemory m_memory;
  size_t m_count;
};

inline float asFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline uint32_t asBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
int laneOfThread();

/// Turns an address of a simulated card into the host address of the same byte.
uint64_t hostAddress(uint64_t deviceAddress);

/// A registered kernel. `bind` copies the arguments and turns addresses into host addresses.
struct Kernel {
  const char* name;
  bool isCooperative;
  // One letter per parameter, see StrataCudaPlugin::kernelParameters
  const char* parameters;
  const size_t* parameterBytes;
  size_t numParameters;
  size_t boundBytes;
  void (*bind)(void** arguments, void* bound);
  // Runs the current thread
  void (*call)(const void* bound);
};
/// Called before main() or when the plug-in is loaded.
bool registerKernel(const Kernel& kernel);
const Kernel* findKernel(const char* name);

template <class A>
constexpr char letterOf() {
  if constexpr (std::is_pointer_v<A>) return 'p';
  if constexpr (std::is_same_v<A, int32_t>) return 'i';
  if constexpr (std::is_same_v<A, int64_t>) return 'l';
  if constexpr (std::is_same_v<A, uint64_t>) return 'u';
  if constexpr (std::is_same_v<A, float>) return 'f';
  return 's';
}

template <auto F>
struct KernelOf;
template <class... A, void (*F)(A...)>
struct KernelOf<F> {
  // A reference stands for a struct that is not copied (STRATA_PARAMETER)
  using Arguments = std::tuple<std::remove_cvref_t<A>...>;
  static constexpr char kLetters[] = {letterOf<std::remove_cvref_t<A>>()..., '\0'};
  static constexpr size_t kBytes[] = {sizeof(A)..., 0};

  template <class T>
  static T argument(void* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::is_pointer_v<T>)
      value = reinterpret_cast<T>(static_cast<uintptr_t>(
          hostAddress(static_cast<uint64_t>(reinterpret_cast<uintptr_t>(value)))));
    return value;
  }
  template <size_t... I>
  static void bindAll(void** arguments, void* bound, std::index_sequence<I...>) {
    new (bound) Arguments(argument<std::remove_cvref_t<A>>(arguments[I])...);
  }
  static void bind(void** arguments, void* bound) {
    bindAll(arguments, bound, std::index_sequence_for<A...>());
  }
  static void call(const void* bound) { std::apply(F, *static_cast<const Arguments*>(bound)); }
  static Kernel make(const char* name, bool isCooperative) {
    static_assert(std::is_trivially_destructible_v<Arguments>);
    return {name, isCooperative, kLetters, kBytes, sizeof...(A), sizeof(Arguments), bind, call};
  }
};

}  // namespace strata::emulated
