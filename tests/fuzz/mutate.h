// SPDX-License-Identifier: Apache-2.0
// Damages files. The same stream of random numbers always makes the same mutant. These functions do
// not correct checksums (see repair.h). Any thread may call them.
#pragma once

#include <span>
#include <string>

#include "gpu/base/rng.h"
#include "tests/fuzz/target.h"

namespace strata::fuzz {

/// The contents of a mutant and the file name of its seed.
struct Damaged {
  std::string bytes, file;
};
/// Makes one to four changes to a random seed. Some changes copy parts of another seed.
Damaged mutate(std::span<const Seed> seeds, RandomStream& random);

std::string mutateBytes(std::string bytes, const std::string& other, RandomStream& random);
std::string mutateText(std::string text, const std::string& other, RandomStream& random);
/// Changes members and elements of a JSON document. Calls mutateText() if the text is not JSON.
std::string mutateJson(const std::string& text, const std::string& other, RandomStream& random);

}  // namespace strata::fuzz
