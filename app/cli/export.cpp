// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "app/cli/command.h"
#include "core/data/dataset.h"
#include "core/runs/moved_run.h"
#include "core/train/export_weights.h"
#include "gpu/base/bytes.h"
#include "gpu/base/printable.h"

namespace strata::cli {

static std::string differenceText(double difference) {
  if (difference == 0) return "largest difference 0 (identical outputs)";
  return "largest difference " + formatNumber(difference, 9);
}

Action setupExport(Arguments& accepted) {
  struct Options {
    ProjectArgument project;
    std::string weights, to;
  };
  auto options = std::make_shared<Options>();
  options->project.addTo(accepted);
  accepted.text("--weights", options->weights,
                "Weights: a .safetensors or .npz file, or a run directory", "FILE", Need::Required);
  accepted.text("--to", options->to,
                "File to write; its suffix selects the format: .safetensors or .npz", "FILE",
                Need::Required);
  return [options] {
    std::error_code unknown;
    const bool isReplaced = std::filesystem::exists(options->to, unknown);
    const ExportReport report = exportWeights(options->project.loadChecked().project(),
                                              placeOfRun(options->weights), options->to);
    for (const std::string& note : report.notes)
      printMessage(options->weights + ": " + note);
    if (isReplaced) printMessage(options->to + ": replaced the existing file");
    std::cout << printable(options->to) << ": " << formatCounted(report.tensors, "tensor") << ", "
              << bytesText(static_cast<double>(report.bytes)) << "; verified on "
              << formatCounted(report.comparedSamples, "sample") << ", "
              << differenceText(report.largestDifference) << "\n";
    return kDone;
  };
}

}  // namespace strata::cli
