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
std::atomic<int64_t> allocations{0};

[[maybe_unused]] void count() {
  if (isCounting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

#if STRATA_COUNTS_ALLOCATIONS
// glibc has had no __malloc_hook since 2.34: these take malloc's place in the program and pass on to glibc's own.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  count();
  return __libc_malloc(size);
}
void* calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}
void* realloc(void* old, size_t size) {
  count();
  return __libc_realloc(old, size);
}
void* memalign(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** result, size_t alignment, size_t size) {
  count();
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}
}
#endif

namespace strata::test {

bool canCountAllocations() { return STRATA_COUNTS_ALLOCATIONS; }

void startCountingAllocations() {
  allocations = 0;
  isCounting = true;
}

int64_t stopCountingAllocations() {
  isCounting = false;
  return allocations;
}

}  // namespace strata::test
