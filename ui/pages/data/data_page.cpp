// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/data_page.h"

#include <QEvent>
#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListView>
#include <QMetaObject>
#include <QScrollArea>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/data/dataset.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/inspector/project_access.h"
#include "ui/models/bar_delegate.h"
#include "ui/pages/pages.h"
#include "ui/pages/sample_image.h"
#include "ui/segments.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/page_context.h"
#include "ui/workspace/per_document.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr int kFractionRole = Qt::UserRole, kColorRole = Qt::UserRole + 1;
static constexpr int64_t kShownSamples = 200;
static constexpr int kThumbnail = 56;
enum Split { kTrain, kValidation, kTest };

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
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(18, 14, 18, 14);
  grid->setSpacing(12);
  m_grid = grid;
  m_sourceCard = cardAround(makeSourceCard(), this);
  m_classCard = cardAround(makeClassCard(), this);
  // The card is hidden until the classes are counted.
  m_classCard->hide();
  m_sampleCard = cardAround(makeSampleCard(), this);
  layOut(false);
  m_worker = std::make_unique<LatestWorker<Request>>([this](Request wanted, std::stop_token) {
    DataView view;
    view.revision = wanted.revision;
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
      view.problem = text(error.line());
    }
    QMetaObject::invokeMethod(
        this, [this, view = std::move(view)] { accept(view); }, Qt::QueuedConnection);
  });
  connect(&m_document, &Document::changed, this, [this] {
    if (isVisible()) request();
  });
}

DataPage::~DataPage() = default;

QWidget* DataPage::makeSourceCard() {
  auto* card = new QWidget(this);
  auto* layout = new QVBoxLayout(card);
  layout->setContentsMargins(14, 10, 14, 12);
  layout->setSpacing(8);
  auto* title = new QLabel(tr("Source and split"), card);
  setRole(title, "section");
  layout->addWidget(title);
  m_summary = new QLabel(card);
  m_summary->setWordWrap(true);
  setRole(m_summary, "muted");
  layout->addWidget(m_summary);
  m_problem = new QLabel(card);
  m_problem->setWordWrap(true);
  setRole(m_problem, "problem");
  m_problem->hide();
  layout->addWidget(m_problem);
  auto* form = m_form = new FieldForm(projectAccess([this] { return &m_document; }), card);
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

void DataPage::focusField(const QString& field) {
  if (field.startsWith("/data/"_L1)) m_form->focusField(field.toStdString());
}

QWidget* DataPage::makeClassCard() {
  auto* card = new QWidget(this);
  auto* layout = new QVBoxLayout(card);
  layout->setContentsMargins(14, 10, 8, 10);
  layout->setSpacing(6);
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("Classes"), card);
  setRole(title, "section");
  head->addWidget(title);
  m_balance = new QLabel(card);
  setRole(m_balance, "muted");
  m_balance->setWordWrap(true);
  m_balance->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  head->addWidget(m_balance, 1);
  layout->addLayout(head);
  m_classes = new QStandardItemModel(0, 5, this);
  m_classes->setHorizontalHeaderLabels(
      {tr("Class"), QString(), tr("Training"), tr("Validation"), tr("Test")});
  for (int column : {2, 3, 4})
    m_classes->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  m_classTable = new QTableView(card);
  m_classTable->setModel(m_classes);
  m_classTable->setAccessibleName(tr("Samples per class"));
  m_classTable->verticalHeader()->hide();
  m_classTable->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  m_classTable->setShowGrid(false);
  m_classTable->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_classTable->setSelectionMode(QAbstractItemView::NoSelection);
  m_classTable->setTabKeyNavigation(false);
  m_classTable->setItemDelegateForColumn(1, new BarDelegate(kFractionRole, kColorRole, this));
  auto* header = m_classTable->horizontalHeader();
  // Allow the column of bars to become this narrow.
  header->setMinimumSectionSize(24);
  header->setStyleSheet(u"QHeaderView::section { padding: 5px 4px; }"_s);
  header->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  // The font determines these widths, because ResizeToContents ignores the margins of the cells.
  for (int column : {2, 3, 4}) {
    header->setSectionResizeMode(column, QHeaderView::Fixed);
    const QString heading = m_classes->horizontalHeaderItem(column)->text();
    m_classTable->setColumnWidth(column, std::max(fontMetrics().horizontalAdvance(heading),
                                                  fontMetrics().horizontalAdvance(u"00,000"_s)) +
                                             14);
  }
  header->setSectionResizeMode(1, QHeaderView::Stretch);
  layout->addWidget(m_classTable, 1);
  return card;
}

QWidget* DataPage::makeSampleCard() {
  auto* card = new QWidget(this);
  auto* layout = new QVBoxLayout(card);
  layout->setContentsMargins(14, 10, 14, 12);
  layout->setSpacing(8);
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("Samples"), card);
  setRole(title, "section");
  head->addWidget(title);
  head->addStretch();
  m_split = new Segments(card);
  m_split->add(kTrain, tr("Training"));
  m_split->add(kValidation, tr("Validation"));
  m_split->add(kTest, tr("Test"));
  m_split->setCurrent(kTrain);
  connect(m_split, &Segments::chosen, this, &DataPage::fillSamples);
  head->addWidget(m_split);
  layout->addLayout(head);
  m_sampleNote = new QLabel(card);
  setRole(m_sampleNote, "muted");
  m_sampleNote->setWordWrap(true);
  layout->addWidget(m_sampleNote);
  m_samples = new QStandardItemModel(this);
  m_pictures = std::make_unique<SamplePictures>(m_samples, kThumbnail);
  m_sampleList = new QListView(card);
  m_sampleList->setModel(m_samples);
  m_sampleList->setAccessibleName(tr("Samples"));
  m_sampleList->setResizeMode(QListView::Adjust);
  m_sampleList->setMovement(QListView::Static);
  m_sampleList->setUniformItemSizes(true);
  m_sampleList->setEditTriggers(QAbstractItemView::NoEditTriggers);
  layout->addWidget(m_sampleList, 1);
  return card;
}

/// Puts the samples to the right of source and classes if there is enough space, or else below
/// them.
void DataPage::layOut(bool isNarrow) {
  m_isNarrow = isNarrow;
  for (QWidget* card : {m_sourceCard, m_classCard, m_sampleCard})
    m_grid->removeWidget(card);
  m_grid->addWidget(m_sourceCard, 0, 0);
  m_grid->addWidget(m_classCard, isNarrow ? 0 : 1, isNarrow ? 1 : 0);
  m_grid->addWidget(m_sampleCard, isNarrow ? 1 : 0, isNarrow ? 0 : 1, isNarrow ? 1 : 2,
                    isNarrow ? 2 : 1);
  m_grid->setColumnStretch(0, isNarrow ? 1 : 2);
  m_grid->setColumnStretch(1, isNarrow ? 1 : 3);
  m_grid->setRowStretch(1, 1);
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
  if (description == m_description) return;
  m_description = description;
  m_summary->setText(tr("Reading the data…"));
  m_worker->post({m_document.revision(), m_document.project()});
}

void DataPage::accept(const DataView& view) {
  m_view = view;
  m_problem->setVisible(!view.problem.isEmpty());
  m_problem->setText(view.problem);
  m_summary->setVisible(view.dataset != nullptr);
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
  fillClasses();
  fillSamples();
}

/// Describes how evenly the training samples are distributed over the classes.
QString DataPage::balanceText(int64_t least, int64_t most) {
  if (least == 0) return tr("some classes have no training samples");
  const double ratio = static_cast<double>(most) / static_cast<double>(least);
  if (ratio < 1.005) return tr("balanced");
  return tr("the largest class is %1 times the smallest").arg(formatValue(ratio, 3));
}

void DataPage::fillClasses() {
  m_classes->setRowCount(0);
  m_classCard->setVisible(!m_view.classCounts.empty());
  if (m_view.classCounts.empty()) return;
  int64_t most = 1, least = INT64_MAX;
  for (const auto& counts : m_view.classCounts) {
    most = std::max(most, counts[kTrain]);
    least = std::min(least, counts[kTrain]);
  }
  m_balance->setText(balanceText(least, most));
  const Colors& colors = colorsOf(this);
  for (size_t label = 0; label < m_view.classCounts.size(); ++label) {
    const auto& names = m_view.dataset->targets[m_view.target].classNames;
    QList<QStandardItem*> row{
        new QStandardItem(label < names.size() ? text(names[label]) : QString::number(label)),
        new QStandardItem};
    row[1]->setData(
        static_cast<double>(m_view.classCounts[label][kTrain]) / static_cast<double>(most),
        kFractionRole);
    row[1]->setData(colors.accent, kColorRole);
    for (size_t split : {kTrain, kValidation, kTest}) {
      auto* item = new QStandardItem(formatCount(m_view.classCounts[label][split]));
      item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      row.append(item);
    }
    m_classes->appendRow(row);
  }
  // The minimum width prevents a narrow page from cutting numbers off.
  constexpr int kBar = 24, kScrollBar = 20;
  m_classTable->resizeColumnToContents(0);
  int needed = m_classTable->columnWidth(0) + kBar + kScrollBar;
  for (int column : {2, 3, 4})
    needed += m_classTable->columnWidth(column);
  m_classTable->setMinimumWidth(needed);
}

/// Appends a sentence about the scaling of a sample's values to the note.
QString DataPage::withScaling(const QString& note) const {
  const auto& transform = m_view.dataset->transforms[0];
  const double scale = transform.scale, offset = transform.offset;
  if (offset != 0)
    return tr("%1 Values are multiplied by %2, then %3 is added.")
        .arg(note, QString::number(scale, 'g', 4), QString::number(offset, 'g', 4));
  if (scale == 1) return note;
  const double divisor = 1 / scale;
  // A scale such as 1/255 is stored as a rounded number, so the divisor may differ slightly from an
  // integer.
  const bool isDivision = divisor > 1.5 && std::abs(divisor - std::round(divisor)) < 1e-3;
  return isDivision
             ? tr("%1 Values are divided by %2.").arg(note, formatCount(std::llround(divisor)))
             : tr("%1 Values are multiplied by %2.").arg(note, QString::number(scale, 'g', 4));
}

/// Returns the number of samples in one part of the split.
static int64_t countOf(const Dataset& dataset, int split) {
  switch (split) {
    case kTrain: return dataset.trainCount;
    case kValidation: return dataset.validationCount;
    default: return dataset.test ? dataset.test->count() : 0;
  }
}

void DataPage::fillSamples() {
  m_pictures->stop();
  m_samples->clear();
  m_sampleNote->clear();
  if (!m_view.dataset) return;
  const Dataset& dataset = *m_view.dataset;
  const int split = m_split->current();
  const std::shared_ptr<const Samples>& samples = split == kTest ? dataset.test : dataset.train;
  const int64_t begin = split == kValidation ? dataset.trainCount : 0;
  const int64_t count = samples ? countOf(dataset, split) : 0;
  if (count == 0) {
    m_sampleNote->setText(split == kValidation
                              ? tr("There is no validation data. Set a validation split above 0.")
                              : tr("There are no samples in this split."));
    return;
  }
  const bool hasImages = areImages(*samples);
  m_sampleList->setViewMode(hasImages ? QListView::IconMode : QListView::ListMode);
  m_sampleList->setIconSize({kThumbnail, kThumbnail});
  m_sampleList->setGridSize(
      hasImages ? QSize(kThumbnail + 22, kThumbnail + fontMetrics().height() + 12) : QSize());
  const int64_t shown = std::min(count, kShownSamples);
  std::vector<int64_t> indices;
  for (int64_t i = begin; i < begin + shown; ++i) {
    auto* item = new QStandardItem;
    const QString target = targetsText(dataset, *samples, i);
    indices.push_back(i);
    if (hasImages) {
      item->setText(target);
      item->setTextAlignment(Qt::AlignCenter);
    }
    else {
      item->setText(tr("%1  →  %2").arg(sampleNumbers(*samples, i), target));
    }
    item->setToolTip(tr("Sample %1: %2").arg(formatCount(i), target));
    m_samples->appendRow(item);
  }
  if (hasImages) m_pictures->show(samples, std::move(indices));
  QString note = shown < count
                     ? tr("Showing the first %1 of %2.").arg(formatCount(shown), formatCount(count))
                     : tr("%Ln sample(s).", nullptr, pluralOf(count));
  m_sampleNote->setText(withScaling(note));
}

void DataPage::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && m_worker) fillClasses();
}

}  // namespace strata::ui
