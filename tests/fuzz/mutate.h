// SPDX-License-Identifier: Apache-2.0
// Damages a file, controlled only by a stream of random numbers: the same stream makes the same
// mutant. Not here: checksums (repair.h). Thread: pure.
#pragma once

#include <span>
#include <string>

#include "gpu/base/rng.h"
#include "tests/fuzz/target.h"

namespace strata::fuzz {

/// Makes one to four changes to one of the seeds, some taken from another seed.
struct Damaged {
  std::string bytes, file;
};
Damaged mutate(std::span<const Seed> seeds, RandomStream& random);

std::string mutateBytes(std::string bytes, const std::string& other, RandomStream& random);
std::string mutateText(std::string text, const std::string& other, RandomStream& random);
/// Changes members and elements of a document; as mutateText if it is not JSON.
std::string mutateJson(const std::string& text, const std::string& other, RandomStream& random);

}  // namespace strata::fuzz
