// SPDX-License-Identifier: Apache-2.0
// Computes library calls on the host, from their structs alone (gpu/cuda/library_calls.h). Plain
// definitions: strides, types and epilogues are taken as they are.
// Thread: calls are immutable.
#pragma once

#include <memory>
#include <string>

#include "gpu/cuda/library_calls.h"
#include "gpu/simulated/card.h"

namespace strata::simulated {

/// Returns the call as host code, or null and a reason if the struct is invalid or the library does
/// not support it.
std::shared_ptr<const HostCall> makeHostCall(const StrataLibraryCall& call, std::string& problem);

// One maker for each kind of call:
std::shared_ptr<const HostCall> makeMatmul(const StrataMatmul& matmul, int compute,
                                           std::string& problem);
std::shared_ptr<const HostCall> makeConvolution(const StrataConvolution& convolution, int compute,
                                                std::string& problem);
std::shared_ptr<const HostCall> makeAttention(const StrataAttention& attention,
                                              std::string& problem);

/// Elements of a tensor in memory as floats. `tf32` rounds them to 10 bits of mantissa.
float loadElement(const std::byte* data, StrataType type, int64_t index);
void storeElement(std::byte* data, StrataType type, int64_t index, float value);
float roundToTf32(float value);
float activate(float value, int activation);
size_t elementBytes(StrataType type);

}  // namespace strata::simulated
