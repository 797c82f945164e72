// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/error.h"

namespace strata {

const char* errorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidArgument: return "InvalidArgument";
    case ErrorCode::InvalidProject: return "InvalidProject";
    case ErrorCode::InvalidFile: return "InvalidFile";
    case ErrorCode::ShapeMismatch: return "ShapeMismatch";
    case ErrorCode::UnsupportedOp: return "UnsupportedOp";
    case ErrorCode::OutOfMemory: return "OutOfMemory";
    case ErrorCode::DeviceFailure: return "DeviceFailure";
    case ErrorCode::IoFailure: return "IoFailure";
    case ErrorCode::NonFinite: return "NonFinite";
    case ErrorCode::Stopped: return "Stopped";
    case ErrorCode::Internal: return "Internal";
  }
  return "unknown";
}

void require(bool condition, const char* invariant, std::source_location where) {
  if (condition) return;
  throw Error(ErrorCode::Internal, "strata",
              std::string("broken invariant: ") + invariant + " (" + where.file_name() + ":" +
                  std::to_string(where.line()) + "). Please report this.",
              where);
}

}  // namespace strata
