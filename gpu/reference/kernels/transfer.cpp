// SPDX-License-Identifier: Apache-2.0
// Moves values between the parts of a step. The receiver copies them, while the sender goes on.
#include <cstring>

#include "gpu/exec/replica_group.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {
namespace {

/// Shows a value to another part, or waits until that part has copied it.
class SendKernel final : public HostKernel {
 public:
  SendKernel(const KernelSetup& setup, bool waits)
      : m_number(setup.integer("number")),
        m_to(static_cast<int>(setup.integer("to"))),
        m_waits(waits) {}

  std::string implementation() const override { return m_waits ? "sent" : "send"; }
  bool isSolo() const override { return true; }

  void run(const KernelArguments& arguments, int, int worker) const override {
    if (worker != 0) return;
    *arguments.outputs[0] = std::byte{0};
    const ReplicaPlace& place = arguments.replica;
    if (!place.group) return;
    if (m_waits)
      place.group->awaitTaken(place.rank, m_to, m_number);
    else
      place.group->offer(m_number, arguments.inputs[0]);
  }

 private:
  const int64_t m_number;
  const int m_to;
  const bool m_waits;
};

class ReceiveKernel final : public HostKernel {
 public:
  explicit ReceiveKernel(const KernelSetup& setup)
      : m_number(setup.integer("number")),
        m_from(static_cast<int>(setup.integer("from"))),
        m_bytes(static_cast<int64_t>(setup.outputs[0].bytes())),
        m_workers(setup.numWorkers) {}

  std::string implementation() const override { return "receive"; }
  int numStages() const override { return 3; }

  void run(const KernelArguments& arguments, int stage, int worker) const override {
    const ReplicaPlace& place = arguments.replica;
    if (stage == 0 && worker == 0 && place.group) {
      place.group->beginCollective(place.rank);
      place.group->await(place.rank, m_from, m_number);
    }
    if (stage == 1) {
      const WorkRange range = shareOf(m_bytes, worker, m_workers, 64);
      const auto count = static_cast<size_t>(range.end - range.begin);
      std::byte* const to = arguments.outputs[0] + range.begin;
      if (place.group)
        std::memcpy(to, place.group->offered(m_number) + range.begin, count);
      else
        std::memset(to, 0, count);
    }
    if (stage == 2 && worker == 0 && place.group) {
      place.group->take(m_number);
      place.group->endCollective(place.rank, "receive", m_number, static_cast<size_t>(m_bytes));
    }
  }

 private:
  const int64_t m_number;
  const int m_from;
  const int64_t m_bytes;
  const int m_workers;
};

}  // namespace

std::unique_ptr<HostKernel> makeSend(const KernelSetup& setup) {
  return std::make_unique<SendKernel>(setup, false);
}

std::unique_ptr<HostKernel> makeReceive(const KernelSetup& setup) {
  return std::make_unique<ReceiveKernel>(setup);
}

std::unique_ptr<HostKernel> makeSent(const KernelSetup& setup) {
  return std::make_unique<SendKernel>(setup, true);
}

}  // namespace strata::reference
