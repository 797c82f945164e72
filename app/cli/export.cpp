// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "app/cli/command.h"
#include "core/data/dataset.h"
#include "core/interchange/export.h"

namespace strata::cli {

Action setupExport(CLI::App& app) {
  struct Options {
    ProjectArgument project;
    std::string weights, to;
  };
  auto options = std::make_shared<Options>();
  options->project.addTo(app);
  app.add_option("--weights", options->weights, "A .safetensors file or a run directory")->type_name("FILE")->required();
  app.add_option("--to", options->to, "File to write; its suffix is the format: .safetensors")->type_name("FILE")->required();
  return [options] {
    const ExportReport report = exportWeights(options->project.loadChecked(), options->weights, options->to);
    std::cout << options->to << ": " << report.tensors << " tensors, " << formatBytes(static_cast<double>(report.bytes)) << "; read again, "
              << report.comparedSamples << " samples compared, largest difference " << formatNumber(report.largestDifference, 9) << "\n";
    return kDone;
  };
}

}  // namespace strata::cli
