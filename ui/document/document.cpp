// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document.h"

#include <QFile>
#include <algorithm>
#include <nlohmann/json.hpp>

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
  } catch (const std::exception& error) {
    Diagnostic diagnostic;
    diagnostic.code = "internal";
    diagnostic.message = STRATA_TEXT("strata::ui::Document", "Checking the project failed: %1. Undo the last edit, and report this.");
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
    return QByteArray::fromStdString(readFile(QFile::encodeName(path).toStdString(), kMaxJsonBytes));
  } catch (const Error&) { return {}; }
}

}  // namespace

Document::Document(Project project, QObject* parent)
    : QObject(parent), m_project(std::move(project)), m_inspection(std::make_shared<Inspection>()) {
  m_onDisk = bytesOnDisk(path());
  readLayers();
  connect(&m_undo, &QUndoStack::cleanChanged, this, &Document::savedChanged);

  const auto estimator = std::make_shared<Estimator>();  // the estimating thread's
  m_estimator =
      std::make_unique<LatestWorker<EstimateRequest>>([this, estimator](const EstimateRequest& request, const std::stop_token& stop) {
        estimator->run(request, stop, [this](const Estimate& estimate) {
          QMetaObject::invokeMethod(
              this, [this, estimate] { acceptEstimate(estimate.revision, estimate); }, Qt::QueuedConnection);
        });
      });
  m_inspector = std::make_unique<LatestWorker<InspectionRequest>>([this](const InspectionRequest& request, const std::stop_token&) {
    auto inspection = inspect(request.project);
    QMetaObject::invokeMethod(
        this, [this, revision = request.revision, inspection = std::move(inspection)] { acceptInspection(revision, inspection); },
        Qt::QueuedConnection);
  });
  m_inspector->post({m_revision, m_project});
}

// The stack tells about itself while it goes.
Document::~Document() { m_undo.disconnect(this); }

QString Document::name() const { return text(m_project.name()); }
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
  } catch (const Error& error) {
    Q_EMIT editRefused(text(error.line()));
    return false;
  }
  afterEdit(edit.layers);
  return true;
}

ProjectEdit Document::apply(const ProjectEdit& edit) { return applyEdit(m_project.document(), edit); }

void Document::afterEdit(const std::vector<std::string>& select) {
  ++m_revision;
  // What was edited in a folded Block is shown.
  for (const std::string& layer : select) {
    const QString name = text(layer);
    for (qsizetype slash = name.indexOf(u'/'); slash > 0; slash = name.indexOf(u'/', slash + 1)) m_folded.remove(name.left(slash));
  }
  readLayers();
  m_estimator->cancel();
  m_inspector->post({m_revision, m_project});

  QStringList selection;
  for (const std::string& layer : select) selection << text(layer);
  const auto isGone = [this](const QString& layer) { return layerIndex(layer) < 0; };
  selection.removeIf(isGone);
  if (selection.isEmpty()) {
    selection = m_selection;
    selection.removeIf(isGone);
  }
  const bool isSelectionNew = selection != m_selection;
  m_selection = selection;
  Q_EMIT changed();
  Q_EMIT savedChanged();
  if (isSelectionNew) Q_EMIT selectionChanged();
}

void Document::readLayers() {
  m_layers.clear();
  const std::map<QString, std::string> before = std::exchange(m_blocks, {});
  if (const Json* layers = layersOf(json())) readBlocks(*layers, {}, "/model/layers", 0);
  // A folded Block that is renamed stays folded; one that is gone is forgotten.
  for (const QString& block : m_folded.values()) {
    if (m_blocks.contains(block)) continue;
    m_folded.remove(block);
    const auto old = before.find(block);
    for (const auto& [name, pointer] : m_blocks)
      if (old != before.end() && pointer == old->second && !before.contains(name)) m_folded.insert(name);
  }
  LayerEntry network;
  network.depth = -1;
  network.list = "/model";
  if (const Json* layers = layersOf(json())) readLayers(*layers, network);
}

void Document::readBlocks(const Json& layers, const QString& prefix, const std::string& list, int depth) {
  for (size_t i = 0; i < layers.size(); ++i) {
    const Json& layer = layers[i];
    if (!layer.is_object() || stringAt(layer, "type") != "Block") continue;
    const QString name = prefix + text(stringAt(layer, "name"));
    const std::string pointer = list + "/" + std::to_string(i);
    m_blocks.emplace(name, pointer);
    if (depth < kMaxBlockDepth && layer.contains("layers") && layer["layers"].is_array())
      readBlocks(layer["layers"], name + u'/', pointer + "/layers", depth + 1);
  }
}

/// The rows of a list; `block`: the row it belongs to.
void Document::readLayers(const Json& layers, const LayerEntry& block) {
  for (size_t i = 0; i < layers.size(); ++i) {
    const Json& layer = layers[i];
    LayerEntry entry;
    entry.depth = block.depth + 1;
    entry.list = (block.depth < 0 ? block.list : block.pointer()) + "/layers";
    entry.places = block.places;
    entry.places.push_back(static_cast<int>(i));
    if (layer.is_object()) {
      const std::string type = stringAt(layer, "type");
      entry.label = text(stringAt(layer, "name"));
      entry.name = block.depth < 0 ? entry.label : block.name + u'/' + entry.label;
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
    m_layers << entry;
    const bool hasRows = entry.type == u"Block"_s && layer.contains("layers") && layer["layers"].is_array();
    if (hasRows && entry.depth < kMaxBlockDepth && !m_folded.contains(entry.name)) readLayers(layer["layers"], entry);
  }
}

void Document::setFolded(const QString& block, bool folded) {
  if (folded == m_folded.contains(block)) return;
  if (folded)
    m_folded.insert(block);
  else
    m_folded.remove(block);
  readLayers();
  Q_EMIT rowsChanged();
  // What is hidden now is not selected.
  QStringList selection = m_selection;
  for (QString& layer : selection)
    if (layerIndex(layer) < 0) layer = block;
  selection.removeDuplicates();
  setSelection(selection);
}

int Document::layerIndex(const QString& name) const {
  const auto found = std::find_if(m_layers.begin(), m_layers.end(), [&](const LayerEntry& entry) { return entry.name == name; });
  return found == m_layers.end() ? -1 : static_cast<int>(found - m_layers.begin());
}

void Document::setSelection(const QStringList& layers, const QList<int>& rows) {
  // A layer in a folded Block is shown first.
  for (const QString& layer : layers)
    for (qsizetype slash = layer.indexOf(u'/'); slash > 0; slash = layer.indexOf(u'/', slash + 1)) setFolded(layer.left(slash), false);
  if (layers == m_selection && (rows.isEmpty() || rows == selectedRows())) return;
  m_selection = layers;
  m_selectedRows = rows;
  Q_EMIT selectionChanged();
}

QList<int> Document::selectedRows() const {
  QList<int> rows;
  for (qsizetype i = 0; i < m_selection.size(); ++i) {
    const int hint = m_selectedRows.value(i, -1);
    const bool isHintGood = hint >= 0 && hint < m_layers.size() && m_layers[hint].name == m_selection[i];
    const int row = isHintGood ? hint : layerIndex(m_selection[i]);
    if (row >= 0 && !rows.contains(row)) rows << row;
  }
  return rows;
}

int Document::selectedIndex() const { return selectedRows().value(0, -1); }

/// By place while the inspection has this layer there, which tells layers of equal name apart; by name while it is older than an edit.
const LayerSummary* Document::summary(int index) const {
  if (index < 0 || index >= m_layers.size()) return nullptr;
  const LayerEntry& entry = m_layers[index];
  const std::string name = entry.label.toStdString(), type = entry.type.toStdString();
  const std::vector<LayerSummary>* rows = &m_inspection->summary.layers;
  for (size_t i = 0; i + 1 < entry.places.size(); ++i) {
    const auto place = static_cast<size_t>(entry.places[i]);
    if (place >= rows->size()) return nullptr;
    rows = &(*rows)[place].inner;
  }
  const auto place = static_cast<size_t>(entry.places.back());
  if (place < rows->size() && (*rows)[place].name == name && (*rows)[place].type == type) return &(*rows)[place];
  const auto found = std::find_if(rows->begin(), rows->end(), [&](const LayerSummary& row) { return row.name == name; });
  return found == rows->end() ? nullptr : &*found;
}

void Document::inspectNow() {
  if (!isInspectionCurrent()) acceptInspection(m_revision, inspect(m_project));
}

void Document::acceptInspection(quint64 revision, std::shared_ptr<const Inspection> inspection) {
  if (revision != m_revision || isInspectionCurrent()) return;  // a newer one is on its way, or came first
  m_inspection = std::move(inspection);
  m_inspectionRevision = revision;
  Q_EMIT inspectionChanged();
  if (hasErrors(m_inspection->diagnostics)) {
    Estimate none;
    none.revision = revision;
    none.whyNoMemory = none.whyNoTime = tr("unknown, because the network has problems");
    acceptEstimate(revision, none);
  } else {
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
    if (!hasMemory && isInspectionCurrent() && errorCount() == 0) m_estimator->post({m_revision, m_project, false});
  } else if (isInspectionCurrent() && errorCount() == 0 && !(m_estimate.revision == m_revision && m_estimate.hasTime)) {
    m_estimator->post({m_revision, m_project, true});
  }
}

int Document::errorCount() const {
  return static_cast<int>(std::count_if(m_inspection->diagnostics.begin(), m_inspection->diagnostics.end(),
                                        [](const Diagnostic& d) { return d.severity == Severity::Error; }));
}

std::optional<Severity> Document::severity(const QString& layer) const {
  std::optional<Severity> worst;
  const std::string name = layer.toStdString();
  for (const Diagnostic& diagnostic : m_inspection->diagnostics) {
    const bool isHidden = m_folded.contains(layer) && diagnostic.layer.starts_with(name + "/");
    if (diagnostic.layer != name && !isHidden) continue;
    if (diagnostic.severity == Severity::Error) return Severity::Error;
    worst = Severity::Warning;
  }
  return worst;
}

bool Document::isChangedOnDisk() const { return QFile::exists(path()) && bytesOnDisk(path()) != m_onDisk; }

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
