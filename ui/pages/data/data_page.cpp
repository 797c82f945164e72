// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/data_page.h"

#include <QDir>
#include <QFileInfo>
#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QMetaObject>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <climits>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/data/dataset.h"
#include "core/data/load_progress.h"
#include "core/data/source.h"
#include "core/data/table_edits.h"
#include "core/data/table_network.h"
#include "ui/dialogs/file_dialog.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/inspector/project_access.h"
#include "ui/pages/data/class_card.h"
#include "ui/pages/data/sample_card.h"
#include "ui/pages/data/table_card.h"
#include "ui/pages/pages.h"
#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/page_context.h"
#include "ui/workspace/per_document.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

// Larger tables are not read while an edit is made.
static constexpr size_t kSmallTableBytes = size_t{8} << 20;

namespace {

/// A card whose minimum height does not depend on its width. Otherwise the page would scroll as
/// soon as wrapped texts make the preferred height of its cards larger than the page.
class Card : public QFrame {
 public:
  Card(QWidget* content, QWidget* parent) : QFrame(parent) {
    setRole(this, "card");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 1);
    layout->addWidget(content);
  }
  bool hasHeightForWidth() const override { return false; }
};

}  // namespace

Page makeDataPage(const PageContext& context) {
  const auto make = [context](Document& document, QWidget* parent) -> QWidget* {
    auto* page = new DataPage(document, parent);
    QObject::connect(&context.navigation, &Navigation::fieldRequested, page,
                     [context, page, &document](const QString& field) {
                       if (context.workspace.current() == &document) page->focusField(field);
                     });
    return page;
  };
  return {new PerDocument(context.workspace, make), nullptr};
}

DataPage::DataPage(Document& document, QWidget* parent) : QWidget(parent), m_document(document) {
  makeGrid();
  m_sourceCard = new Card(makeSourceCard(), this);
  m_classes = new ClassCard(this);
  m_classCard = new Card(m_classes, this);
  m_table = new TableCard(m_document, this);
  m_tableCard = new Card(m_table, this);
  // These cards are hidden until the classes are counted, and until the source is a table.
  for (QWidget* card : {m_classCard, m_tableCard})
    card->hide();
  m_samples = new SampleCard(this);
  m_sampleCard = new Card(m_samples, this);
  layOut(false);
  m_worker = std::make_unique<LatestWorker<Request>>([this](Request wanted, std::stop_token stop) {
    DataView view;
    view.revision = wanted.revision;
    const LoadProgress loading(
        [this, revision = wanted.revision](int64_t done, int64_t total) {
          QMetaObject::invokeMethod(
              this, [this, revision, done, total] { showProgress(revision, done, total); },
              Qt::QueuedConnection);
        },
        stop);
    try {
      const CheckedProject project(wanted.project);
      view.dataset = loadDataset(project);
      const DatasetInfo& info = project.data();
      view.bytes = info.bytes();
      view.decodedBytes = info.decodedBytes();
      const std::vector<DataTarget>& targets = view.dataset->targets;
      const auto labels = std::find_if(targets.begin(), targets.end(),
                                       [](const DataTarget& each) { return each.hasLabels; });
      if (labels != targets.end()) {
        view.target = static_cast<size_t>(labels - targets.begin());
        const auto count = [&](const Samples& samples, int64_t begin, int64_t end, size_t split) {
          const auto classes = samples.y[view.target].as<int32_t>();
          for (int64_t i = begin; i < end; ++i) {
            const int32_t label = classes[static_cast<size_t>(i)];
            if (label < 0 || label > 100000) continue;
            if (static_cast<size_t>(label) >= view.classCounts.size())
              view.classCounts.resize(static_cast<size_t>(label) + 1);
            ++view.classCounts[static_cast<size_t>(label)][split];
          }
        };
        const Dataset& dataset = *view.dataset;
        count(*dataset.train, 0, dataset.trainCount, kTrain);
        count(*dataset.train, dataset.trainCount, dataset.trainCount + dataset.validationCount,
              kValidation);
        if (dataset.test) count(*dataset.test, 0, dataset.test->count(), kTest);
      }
    }
    catch (const Error& error) {
      if (error.code() == ErrorCode::Stopped) return;
      view.problem = text(error.line());
    }
    QMetaObject::invokeMethod(
        this, [this, view = std::move(view)] { accept(view); }, Qt::QueuedConnection);
  });
  connect(&m_document, &Document::changed, this, [this] {
    if (isVisible()) request();
  });
  connect(&m_document, &Document::inspectionChanged, this, &DataPage::refreshProblem);
}

DataPage::~DataPage() = default;

void DataPage::makeGrid() {
  // A table, its samples and its form may need more height than a small window has.
  auto* area = m_area = new QScrollArea(this);
  area->setWidgetResizable(true);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area->setFocusPolicy(Qt::NoFocus);
  area->setAccessibleName(tr("Data"));
  auto* body = new QWidget(area);
  area->setWidget(body);
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->addWidget(area);
  auto* grid = m_grid = new QGridLayout(body);
  grid->setContentsMargins(18, 14, 18, 14);
  grid->setSpacing(12);
}

QLayout* DataPage::makeSourceHead(QWidget* card) {
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("Source and split"), card);
  setRole(title, "section");
  head->addWidget(title);
  head->addStretch();
  auto* table = new QPushButton(tr("Use a table (CSV)…"), card);
  table->setAccessibleName(table->text());
  table->setToolTip(tr("Choose a table of your own as the data"));
  connect(table, &QPushButton::clicked, this,
          [this] { askForTable(this, [this](const QString& path) { useTable(path); }); });
  head->addWidget(table);
  return head;
}

QWidget* DataPage::makeSourceCard() {
  auto* card = new QWidget(this);
  auto* layout = new QVBoxLayout(card);
  layout->setContentsMargins(14, 10, 14, 12);
  layout->setSpacing(8);
  layout->addLayout(makeSourceHead(card));
  m_summary = new QLabel(card);
  m_summary->setWordWrap(true);
  // Room for the usual text, so that the form stays where it is when the data have been read.
  reserveLines(m_summary, 3, tr("Reading the data…"));
  m_summary->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  setRole(m_summary, "muted");
  layout->addWidget(m_summary);
  layout->addLayout(makeProgress(card));
  m_problem = new QLabel(card);
  m_problem->setWordWrap(true);
  setRole(m_problem, "problem");
  m_problem->hide();
  layout->addWidget(m_problem);
  FieldForm::Access access = projectAccess([this] { return &m_document; });
  access.set = [this, set = access.set](const FieldSchema& field, const Json& value) {
    if (field.name != "/data/source" || !changesData(value)) set(field, value);
  };
  auto* form = m_form = new FieldForm(std::move(access), card);
  FieldSchema source{.name = "/data/source",
                     .type = FieldType::Object,
                     .registry = "source",
                     .objects = sourceSchemas};
  source.title = STRATA_TEXT("Data", "Source");
  source.help = STRATA_TEXT("Data", "Where the samples come from");
  form->addField(source);
  for (const FieldSchema& field : dataSectionSchema().fields)
    form->addField(fieldAt(dataSectionSchema(), field.name.c_str(), "/data/"));
  FieldSchema transforms{.name = "/data/transforms",
                         .type = FieldType::Objects,
                         .defaultJson = "[]",
                         .registry = "transform",
                         .objects = transformSchemas};
  transforms.title = STRATA_TEXT("Data", "Transforms");
  transforms.help = STRATA_TEXT(
      "Data", "Steps applied to each sample, in this order, before it enters the network");
  form->addField(transforms);
  connect(&m_document, &Document::changed, form, &FieldForm::refresh);
  connect(&m_document, &Document::inspectionChanged, form, &FieldForm::refresh);
  connect(&m_document, &Document::refusedValuesChanged, form, &FieldForm::refresh);
  form->refresh();
  auto* area = new QScrollArea(card);
  area->setWidgetResizable(true);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area->setFocusPolicy(Qt::NoFocus);
  area->setAccessibleName(tr("Source and split"));
  setRole(form, "pane");
  area->setWidget(form);
  layout->addWidget(area, 1);
  return card;
}

/// Makes the row that shows how many files have been read. It keeps its place.
QLayout* DataPage::makeProgress(QWidget* card) {
  auto* row = new QHBoxLayout;
  m_progress = new QProgressBar(card);
  m_progress->setTextVisible(false);
  m_progress->setAccessibleName(tr("Files that have been read"));
  m_cancel = new QPushButton(card);
  setRole(m_cancel, "link");
  fixWidth(m_cancel, {tr("Cancel"), tr("Read")});
  connect(m_cancel, &QPushButton::clicked, this, [this] {
    if (!std::exchange(m_isReading, false)) {
      m_description.clear();
      request();
      return;
    }
    m_worker->cancel();
    m_summary->setText(tr("Reading the data was canceled."));
    m_progress->hide();
    m_cancel->setText(tr("Read"));
  });
  row->addWidget(m_progress, 1);
  row->addWidget(m_cancel);
  for (QWidget* each : {static_cast<QWidget*>(m_progress), static_cast<QWidget*>(m_cancel)}) {
    keepPlace(each);
    each->hide();
  }
  return row;
}

void DataPage::showProgress(quint64 revision, int64_t done, int64_t total) {
  if (!m_isReading || revision != m_reading) return;
  m_summary->setText(
      tr("Reading the data: %1 of %2 files…").arg(formatCount(done), formatCount(total)));
  m_progress->setRange(0, static_cast<int>(std::min<int64_t>(total, INT_MAX)));
  m_progress->setValue(static_cast<int>(std::min<int64_t>(done, INT_MAX)));
  m_progress->show();
}

/// Replaces the data if the source gets another type, or a table another file. Returns false for
/// other changes of the source.
bool DataPage::changesData(const Json& source) {
  const Json now = typedObject(memberOf(memberOf(m_document.json(), "data"), "source")),
             next = typedObject(source);
  if (next.is_null()) return false;
  if (now.is_null() || now["type"] != next["type"])
    return m_document.submit(changeSourceEdit(m_document.json(), next));
  const Json& path = memberOf(next, "path");
  if (next["type"] != "csv" || !path.is_string() || path == memberOf(now, "path")) return false;
  useTable(text(path.get<std::string>()));
  return true;
}

/// Makes the project read this table. A path in the folder of the project becomes relative to it.
void DataPage::useTable(const QString& path) {
  QString stored = path;
  if (!m_document.path().isEmpty() && QDir::isAbsolutePath(path)) {
    const QDir folder = QFileInfo(m_document.path()).absoluteDir();
    if (const QString relative = folder.relativeFilePath(path); !relative.startsWith(u"../"_s))
      stored = relative;
  }
  m_table->expectGuess();
  m_document.submit(useTableEdit(m_document.project(), stored.toStdString(), kSmallTableBytes));
}

void DataPage::focusField(const QString& field) {
  if (!field.startsWith("/data/"_L1)) return;
  m_area->ensureWidgetVisible(m_sourceCard);
  m_form->focusField(field.toStdString());
}

/// Puts the samples to the right of source and classes if there is enough space, or else below
/// them. A table is above them and as wide as the page.
void DataPage::layOut(bool isNarrow) {
  constexpr int kMinForm = 230, kMinClasses = 150, kMinSamples = 200;
  m_isNarrow = isNarrow;
  for (QWidget* card : {m_sourceCard, m_classCard, m_tableCard, m_sampleCard})
    m_grid->removeWidget(card);
  const bool isTable = m_table->hasTable();
  m_tableCard->setVisible(isTable);
  m_sourceCard->setMinimumHeight(isTable ? kMinForm : 0);
  m_classCard->setMinimumHeight(isTable ? kMinClasses : 0);
  m_sampleCard->setMinimumHeight(isTable ? kMinSamples : 0);
  const int first = isTable ? 1 : 0;
  if (isTable) m_grid->addWidget(m_tableCard, 0, 0, 1, 2);
  m_grid->addWidget(m_sourceCard, first, 0);
  m_grid->addWidget(m_classCard, first + (isNarrow ? 0 : 1), isNarrow ? 1 : 0);
  m_grid->addWidget(m_sampleCard, first + (isNarrow ? 1 : 0), isNarrow ? 0 : 1, isNarrow ? 1 : 2,
                    isNarrow ? 2 : 1);
  m_grid->setColumnStretch(0, isNarrow ? 1 : 2);
  m_grid->setColumnStretch(1, isNarrow ? 1 : 3);
  // Without a table, the form has the height that it needs, and the row below it gets the rest.
  m_grid->setRowStretch(0, isTable ? 3 : 0);
  m_grid->setRowStretch(1, isTable ? 3 : 1);
  m_grid->setRowStretch(2, isTable ? 2 : 0);
}

void DataPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  constexpr int kMinWideWidth = 660;
  if (const bool isNarrow = width() < kMinWideWidth; isNarrow != m_isNarrow) layOut(isNarrow);
}

void DataPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  request();
}

void DataPage::request() {
  const Json& json = m_document.json();
  const std::string description =
      json.contains("data") ? json.at("data").dump(-1, ' ', false, Json::error_handler_t::replace)
                            : "";
  m_table->refresh();
  if (m_table->hasTable() != m_tableCard->isVisibleTo(this)) layOut(m_isNarrow);
  if (description == m_description) return;
  m_description = description;
  m_summary->setText(tr("Reading the data…"));
  m_summary->show();
  m_isReading = true;
  m_reading = m_document.revision();
  m_cancel->setText(tr("Cancel"));
  m_cancel->show();
  m_worker->post({m_document.revision(), m_document.project()});
}

void DataPage::accept(const DataView& view) {
  // The reading of an earlier description, which could not be cancelled
  if (view.revision != m_reading) return;
  m_isReading = false;
  m_progress->hide();
  m_cancel->hide();
  m_view = view;
  refreshProblem();
  if (!view.dataset) m_summary->clear();
  if (view.dataset) {
    const Dataset& dataset = *view.dataset;
    QStringList shapes;
    for (const DataInput& input : dataset.inputs)
      shapes.append(formatShape(input.shape));
    const QString shape = shapes.join(u", "_s);
    const QString counts =
        tr("%1 for training, %2 for validation, %3 for testing")
            .arg(formatCount(dataset.trainCount), formatCount(dataset.validationCount),
                 formatCount(dataset.test ? dataset.test->count() : 0));
    m_summary->setText(
        dataset.targets[m_view.target].hasLabels
            ? tr("Samples of shape %1 in %2: %3.")
                  .arg(shape,
                       tr("%Ln class(es)", nullptr, static_cast<int>(view.classCounts.size())),
                       counts)
            : tr("Samples of shape %1 with numeric targets: %2.").arg(shape, counts));
    m_summary->setText(m_summary->text() + u' ' +
                       (view.decodedBytes > view.bytes
                            ? tr("Images are decoded for each batch. Memory used: %2; if all "
                                 "images were decoded: %1.")
                                  .arg(formatBytes(view.decodedBytes), formatBytes(view.bytes))
                            : tr("Memory used: %1.").arg(formatBytes(view.bytes))));
  }
  m_classCard->setVisible(!view.classCounts.empty());
  m_classes->setClasses(view.classCounts, view.dataset
                                              ? view.dataset->targets[view.target].classNames
                                              : std::vector<std::string>());
  m_samples->setDataset(view.dataset);
}

/// Shows why the data cannot be read, unless the check of the project has already found a problem
/// of the data, which its field shows.
void DataPage::refreshProblem() {
  const auto& problems = m_document.checks().inspection().diagnostics;
  const bool isKnown = std::any_of(problems.begin(), problems.end(), [](const Diagnostic& each) {
    return each.severity == Severity::Error && each.field.starts_with("/data");
  });
  m_problem->setText(m_view.problem);
  m_problem->setVisible(!m_view.problem.isEmpty() && !isKnown);
}

}  // namespace strata::ui
