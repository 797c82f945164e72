// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>

#include "app/cli/command.h"
#include "core/train/import_weights.h"
#include "gpu/base/printable.h"

namespace strata::cli {

Action setupImport(Arguments& accepted) {
  struct Options {
    std::string file, target;
  };
  auto options = std::make_shared<Options>();
  accepted.text("FILE", options->file,
                "Weights: a .safetensors or .npz file, or a run directory; tensors are named "
                "<layer>/<variable>",
                "FILE", Need::Required);
  accepted.text(
      "-o,--output", options->target,
      "Project (.json) that starts from these weights, or file to write: .safetensors or .npz",
      "FILE", Need::Required);
  return [options] {
    const ImportReport report = importWeights(options->file, options->target);
    for (const std::string& note : report.notes)
      printMessage(options->file + ": " + note);
    if (report.isReplaced) printMessage(report.weights + ": replaced the existing file");
    std::cout << printable(report.weights) << ": " << formatCounted(report.tensors, "tensor");
    if (report.isProject)
      std::cout << "; the training of " << printable(options->target)
                << " starts from them (/training/initial_weights)";
    std::cout << "\n";
    return kDone;
  };
}

}  // namespace strata::cli
