// SPDX-License-Identifier: Apache-2.0
// A driver that answers without a GPU (shim/libcuda.cpp), so that cuDNN lists and plans the
// engines that it compiles at run time, as on a real card. It is opened by the first plan for a
// simulated card, and only where no real driver is installed.
// Thread: any.
#pragma once

namespace strata::plugin {

/// Returns whether cuDNN finds a driver: the real one, or else the shim, which this opens.
bool openDriverShim();

}  // namespace strata::plugin
