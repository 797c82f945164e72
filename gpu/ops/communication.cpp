// SPDX-License-Identifier: Apache-2.0
#include "gpu/ops/communication.h"

#include "gpu/graph/op.h"

namespace strata {

bool isCommunication(std::string_view opName) {
  const OpDef* op = findOp(opName);
  return op && op->isCollective;
}

}  // namespace strata
