// SPDX-License-Identifier: Apache-2.0
#include "gpu/simulated/recorder.h"

#include <algorithm>
#include <cmath>

#include "gpu/cuda/plugin/image_usage.h"
#include "gpu/simulated/card.h"
#include "gpu/simulated/driver.h"
#include "gpu/simulated/last_error.h"

namespace strata::simulated {
namespace {

Card& of(void* self) { return *static_cast<Card*>(self); }

uint64_t nanoseconds(double seconds) { return static_cast<uint64_t>(std::llround(seconds * 1e9)); }

int32_t kindOf(const Command& command) {
  switch (command.kind) {
    case Command::Kind::CopyIn: return STRATA_RECORD_COPY_IN;
    case Command::Kind::CopyOut: return STRATA_RECORD_COPY_OUT;
    case Command::Kind::CopyWithin: return STRATA_RECORD_COPY_WITHIN;
    case Command::Kind::CopyPeer: return STRATA_RECORD_COPY_PEER;
    case Command::Kind::Fill: return STRATA_RECORD_FILL;
    default: return STRATA_RECORD_KERNEL;
  }
}

/// All earlier work is done, so the host knows the times of all streams.
int begin(void* self) {
  const std::unique_lock lock = lockCards();
  if (of(self).recording().isOn) {
    setLastError("the card is recorded already");
    return STRATA_STATUS_UNSUPPORTED;
  }
  of(self).alignStreams();
  of(self).recording() = {true, {}};
  return 0;
}

int end(void* self, const StrataRecord** records, size_t* count) {
  const std::unique_lock lock = lockCards();
  Recording& recording = of(self).recording();
  recording.isOn = false;
  const StrataSimulatedCard& card = of(self).description();
  for (StrataRecord& record : recording.records) {
    if (record.kind != STRATA_RECORD_KERNEL || record.block[0] == 0) continue;
    const plugin::KernelUsage usage = plugin::usageOf(record.name, 10 * card.major + card.minor);
    record.registers = usage.registers;
    record.sharedBytes = usage.sharedBytes;
  }
  *records = recording.records.data();
  *count = recording.records.size();
  return 0;
}

int32_t streamNumber(void*, CUstream stream) { return stream->number; }

const char* lastErrorOf(void*) { return lastError(); }

}  // namespace

void Recording::add(const Command& command, int stream, double seconds) {
  if (command.kind == Command::Kind::Record || command.kind == Command::Kind::Wait) return;
  StrataRecord record{};
  record.kind = kindOf(command);
  if (command.kind == Command::Kind::Launch) record.name = command.kernel->name;
  if (command.kind == Command::Kind::Call) record.name = command.callName;
  record.number = command.number;
  record.stream = stream;
  const auto write = [](const emulated::Index& from, int32_t(&to)[3]) {
    to[0] = static_cast<int32_t>(from.x);
    to[1] = static_cast<int32_t>(from.y);
    to[2] = static_cast<int32_t>(from.z);
  };
  if (command.kind == Command::Kind::Launch) {
    write(command.grid, record.grid);
    write(command.block, record.block);
  }
  record.bytes = command.bytes;
  record.beginNanoseconds = nanoseconds(seconds);
  record.endNanoseconds = nanoseconds(seconds + command.seconds);
  records.push_back(record);
}

void fillRecorder(Card& card, StrataRecorder& recorder) {
  recorder = {&card, begin, end, streamNumber, lastErrorOf};
}

}  // namespace strata::simulated
