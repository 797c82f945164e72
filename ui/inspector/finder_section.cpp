// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/finder_section.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <nlohmann/json.hpp>

#include "core/cost/simulated_card.h"
#include "gpu/base/error.h"
#include "gpu/devices/device_name.h"
#include "ui/document/document.h"
#include "ui/document/edits.h"
#include "ui/format.h"
#include "ui/plots/curve_view.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/runs.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr const char* kOptimizer = "/training/optimizer";
// The optimizer of a project that sets none
constexpr const char* kDefaultOptimizer = "rmsprop";
constexpr const char* kBatchSize = "/training/batch_size";

/// Returns the text of the document without the values that the finders set.
std::string withoutFound(Json document) {
  if (const auto training = document.find("training");
      training != document.end() && training->is_object()) {
    training->erase("batch_size");
    Json& optimizer = (*training)["optimizer"];
    if (optimizer.is_null()) optimizer = kDefaultOptimizer;
    if (optimizer.is_string()) optimizer = Json{{"type", optimizer}};
    if (optimizer.is_object()) optimizer.erase("learning_rate");
  }
  return document.dump();
}

/// Returns the JSON pointer of the learning rate: that of the highest rate of a schedule, if it has
/// a field for it.
std::string pointerOfRate(const Json& document) {
  const std::string pointer = std::string(kOptimizer) + "/learning_rate";
  const Json rate = document.value(Json::json_pointer(pointer), Json());
  if (rate.is_object())
    for (const char* field : {"max_lr", "warmup_target", "initial_learning_rate"})
      if (rate.contains(field) && rate[field].is_number()) return pointer + "/" + field;
  return pointer;
}

void submitRate(Document& document, double rate) {
  const QString title = FinderSection::tr("learning rate");
  const Json optimizer =
      document.json().value(Json::json_pointer(kOptimizer), Json(kDefaultOptimizer));
  if (optimizer.is_object())
    submitValue(document, pointerOfRate(document.json()), rate, title);
  else
    submitValue(document, kOptimizer, {{"type", optimizer}, {"learning_rate", rate}}, title);
}

/// Rounds to two significant digits, which is more than a range test can tell.
double rounded(double rate) { return QString::number(rate, 'g', 2).toDouble(); }

}  // namespace

FinderSection::FinderSection(const PageContext& context, QWidget* parent)
    : QWidget(parent), m_context(context) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(6);
  const auto addButton = [&](const QString& title, const QString& tip) {
    auto* button = new QPushButton(title, this);
    button->setAccessibleName(title);
    button->setToolTip(tip);
    column->addWidget(button, 0, Qt::AlignLeft);
    return button;
  };
  m_findRate = addButton(tr("Find learning rate"),
                         tr("Trains a few steps at rising rates and shows where the loss falls "
                            "fastest. The weights of runs do not change."));
  m_findBatch =
      addButton(tr("Find batch size"),
                tr("Measures the time per sample and the memory of several batch sizes."));
  m_note = new QLabel(this);
  m_note->setWordWrap(true);
  m_note->setTextFormat(Qt::PlainText);
  setRole(m_note, "muted");
  column->addWidget(m_note);
  m_cancel = addButton(tr("Cancel"), tr("Stops the search"));
  m_curve = new CurveView(this);
  m_curve->setAccessibleName(tr("Loss by learning rate"));
  column->addWidget(m_curve);
  m_useRate = new QPushButton(this);
  column->addWidget(m_useRate, 0, Qt::AlignLeft);
  m_batches = new QWidget(this);
  m_batches->setAccessibleName(tr("Batch sizes"));
  m_grid = new QGridLayout(m_batches);
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setHorizontalSpacing(10);
  m_grid->setColumnStretch(2, 1);
  column->addWidget(m_batches);
  connect(m_findRate, &QPushButton::clicked, this, [this] { begin(What::Rate); });
  connect(m_findBatch, &QPushButton::clicked, this, [this] { begin(What::Batch); });
  connect(m_cancel, &QPushButton::clicked, this, [this] {
    cancel();
    end(tr("Search canceled."));
  });
  connect(m_useRate, &QPushButton::clicked, this, [this] {
    if (m_document && m_curve->mark()) submitRate(*m_document, rounded(*m_curve->mark()));
  });
  connect(&context.runs, &Runs::stateChanged, this, [this] {
    if (m_isSearching && m_context.runs.isActive()) {
      cancel();
      end(tr("Search canceled, because a run uses this machine."));
    }
    refresh();
  });
  clearResults();
  refresh();
}

FinderSection::~FinderSection() { m_worker.reset(); }

void FinderSection::setDocument(Document* document) {
  if (m_document) m_document->disconnect(this);
  if (m_isSearching) cancel();
  m_isSearching = false;
  m_document = document;
  m_searched.clear();
  m_note->clear();
  clearResults();
  if (document) {
    connect(document, &Document::inspectionChanged, this, &FinderSection::refresh);
    connect(document, &Document::changed, this, [this] {
      if (m_searched.empty() || withoutFound(m_document->json()) == m_searched) return;
      if (m_isSearching) cancel();
      m_searched.clear();
      clearResults();
      end({});
    });
  }
  refresh();
}

void FinderSection::begin(What what) {
  if (!m_document) return;
  clearResults();
  m_searched = withoutFound(m_document->json());
  m_isSearching = true;
  m_note->setText(tr("Preparing the search…"));
  if (!m_worker)
    m_worker = std::make_unique<LatestWorker<Request>>(
        [this](const Request& request, const std::stop_token& stop) { find(request, stop); });
  m_worker->post({++m_number, what, m_document->project()});
  refresh();
}

void FinderSection::cancel() {
  if (m_worker) m_worker->cancel();
  ++m_number;
}

void FinderSection::end(const QString& note) {
  m_isSearching = false;
  m_note->setText(note);
  refresh();
}

void FinderSection::refresh() {
  const bool isSound = m_document && m_document->checks().errorCount() == 0;
  const bool isFree = isSound && !m_isSearching && !m_context.runs.isActive();
  m_findRate->setEnabled(isFree);
  m_findBatch->setEnabled(isFree);
  m_cancel->setVisible(m_isSearching);
  m_note->setVisible(!m_note->text().isEmpty());
}

/// Runs a function on the GUI thread, unless the search is over.
void FinderSection::post(quint64 number, const std::function<void()>& show) {
  QMetaObject::invokeMethod(
      this,
      [this, number, show] {
        if (number == m_number && m_document) show();
      },
      Qt::QueuedConnection);
}

/// Searches on the worker thread.
void FinderSection::find(const Request& request, const std::stop_token& stop) {
  const quint64 number = request.number;
  try {
    const CheckedProject project(request.project);
    if (request.what == What::Rate) {
      FindRateRequest rates;
      rates.niceness = kNice;
      rates.options.stop = stop;
      rates.options.onStep = [&](int64_t step, double rate, double) {
        post(number, [this, step, rate, steps = rates.options.steps] {
          m_note->setText(tr("Step %1 of %2, learning rate %3")
                              .arg(formatCount(step), formatCount(steps), formatValue(rate, 2)));
        });
      };
      const FoundRate found = findLearningRate(project, rates);
      post(number, [this, found] { showRates(found); });
      return;
    }
    FindBatchRequest batches;
    batches.niceness = kNice;
    batches.stop = stop;
    const FoundBatch found = findBatchSize(project, batches, [&](const TriedBatch& tried) {
      post(number, [this, tried] { addBatch(tried); });
    });
    post(number, [this, found] { showBatches(found); });
  }
  catch (const Error& error) {
    if (error.code() == ErrorCode::Stopped) return;
    post(number, [this, line = text(error.line())] { end(line); });
  }
  catch (const std::exception& error) {
    post(number, [this, line = text(std::string(error.what()))] { end(line); });
  }
}

void FinderSection::showRates(const FoundRate& found) {
  QList<QPointF> points;
  for (const RatePoint& point : found.points)
    points << QPointF(point.rate, point.smoothed);
  m_curve->setPoints(points, true, found.suggestion);
  if (!points.isEmpty())
    m_curve->setEnds(formatValue(points.first().x(), 2), formatValue(points.last().x(), 2));
  m_curve->setVisible(points.size() > 1);
  if (!found.suggestion)
    return end(
        tr("No suggestion, because the loss fell by no more than it varies between batches. "
           "Try a larger batch size."));
  const QString rate = formatValue(rounded(*found.suggestion), 2);
  const QString words = tr("The loss falls fastest at a learning rate of %1, and is lowest at %2.")
                            .arg(rate, formatValue(found.lowestLoss.value_or(0), 2));
  m_curve->setAccessibleDescription(words);
  m_useRate->setText(tr("Use %1").arg(rate));
  m_useRate->setAccessibleName(tr("Use the learning rate %1").arg(rate));
  m_useRate->show();
  end(words);
}

/// Adds a row: size, memory, time per sample, and a button.
void FinderSection::addBatch(const TriedBatch& tried) {
  const int row = m_grid->rowCount();
  const bool isPredicted = DeviceName(m_document->checked().execution().device).isSimulated();
  const QString size = formatCount(tried.batchSize);
  m_batches->show();
  m_note->setText(tr("Tried batch size %1…").arg(size));
  m_grid->addWidget(new QLabel(size, m_batches), row, 0, Qt::AlignRight);
  if (!tried.problem.empty()) {
    auto* why = new QLabel(text(tried.problem), m_batches);
    why->setWordWrap(true);
    m_grid->addWidget(why, row, 1, 1, 3);
    return;
  }
  m_grid->addWidget(new QLabel(formatBytes(static_cast<double>(tried.peakBytes)), m_batches), row,
                    1, Qt::AlignRight);
  const QString time =
      formatSeconds(tried.stepMicroseconds * 1e-6 / static_cast<double>(tried.batchSize));
  auto* each = new QLabel(isPredicted ? italic(tr("predicted %1").arg(time)) : time, m_batches);
  m_grid->addWidget(each, row, 2, Qt::AlignRight);
  auto* use = new QPushButton(tr("Use"), m_batches);
  use->setAccessibleName(tr("Use the batch size %1").arg(size));
  // A button that sets the present size would do nothing
  use->setEnabled(tried.batchSize != m_document->checked().recipe().batchSize);
  connect(use, &QPushButton::clicked, this, [this, batch = tried.batchSize] {
    if (m_document) submitValue(*m_document, kBatchSize, batch, tr("batch size"));
  });
  connect(m_document, &Document::changed, use, [this, use, batch = tried.batchSize] {
    use->setEnabled(m_document && batch != m_document->checked().recipe().batchSize);
  });
  m_grid->addWidget(use, row, 3);
}

void FinderSection::showBatches(const FoundBatch& found) {
  if (!found.largestPlanned)
    return end(
        tr("No batch size fits in %1.").arg(formatBytes(static_cast<double>(found.limitBytes))));
  const auto textOf = [](const std::optional<int64_t>& size) {
    return size ? formatCount(*size) : QString();
  };
  const QString fastest = textOf(found.fastest), largest = textOf(found.largestConfirmed);
  if (found.fastest && found.largestConfirmed)
    end(tr("Batch size %1 takes the least time per sample. The largest one that ran is %2.")
            .arg(fastest, largest));
  else if (found.fastest)
    end(tr("Batch size %1 takes the least time per sample.").arg(fastest));
  else
    end(found.largestConfirmed ? tr("The largest batch size that ran is %1.").arg(largest)
                               : QString());
}

void FinderSection::clearResults() {
  m_curve->hide();
  m_curve->setPoints({}, true);
  m_useRate->hide();
  while (QLayoutItem* item = m_grid->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  const QString titles[] = {tr("Batch"), tr("Memory"), tr("Per sample")};
  for (int i = 0; i < 3; ++i) {
    auto* title = new QLabel(titles[i], m_batches);
    setRole(title, "muted");
    m_grid->addWidget(title, 0, i, Qt::AlignRight);
  }
  m_batches->hide();
}

}  // namespace strata::ui
