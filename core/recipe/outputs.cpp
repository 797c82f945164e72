// SPDX-License-Identifier: Apache-2.0
#include "core/recipe/outputs.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "core/project/list_limit.h"
#include "core/project/text.h"
#include "core/recipe/losses.h"
#include "core/recipe/metrics.h"
#include "core/recipe/option_reader.h"

namespace strata {

namespace {

const Json* memberAt(const Json& document, const char* part, const char* name) {
  const auto section = document.is_object() ? document.find(part) : document.end();
  if (!document.is_object() || section == document.end() || !section->is_object()) return nullptr;
  const auto member = section->find(name);
  return member == section->end() || member->is_null() ? nullptr : &*member;
}

class OutputsReader {
 public:
  OutputsReader(const Project& project, const Model& model, Diagnostics& diagnostics)
      : m_document(project.document()), m_model(model), m_reader(diagnostics) {
    if (model.isConnected) m_names = model.outputs;
  }

  std::vector<OutputOptions> read() {
    readLosses();
    requireTrained();
    if (const Json* weights = memberAt(m_document, "training", "loss_weights"))
      readWeights(*weights);
    for (const char* field : {"metrics", "weighted_metrics"})
      if (const Json* metrics = memberAt(m_document, "training", field))
        readMetrics(*metrics, field);
    return std::move(m_outputs);
  }

 private:
  void readLosses() {
    m_outputs.push_back({.name = m_model.outputs.empty() ? "" : m_model.outputs.back(),
                         .pointer = "/training/loss"});
    const Json* loss = memberAt(m_document, "training", "loss");
    if (!loss) {
      m_reader.report(
          "missing_field", "/training/loss",
          STRATA_TEXT("problem",
                      "loss is missing (expected a name such as "
                      "\"sparse_categorical_crossentropy\"). Add it."),
          {},
          {makeFix(STRATA_TEXT("problem", "Use %1"), {"sparse_categorical_crossentropy"},
                   setOperation("/training/loss",
                                Json({{"type", "sparse_categorical_crossentropy"}})))});
    }
    else if (loss->is_array()) {
      readLossList(*loss);
    }
    else if (isByName(*loss)) {
      readLossObject(*loss);
    }
    else {
      m_outputs[0].loss = lossOf(*loss, "/training/loss");
      // As in Keras, one loss applies to all outputs
      if (m_model.namesOutputs) {
        const OutputOptions one = m_outputs[0];
        m_outputs.clear();
        for (const std::string& name : m_model.outputs) {
          m_outputs.push_back(one);
          m_outputs.back().name = name;
        }
      }
    }
  }

  TypedFields lossOf(const Json& loss, const std::string& pointer) {
    TypedFields result = m_reader.typed(lossSchemas(), "loss", loss, pointer);
    result.name.clear();
    return result;
  }

  /// Reads the loss of one of several outputs. Null means that the output is not trained.
  void readLoss(const Json& loss, OutputOptions& output) {
    if (loss.is_null())
      output.isTrained = false;
    else
      output.loss = lossOf(loss, output.pointer);
  }

  /// Reports a project in which all losses are null.
  void requireTrained() {
    if (std::any_of(m_outputs.begin(), m_outputs.end(),
                    [](const OutputOptions& each) { return each.isTrained; }))
      return;
    m_reader.report("missing_field", "/training/loss",
                    STRATA_TEXT("problem",
                                "no output has a loss (expected one for at least one of %1, got "
                                "null). Set a loss for an output."),
                    {joinedNames(outputNames())});
    // The first output counts as trained from here on, which prevents problems that only follow
    // from this one.
    m_outputs[0].isTrained = true;
  }

  /// Returns whether the value is an object with a key for each output, such as {"age": "mse"}.
  /// Returns false for a loss that lacks its "type".
  bool isByName(const Json& loss) const {
    if (!loss.is_object() || loss.contains("type")) return false;
    const auto isName = [&](const std::string& key) {
      return std::find(m_model.outputs.begin(), m_model.outputs.end(), key) !=
             m_model.outputs.end();
    };
    for (const auto& [key, value] : loss.items())
      if (isName(key) || value.is_string() || value.is_object() || value.is_null()) return true;
    return false;
  }

  void readLossList(const Json& list) {
    const std::vector<std::string>& names = m_names;
    const bool fits = !list.empty() && (names.empty() || list.size() == names.size());
    if (!fits)
      m_reader.report(
          "shape_mismatch", "/training/loss",
          STRATA_TEXT("problem",
                      "loss must have one entry for each output (expected %1, for %2, got %3). "
                      "Give each output a loss."),
          {std::to_string(names.size()), joinedNames(names), std::to_string(list.size())});
    if (!fits && names.empty()) return;
    m_outputs.clear();
    for (size_t i = 0; i < std::max(names.size(), fits ? list.size() : 0); ++i) {
      const std::string pointer = "/training/loss/" + std::to_string(i);
      m_outputs.push_back(
          {.name = names.empty() ? std::to_string(i) : names[i], .pointer = pointer});
      if (fits) readLoss(list[i], m_outputs.back());
    }
  }

  void readLossObject(const Json& losses) {
    std::vector<std::string> given, names = m_names;
    for (const auto& [name, loss] : losses.items())
      given.push_back(name);
    // If the network is not known, the names in the object are taken as the outputs.
    if (names.empty()) names = given;
    requireNames("loss", "/training/loss", given, names);
    m_outputs.clear();
    for (const std::string& name : names) {
      const std::string pointer = "/training/loss/" + escapedKey(name);
      OutputOptions output{.name = name, .pointer = pointer};
      if (const auto loss = losses.find(name); loss != losses.end())
        readLoss(*loss, output);
      else
        m_reader.report("missing_field", "/training/loss",
                        STRATA_TEXT("problem",
                                    "the output %1 has no loss (expected one for each of %2, got "
                                    "%3). Add a loss, connect %1 to another layer, or set its loss "
                                    "to null if it should not be trained."),
                        {name, joinedNames(names), joinedNames(given)});
      m_outputs.push_back(std::move(output));
    }
  }

  void requireNames(const char* field, const std::string& pointer,
                    const std::vector<std::string>& given, const std::vector<std::string>& names) {
    for (const std::string& name : given) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      m_reader.report("unknown_name", pointer + "/" + escapedKey(name),
                      STRATA_TEXT("problem",
                                  "%1 contains \"%2\", which is not an output of the network "
                                  "(expected %3, got %2). Correct the name."),
                      {field, excerpt(name, 60), joinedNames(names)},
                      {makeFix(STRATA_TEXT("problem", "Remove %1"), {excerpt(name, 60)},
                               removeOperation(pointer + "/" + escapedKey(name)))});
    }
  }

  std::vector<std::string> outputNames() const {
    std::vector<std::string> names;
    for (const OutputOptions& output : m_outputs)
      names.push_back(output.name);
    return names;
  }

  /// Returns the value of a field for each output, or null for an output without a value. The field
  /// is an object with a key for each output, a list, or one value if there is one output.
  std::vector<const Json*> entriesOf(const char* field, const Json& value) {
    const std::string pointer = std::string("/training/") + field;
    std::vector<const Json*> entries(m_outputs.size(), nullptr);
    if (value.is_object() && !value.contains("type")) {
      std::vector<std::string> given;
      for (const auto& [name, entry] : value.items())
        given.push_back(name);
      requireNames(field, pointer, given, outputNames());
      for (size_t i = 0; i < m_outputs.size(); ++i)
        if (const auto found = value.find(m_outputs[i].name); found != value.end())
          entries[i] = &*found;
    }
    else if (value.is_array() && value.size() == m_outputs.size()) {
      for (size_t i = 0; i < m_outputs.size(); ++i)
        entries[i] = &value[i];
    }
    else {
      m_reader.report(
          "shape_mismatch", pointer,
          STRATA_TEXT(
              "problem",
              "%1 must state which entry belongs to which output (expected an object with output "
              "names as keys, or a list of %2 entries, for %3, got %4). Use one of these forms."),
          {field, std::to_string(m_outputs.size()), joinedNames(outputNames()),
           excerpt(value.dump(), 60)});
    }
    return entries;
  }

  void readWeights(const Json& value) {
    std::vector<const Json*> entries{&value};
    if (m_outputs.size() > 1 || !value.is_number()) entries = entriesOf("loss_weights", value);
    for (size_t i = 0; i < entries.size(); ++i) {
      if (!entries[i]) continue;
      if (entries[i]->is_number() && std::isfinite(entries[i]->get<double>()))
        m_outputs[i].weight = entries[i]->get<double>();
      else
        m_reader.report("wrong_type", "/training/loss_weights",
                        STRATA_TEXT("problem",
                                    "the loss weight of %1 has the wrong type (expected a number, "
                                    "got %2). Correct it."),
                        {m_outputs[i].name, excerpt(entries[i]->dump(), 60)});
    }
  }

  void readMetrics(const Json& value, const char* field) {
    m_metricsField = field;
    const std::string pointer = std::string("/training/") + field;
    const bool isOne = m_outputs.size() == 1 && !(value.is_object() && !value.contains("type"));
    if (isOne) return readMetricList(value, pointer, m_outputs[0]);
    if (value.is_array() && value.empty()) return;
    const std::vector<const Json*> entries = entriesOf(field, value);
    for (size_t i = 0; i < entries.size(); ++i) {
      if (!entries[i] || entries[i]->is_null() || (entries[i]->is_array() && entries[i]->empty()))
        continue;
      if (!m_outputs[i].isTrained) {
        m_reader.report("conflict", pointer,
                        STRATA_TEXT("problem",
                                    "%1 has no loss, so its metrics are not measured (expected no "
                                    "metrics, got %2). Remove the metrics, or set a loss."),
                        {m_outputs[i].name, excerpt(entries[i]->dump(), 60)});
        continue;
      }
      const std::string own =
          pointer + "/" + (value.is_array() ? std::to_string(i) : escapedKey(m_outputs[i].name));
      if (entries[i]->is_array())
        readMetricList(*entries[i], own, m_outputs[i]);
      else
        readMetric(*entries[i], own, m_outputs[i]);
    }
  }

  void readMetricList(const Json& list, const std::string& pointer, OutputOptions& output) {
    if (!list.is_array())
      return m_reader.report(
          "wrong_type", pointer,
          STRATA_TEXT("problem",
                      "%1 has the wrong type (expected a list, got %2). Write [\"accuracy\"]."),
          {m_metricsField, excerpt(list.dump(), 60)});
    if (auto problem = tooLongList(list, kMaxMetrics, pointer)) {
      m_reader.diagnostics().push_back(std::move(*problem));
      return;
    }
    for (size_t i = 0; i < list.size(); ++i)
      readMetric(list[i], pointer + "/" + std::to_string(i), output);
  }

  void readMetric(const Json& entry, const std::string& pointer, OutputOptions& output) {
    TypedFields metric = m_reader.typed(metricSchemas(), "metric", entry, pointer);
    if (!metric.fields) return;
    if (entry.is_object() && entry.contains("name") && entry["name"].is_string())
      metric.name = entry["name"].get<std::string>();
    const std::string plain = labelOf(metric),
                      prefix = m_outputs.size() > 1 ? output.name + "_" : std::string();
    if (!prefix.empty()) metric.name = prefix + plain;
    metric.isWeighted = m_metricsField == std::string_view("weighted_metrics");
    // As in Keras, a weighted metric gets a longer name if its name is already used.
    if (metric.isWeighted && isTaken(metric)) metric.name = prefix + "weighted_" + plain;
    // Two metrics of the same type need different names.
    if (isTaken(metric))
      return m_reader.report(
          "duplicate_name", pointer,
          STRATA_TEXT("problem",
                      "the metric %1 is listed twice (expected different names). Remove one of "
                      "them, or give one a name."),
          {labelOf(metric)},
          {makeFix(STRATA_TEXT("problem", "Remove %1"), {labelOf(metric)},
                   removeOperation(pointer))});
    output.metrics.push_back(std::move(metric));
  }

  /// Returns whether the loss of an output or another metric already has this name.
  bool isTaken(const TypedFields& metric) const {
    return std::any_of(m_outputs.begin(), m_outputs.end(), [&](const OutputOptions& each) {
      return (m_outputs.size() > 1 && each.lossName() == labelOf(metric)) ||
             std::any_of(each.metrics.begin(), each.metrics.end(), [&](const TypedFields& other) {
               return labelOf(other) == labelOf(metric);
             });
    });
  }

  static const std::string& labelOf(const TypedFields& metric) {
    return metric.name.empty() ? metric.type : metric.name;
  }

  const Json& m_document;
  const Model& m_model;
  // Names of the outputs; empty if the network is not known or has an error
  std::vector<std::string> m_names;
  const char* m_metricsField = "metrics";
  OptionReader m_reader;
  std::vector<OutputOptions> m_outputs;
};

}  // namespace

std::vector<OutputOptions> readOutputs(const Project& project, const Model& model,
                                       Diagnostics& diagnostics) {
  return OutputsReader(project, model, diagnostics).read();
}

bool weighsSamples(const Project& project, const std::string& output) {
  const Json& source = memberOf(memberOf(project.document(), "data"), "source");
  const Json& type = memberOf(source, "type");
  const Json& weights = memberOf(source, kSampleWeights);
  return (type == "csv" || type == "numpy" || type == "values") &&
         !(weights.is_object() ? memberOf(weights, output.c_str()) : weights).is_null();
}

}  // namespace strata
