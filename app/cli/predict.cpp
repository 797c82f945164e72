// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/data/dataset.h"
#include "core/data/png.h"
#include "core/project/text.h"
#include "core/train/evaluator.h"

namespace strata::cli {

struct NamedInput {
  std::string name;  // file, or file:row
  Tensor tensor;
};

static bool isPngName(const std::string& path) {
  std::string suffix = path.size() > 4 ? path.substr(path.size() - 4) : "";
  std::transform(suffix.begin(), suffix.end(), suffix.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return suffix == ".png";
}

static Tensor readImage(const std::string& path, const Shape& shape) {
  if (shape.rank() != 3 || (shape[2] != 1 && shape[2] != 3 && shape[2] != 4))
    throw Error(
        ErrorCode::InvalidArgument, path,
        "is an image, but the network's input is " + shape.toString() + " (an image needs [height, width, 1, 3 or 4]). Give CSV rows.");
  const Tensor image = readPng(path, static_cast<int>(shape[2]));
  if (!(image.shape() == shape))
    tell(path + ": " + std::to_string(image.shape()[1]) + " x " + std::to_string(image.shape()[0]) + " pixels, resized to " +
         std::to_string(shape[1]) + " x " + std::to_string(shape[0]));
  return resizeImage(image, shape[0], shape[1]);
}

/// One sample a line, numbers separated by commas.
static std::vector<NamedInput> readRows(const std::string& path, const Shape& shape) {
  const std::string text = readFile(path, size_t{1} << 30);
  std::vector<NamedInput> result;
  const auto wanted = static_cast<size_t>(shape.numElements());
  size_t row = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line(text.data() + at, end - at);
    at = end + 1;
    ++row;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    std::vector<float> values;
    for (size_t from = 0; from <= line.size();) {
      const size_t comma = std::min(line.find(',', from), line.size());
      std::string_view cell = line.substr(from, comma - from);
      while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t' || cell.front() == '+')) cell.remove_prefix(1);
      while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t' || cell.back() == '\r')) cell.remove_suffix(1);
      float value = 0;
      const auto parsed = std::from_chars(cell.data(), cell.data() + cell.size(), value);
      if (parsed.ec != std::errc() || parsed.ptr != cell.data() + cell.size())
        throw Error(ErrorCode::InvalidFile, path,
                    "row " + std::to_string(row) + ", column " + std::to_string(values.size() + 1) + ": '" + excerpt(cell, 40) +
                        "' is not a number. Give one sample a line, numbers separated by commas.");
      values.push_back(value);
      from = comma + 1;
    }
    if (values.size() != wanted)
      throw Error(ErrorCode::InvalidFile, path,
                  "row " + std::to_string(row) + " has " + counted(static_cast<int64_t>(values.size()), "value") + " (expected " +
                      std::to_string(wanted) + " for an input of " + shape.toString() + "). Give one sample a line.");
    result.push_back({path + ":" + std::to_string(row), Tensor::from<float>(shape, values)});
  }
  if (result.empty()) throw Error(ErrorCode::InvalidFile, path, "holds no rows. Give one sample a line, numbers separated by commas.");
  return result;
}

/// Six digits; --json has them all.
static std::string shortNumber(const Json& number) {
  if (!number.is_number()) return number.get<std::string>();
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number.get<double>(), std::chars_format::general, 6).ptr};
}

static Json prediction(const NamedInput& input, Evaluator& evaluator) {
  const std::vector<float> output = evaluator.predict(input.tensor);
  Json row{{"input", input.name}, {"output", Json::array()}, {"label", nullptr}, {"probability", nullptr}};
  for (float value : output) row["output"].push_back(jsonNumber(value));
  if (const auto predicted = evaluator.classOf(output)) {
    row["label"] = std::to_string(predicted->index);
    row["probability"] = jsonNumber(predicted->probability);
  }
  return row;
}

Action setupPredict(Arguments& accepted) {
  struct Options {
    ProjectArgument project;
    std::string weights, device = "auto";
    std::vector<std::string> inputs;
    bool asJson = false;
  };
  auto options = std::make_shared<Options>();
  options->project.addTo(accepted);
  accepted.list("INPUT", options->inputs, "PNG images, or CSV files with one sample a line", "FILE");
  accepted.text("--weights", options->weights, "A .safetensors or .npz file, or a run directory", "FILE", Need::Required);
  accepted.text("--device", options->device, "auto, cpu or reference", "D");
  accepted.json(options->asJson);
  return [options] {
    const Project project = options->project.loadChecked();
    Diagnostics ignored;  // loadChecked has shown them
    const DatasetInfo data = describeDataset(project, ignored);
    std::vector<NamedInput> samples;
    for (const std::string& path : options->inputs) {
      if (isPngName(path)) {
        samples.push_back({path, readImage(path, data.sampleShape)});
        continue;
      }
      for (NamedInput& row : readRows(path, data.sampleShape)) samples.push_back(std::move(row));
    }
    Evaluator evaluator(project, options->weights, options->device);
    for (const std::string& note : evaluator.weightNotes()) tell(options->weights + ": " + note);
    Json answer = Json::array();
    for (const NamedInput& sample : samples) answer.push_back(prediction(sample, evaluator));
    if (options->asJson) {
      printJsonDocument(answer);
      return kDone;
    }
    for (const Json& row : answer) {
      std::cout << row["input"].get<std::string>() << ": ";
      if (row["label"].is_string()) {
        std::cout << row["label"].get<std::string>();
        if (row["probability"].is_number()) std::cout << " (" << formatNumber(100 * row["probability"].get<double>(), 1) << "%)";
        std::cout << "  ";
      }
      std::cout << "[";
      for (size_t i = 0; i < row["output"].size(); ++i) std::cout << (i > 0 ? ", " : "") << shortNumber(row["output"][i]);
      std::cout << "]\n";
    }
    return kDone;
  };
}

}  // namespace strata::cli
