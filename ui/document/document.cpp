// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ui/document/edit_command.h"
#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

Document::Document(Project project, QObject* parent)
    : QObject(parent),
      m_project(std::move(project)),
      m_layers(json()),
      m_checks(std::make_unique<DocumentChecks>(*this)) {
  m_file.read(path());
  connect(&m_undo, &QUndoStack::cleanChanged, this, &Document::savedChanged);
  connect(m_checks.get(), &DocumentChecks::inspectionChanged, this, &Document::inspectionChanged);
  connect(m_checks.get(), &DocumentChecks::estimateChanged, this, &Document::estimateChanged);
  m_checks->start();
}

// The stack emits signals while it is destroyed, when this object is no longer a Document.
Document::~Document() { m_undo.disconnect(this); }

QString Document::name() const { return text(m_project.name()); }

const CheckedProject& Document::checked() const {
  if (!m_checked || m_checkedRevision != m_revision) m_checked.emplace(m_project);
  m_checkedRevision = m_revision;
  return *m_checked;
}

QString Document::path() const { return text(m_project.path()); }

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
  m_layers = LayerEntries(json());
  m_checks->start();

  QList<LayerPath> next;
  for (const std::string& layer : select) {
    // If several layers have this name, keep the selected one.
    const auto selected = std::find_if(before.begin(), before.end(),
                                       [&](const LayerPath& each) { return each.text() == layer; });
    next << (selected != before.end() ? *selected : m_layers.pathOf(text(layer)));
  }
  next = m_layers.existing(next);
  m_selection = next.isEmpty() ? m_layers.existing(before) : next;
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

void Document::select(const QList<LayerPath>& layers) {
  const QList<LayerPath> next = m_layers.existing(layers);
  if (next == m_selection) return;
  m_selection = next;
  Q_EMIT selectionChanged();
}

void Document::setSelection(const QStringList& layers) {
  QList<LayerPath> paths;
  for (const QString& layer : layers)
    paths << m_layers.pathOf(layer);
  select(paths);
}

QStringList Document::selection() const {
  QStringList names;
  for (const LayerPath& layer : m_selection)
    names << text(layer.text());
  return names;
}

Result<void> Document::save(const QString& path) {
  const std::string target = path.toStdString();
  if (Result<void> saved = saveProject(m_project, target); !saved) return saved;
  m_project.setPath(target);
  m_file.readSaved(path);
  m_undo.setClean();
  Q_EMIT savedChanged();
  return {};
}

}  // namespace strata::ui
