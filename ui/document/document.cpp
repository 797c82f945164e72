// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document.h"

#include <QFile>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/check/validate.h"
#include "core/layers/layer.h"
#include "ui/document/edit_command.h"
#include "ui/document/field_text.h"
#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

std::shared_ptr<const Inspection> inspect(const Project& project) {
  auto inspection = std::make_shared<Inspection>();
  try {
    *inspection = inspectProject(project);
  }
  catch (const std::exception& error) {
    Diagnostic diagnostic;
    diagnostic.code = "internal";
    diagnostic.message = STRATA_TEXT(
        "strata::ui::Document",
        "The project could not be checked: %1. Undo the last edit and report this problem.");
    diagnostic.arguments = {error.what()};
    inspection->diagnostics.push_back(std::move(diagnostic));
  }
  return inspection;
}

std::string stringAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const Json* layersOf(const Json& document) {
  if (!document.is_object()) return nullptr;
  const auto model = document.find("model");
  if (model == document.end() || !model->is_object()) return nullptr;
  const auto layers = model->find("layers");
  return layers != model->end() && layers->is_array() ? &*layers : nullptr;
}

QByteArray bytesOnDisk(const QString& path) {
  if (path.isEmpty()) return {};
  try {
    return QByteArray::fromStdString(
        readFile(QFile::encodeName(path).toStdString(), kMaxJsonBytes));
  }
  catch (const Error&) {
    return {};
  }
}

}  // namespace

Document::Document(Project project, QObject* parent)
    : QObject(parent), m_project(std::move(project)), m_inspection(std::make_shared<Inspection>()) {
  m_onDisk = bytesOnDisk(path());
  readLayers();
  connect(&m_undo, &QUndoStack::cleanChanged, this, &Document::savedChanged);

  // Used by the estimation thread
  const auto estimator = std::make_shared<Estimator>();
  m_estimator = std::make_unique<LatestWorker<EstimateRequest>>(
      [this, estimator](const EstimateRequest& request, const std::stop_token& stop) {
        estimator->run(request, stop, [this](const Estimate& estimate) {
          QMetaObject::invokeMethod(
              this, [this, estimate] { acceptEstimate(estimate.revision, estimate); },
              Qt::QueuedConnection);
        });
      });
  m_inspector = std::make_unique<LatestWorker<InspectionRequest>>(
      [this](const InspectionRequest& request, const std::stop_token&) {
        auto inspection = inspect(request.project);
        QMetaObject::invokeMethod(
            this,
            [this, revision = request.revision, inspection = std::move(inspection)] {
              acceptInspection(revision, inspection);
            },
            Qt::QueuedConnection);
      });
  m_inspector->post({m_revision, m_project});
}

// The stack emits signals while it is destroyed.
Document::~Document() { m_undo.disconnect(this); }

QString Document::name() const { return text(m_project.name()); }
const CheckedProject& Document::checked() const {
  if (!m_checked || m_checkedRevision != m_revision) m_checked.emplace(m_project);
  m_checkedRevision = m_revision;
  return *m_checked;
}

QString Document::path() const { return text(m_project.path()); }

int64_t Document::batchSize() const {
  constexpr int64_t kDefault = 32;
  const Json::json_pointer pointer("/training/batch_size");
  if (!json().contains(pointer) || !json().at(pointer).is_number_integer()) return kDefault;
  return json().at(pointer).get<int64_t>();
}

bool Document::submit(const ProjectEdit& edit) {
  if (edit.operations.empty()) return false;
  try {
    ProjectEdit inverse = apply(edit);
    m_undo.push(new EditCommand(*this, edit, std::move(inverse)));
  }
  catch (const Error& error) {
    Q_EMIT editRefused(text(error.line()));
    return false;
  }
  afterEdit(edit.layers);
  return true;
}

ProjectEdit Document::apply(const ProjectEdit& edit) {
  return applyEdit(m_project.document(), edit);
}

void Document::afterEdit(const std::vector<std::string>& select) {
  ++m_revision;
  const QList<LayerPath> before = m_selection;
  readLayers();
  m_estimator->cancel();
  m_inspector->post({m_revision, m_project});

  QList<LayerPath> next;
  for (const std::string& layer : select) {
    // Among layers with the same name, prefers the selected one.
    const auto selected = std::find_if(before.begin(), before.end(),
                                       [&](const LayerPath& each) { return each.text() == layer; });
    next << (selected != before.end() ? *selected : pathOf(text(layer)));
  }
  next = existing(next);
  m_selection = next.isEmpty() ? existing(before) : next;
  const bool hasRefusedChanged = m_refused.followEdit(*this);
  Q_EMIT changed();
  Q_EMIT savedChanged();
  if (m_selection != before) Q_EMIT selectionChanged();
  if (hasRefusedChanged) Q_EMIT refusedValuesChanged();
}

void Document::refuse(RefusedValue value) {
  m_refused.add(*this, std::move(value));
  Q_EMIT refusedValuesChanged();
}

void Document::accept(const LayerPath& layer, const std::string& field) {
  if (m_refused.remove(layer, field)) Q_EMIT refusedValuesChanged();
}

void Document::readLayers() {
  m_layers.clear();
  m_indexOf.clear();
  LayerEntry network;
  network.depth = -1;
  if (const Json* layers = layersOf(json())) readLayers(*layers, network);
}

/// Reads the rows of a list. `block` is the row that contains it.
void Document::readLayers(const Json& layers, const LayerEntry& block) {
  for (size_t i = 0; i < layers.size(); ++i) {
    const Json& layer = layers[i];
    LayerEntry entry;
    entry.depth = block.depth + 1;
    const std::string label = layer.is_object() ? stringAt(layer, "name") : std::string();
    entry.path = block.path.inside(static_cast<int>(i), label);
    entry.list = entry.path.list().pointer;
    entry.label = text(label);
    if (layer.is_object()) {
      const std::string type = stringAt(layer, "type");
      entry.name = text(entry.path.text());
      entry.type = text(type);
      if (const auto inputs = layer.find("inputs"); inputs != layer.end() && inputs->is_array()) {
        for (const Json& input : *inputs)
          if (input.is_string()) entry.inputs << text(input.get<std::string>());
      }
      entry.summary = entry.type;
      if (const LayerDef* definition = findLayer(type)) {
        entry.group = text(definition->schema.group);
        entry.summary = layerSummaryText(definition->schema, layer);
      }
    }
    m_indexOf.emplace(entry.pointer(), static_cast<int>(m_layers.size()));
    m_layers << entry;
    const bool hasRows =
        entry.type == u"Block"_s && layer.contains("layers") && layer["layers"].is_array();
    if (hasRows && entry.depth < kMaxBlockDepth) readLayers(layer["layers"], entry);
  }
}

int Document::layerIndex(const QString& name) const {
  const auto found = std::find_if(m_layers.begin(), m_layers.end(),
                                  [&](const LayerEntry& entry) { return entry.name == name; });
  return found == m_layers.end() ? -1 : static_cast<int>(found - m_layers.begin());
}

int Document::layerIndex(const LayerPath& layer) const {
  const auto found = layer.hasPlaces() ? m_indexOf.find(layer.pointer()) : m_indexOf.end();
  if (found != m_indexOf.end() && m_layers[found->second].path == layer) return found->second;
  return layer.steps.empty() ? -1 : layerIndex(text(layer.text()));
}

LayerPath Document::pathOf(const QString& name) const {
  const int index = layerIndex(name);
  return index < 0 ? LayerPath{{{-1, name.toStdString()}}} : m_layers[index].path;
}

/// The layers that exist, without duplicates and with their current places
QList<LayerPath> Document::existing(const QList<LayerPath>& layers) const {
  QList<LayerPath> found;
  std::set<int> done;
  for (const LayerPath& layer : layers) {
    const int index = layerIndex(layer);
    if (index >= 0 && done.insert(index).second) found << m_layers[index].path;
  }
  return found;
}

void Document::select(const QList<LayerPath>& layers) {
  const QList<LayerPath> next = existing(layers);
  if (next == m_selection) return;
  m_selection = next;
  Q_EMIT selectionChanged();
}

void Document::setSelection(const QStringList& layers) {
  QList<LayerPath> paths;
  for (const QString& layer : layers)
    paths << pathOf(layer);
  select(paths);
}

QStringList Document::selection() const {
  QStringList names;
  for (const LayerPath& layer : m_selection)
    names << text(layer.text());
  return names;
}

/// By place if the inspection has this layer there, which distinguishes layers with the same name;
/// by name if the inspection is older than an edit.
const LayerSummary* Document::summary(int index) const {
  if (index < 0 || index >= m_layers.size()) return nullptr;
  const LayerEntry& entry = m_layers[index];
  const std::string name = entry.label.toStdString(), type = entry.type.toStdString();
  const std::vector<LayerSummary>* rows = &m_inspection->summary.layers;
  const std::vector<LayerPath::Step>& steps = entry.path.steps;
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    const auto outer = static_cast<size_t>(steps[i].place);
    if (outer >= rows->size()) return nullptr;
    rows = &(*rows)[outer].inner;
  }
  const auto place = static_cast<size_t>(entry.place());
  if (place < rows->size() && (*rows)[place].name == name && (*rows)[place].type == type)
    return &(*rows)[place];
  const auto found = std::find_if(rows->begin(), rows->end(),
                                  [&](const LayerSummary& row) { return row.name == name; });
  return found == rows->end() ? nullptr : &*found;
}

void Document::inspectNow() {
  if (!isInspectionCurrent()) acceptInspection(m_revision, inspect(m_project));
}

void Document::acceptInspection(quint64 revision, std::shared_ptr<const Inspection> inspection) {
  // A newer inspection is pending or has already arrived.
  if (revision != m_revision || isInspectionCurrent()) return;
  m_inspection = std::move(inspection);
  m_inspectionRevision = revision;
  Q_EMIT inspectionChanged();
  if (hasErrors(m_inspection->diagnostics)) {
    Estimate none;
    none.revision = revision;
    none.whyNoMemory = none.whyNoTime = tr("unknown, because the network has problems");
    acceptEstimate(revision, none);
  }
  else {
    m_estimator->post({m_revision, m_project, m_areTrialsAllowed});
  }
}

void Document::acceptEstimate(quint64 revision, const Estimate& estimate) {
  if (revision != m_revision) return;
  m_estimate = estimate;
  Q_EMIT estimateChanged();
}

void Document::setTrialsAllowed(bool allowed) {
  if (m_areTrialsAllowed == allowed) return;
  m_areTrialsAllowed = allowed;
  if (!allowed) {
    m_estimator->cancel();
    const bool hasMemory = m_estimate.revision == m_revision && m_estimate.hasMemory;
    if (!hasMemory && isInspectionCurrent() && errorCount() == 0)
      m_estimator->post({m_revision, m_project, false});
  }
  else if (isInspectionCurrent() && errorCount() == 0 &&
           !(m_estimate.revision == m_revision && m_estimate.hasTime)) {
    m_estimator->post({m_revision, m_project, true});
  }
}

int Document::errorCount() const {
  return static_cast<int>(
      std::count_if(m_inspection->diagnostics.begin(), m_inspection->diagnostics.end(),
                    [](const Diagnostic& d) { return d.severity == Severity::Error; }));
}

std::optional<Severity> Document::severity(const QString& layer, bool withInside) const {
  std::optional<Severity> worst;
  const std::string name = layer.toStdString();
  for (const Diagnostic& diagnostic : m_inspection->diagnostics) {
    const bool isInside = withInside && diagnostic.layer.starts_with(name + "/");
    if (diagnostic.layer != name && !isInside) continue;
    if (diagnostic.severity == Severity::Error) return Severity::Error;
    worst = Severity::Warning;
  }
  return worst;
}

bool Document::isChangedOnDisk() const {
  return QFile::exists(path()) && bytesOnDisk(path()) != m_onDisk;
}

Result<void> Document::save(const QString& path) {
  const std::string target = path.toStdString();
  if (Result<void> saved = saveProject(m_project, target); !saved) return saved;
  m_project.setPath(target);
  m_savedAt = std::chrono::steady_clock::now();
  m_onDisk = bytesOnDisk(path);
  m_undo.setClean();
  Q_EMIT savedChanged();
  return {};
}

}  // namespace strata::ui
