// SPDX-License-Identifier: Apache-2.0
#include "tests/support/allocation_count.h"

#include <atomic>
#include <cerrno>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define STRATA_COUNTS_ALLOCATIONS 0
#else
#define STRATA_COUNTS_ALLOCATIONS 1
#endif

namespace {

std::atomic<bool> isCounting{false};
std::atomic<int64_t> allocations{0}, apart{0}, failing{0}, live{0};
thread_local bool isApart = false;

/// Counts one allocation. Returns false if this allocation must fail.
[[maybe_unused]] bool count() {
  if (isApart && isCounting.load(std::memory_order_relaxed)) {
    apart.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  return !isCounting.load(std::memory_order_relaxed) ||
         allocations.fetch_add(1, std::memory_order_relaxed) + 1 !=
             failing.load(std::memory_order_relaxed);
}
[[maybe_unused]] void* noted(void* block) {
  if (block)
    live.fetch_add(1, std::memory_order_relaxed);
  else
    errno = ENOMEM;
  return block;
}

}  // namespace

#if STRATA_COUNTS_ALLOCATIONS
// These functions replace malloc in the program and call glibc's implementation, because glibc has
// had no __malloc_hook since version 2.34.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* block);

void* malloc(size_t size) { return noted(count() ? __libc_malloc(size) : nullptr); }
void* calloc(size_t number, size_t size) {
  return noted(count() ? __libc_calloc(number, size) : nullptr);
}
void* realloc(void* old, size_t size) {
  if (!count()) return nullptr;
  return old ? __libc_realloc(old, size) : noted(__libc_realloc(old, size));
}
void* memalign(size_t alignment, size_t size) {
  return noted(count() ? __libc_memalign(alignment, size) : nullptr);
}
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void** result, size_t alignment, size_t size) {
  *result = memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}
void free(void* block) {
  if (block) live.fetch_sub(1, std::memory_order_relaxed);
  __libc_free(block);
}
}
#endif

namespace strata::test {

std::string whyNoAllocationCount() {
  return STRATA_COUNTS_ALLOCATIONS ? "" : "a sanitizer has an allocator of its own";
}

void startCountingAllocations() { startWithFailure(0); }

void startWithFailure(int64_t number) {
  allocations = apart = 0;
  failing = number;
  isCounting = true;
}

CountApart::CountApart() { isApart = true; }
CountApart::~CountApart() { isApart = false; }
int64_t allocationsApart() { return apart; }

int64_t liveAllocations() { return live; }

int64_t stopCountingAllocations() {
  isCounting = false;
  return allocations;
}

}  // namespace strata::test
