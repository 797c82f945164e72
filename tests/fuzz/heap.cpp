// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/heap.h"

#include <atomic>
#include <cerrno>
#include <cstdint>

#include <malloc.h>

namespace {

std::atomic<int64_t> live{0}, peak{0}, start{0};

void grow(size_t bytes) {
  const int64_t now = live.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed) +
                      static_cast<int64_t>(bytes);
  int64_t most = peak.load(std::memory_order_relaxed);
  while (now > most && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}
void shrink(size_t bytes) {
  live.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__)

// These declarations match sanitizer/allocator_interface.h, which g++ does not install.
extern "C" {
int __sanitizer_install_malloc_and_free_hooks(void (*malloc)(const volatile void*, size_t),
                                              void (*free)(const volatile void*));
size_t __sanitizer_get_allocated_size(const volatile void*);
}

namespace strata::fuzz {

bool canMeasureHeap() { return true; }

/// Installs the hooks during the first call. If memory was allocated before and is freed later, the
/// count is too small.
static void install() {
  static const int installed = __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void*, size_t bytes) { grow(bytes); },
      [](const volatile void* block) {
        shrink(block ? __sanitizer_get_allocated_size(block) : 0);
      });
  (void)installed;
}

}  // namespace strata::fuzz

#elif defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)

namespace strata::fuzz {

bool canMeasureHeap() { return false; }
static void install() {}

}  // namespace strata::fuzz

#else

// These functions replace malloc in the program and call glibc's implementation (see
// tests/support/allocation_count.cpp).
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* block);

static void* noted(void* block) {
  if (block)
    grow(malloc_usable_size(block));
  else
    errno = ENOMEM;
  return block;
}
void* malloc(size_t size) { return noted(__libc_malloc(size)); }
void* calloc(size_t number, size_t size) { return noted(__libc_calloc(number, size)); }
void* realloc(void* old, size_t size) {
  const size_t before = old ? malloc_usable_size(old) : 0;
  void* const block = __libc_realloc(old, size);
  if (block || size == 0) shrink(before);
  return size == 0 && !block ? nullptr : noted(block);
}
void* memalign(size_t alignment, size_t size) { return noted(__libc_memalign(alignment, size)); }
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void** result, size_t alignment, size_t size) {
  *result = memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}
void free(void* block) {
  if (block) shrink(malloc_usable_size(block));
  __libc_free(block);
}
}

namespace strata::fuzz {

bool canMeasureHeap() { return true; }
static void install() {}

}  // namespace strata::fuzz

#endif

namespace strata::fuzz {

void startHeapPeak() {
  install();
  start = live.load();
  peak = live.load();
}

size_t heapPeakBytes() { return static_cast<size_t>(peak - start); }

}  // namespace strata::fuzz
