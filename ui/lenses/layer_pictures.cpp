// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/layer_pictures.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QIntValidator>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/check/checked_project.h"
#include "core/explain/explainer.h"
#include "core/runs/run_directory.h"
#include "core/train/evaluator.h"
#include "gpu/base/error.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/plots/plot_menu.h"
#include "ui/plots/tensor_picture.h"
#include "ui/run/run_text.h"
#include "ui/run/run_view.h"
#include "ui/run/weights_version.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

/// The network and the data of one run, which are kept between pictures.
struct LayerPictures::Loaded {
  // That of weightsVersion()
  std::string version;
  std::unique_ptr<Evaluator> evaluator;
  std::unique_ptr<Explainer> explainer;
  std::shared_ptr<const Dataset> data;
};

LayerPictures::LayerPictures(const LensContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_loaded(std::make_unique<Loaded>()) {
  m_worker = std::make_unique<LatestWorker<Request>>(
      [this](const Request& request, const std::stop_token& stop) { work(request, stop); });
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 8, 14, 10);
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("Pictures"), this);
  setRole(title, "section");
  head->addWidget(title);
  head->addStretch();
  m_kind = new QComboBox(this);
  m_kind->addItems({tr("Filters"), tr("Outputs"), tr("Saliency"), u"Grad-CAM"_s, tr("Occlusion")});
  m_kind->setAccessibleName(tr("What to show"));
  head->addWidget(m_kind);
  auto* label = new QLabel(tr("Test sample"), this);
  head->addWidget(label);
  m_sample = new QLineEdit(u"0"_s, this);
  m_sample->setValidator(new QIntValidator(0, 1'000'000'000, m_sample));
  m_sample->setMaximumWidth(fontMetrics().horizontalAdvance(u"0000000000"_s));
  m_sample->setAccessibleName(tr("Number of the test sample"));
  label->setBuddy(m_sample);
  head->addWidget(m_sample);
  m_show = new QPushButton(tr("Show"), this);
  head->addWidget(m_show);
  layout->addLayout(head);
  m_note = new QLabel(this);
  m_note->setWordWrap(true);
  setRole(m_note, "muted");
  layout->addWidget(m_note);
  m_picture = new QLabel(this);
  m_picture->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  m_picture->setAccessibleName(tr("Pictures of the layer"));
  m_picture->hide();
  layout->addWidget(m_picture);
  connect(m_show, &QPushButton::clicked, this, &LayerPictures::compute);
  connect(m_sample, &QLineEdit::returnPressed, this, &LayerPictures::compute);
  connect(m_kind, &QComboBox::currentIndexChanged, this, &LayerPictures::updateControls);
  connect(&m_context.view, &RunView::changed, this, &LayerPictures::forget);
  connect(&m_context.view, &RunView::stateChanged, this, &LayerPictures::updateControls);
  new PlotMenu(
      m_picture,
      [this] {
        return PlotCaption{
            tr("%1, %2").arg(m_kind->itemText(static_cast<int>(m_shownKind)), m_layer), {}};
      },
      [this] {
        PlotTable table{{u"index"_s, u"value"_s}, {}};
        if (m_values)
          for (size_t i = 0; i < m_values->as<float>().size(); ++i)
            table.rows.push_back(
                {QString::number(i), cellOf(static_cast<double>(m_values->as<float>()[i]))});
        return table;
      });
  updateControls();
}

LayerPictures::~LayerPictures() { m_worker.reset(); }

void LayerPictures::setLayer(const QString& layer) {
  if (layer == m_layer) return;
  m_layer = layer;
  forget();
}

/// Drops the picture, and one that is being computed, which are of another run or layer.
void LayerPictures::forget() {
  ++m_number;
  m_values.reset();
  m_picture->hide();
  updateControls();
}

int64_t LayerPictures::sampleNumber() const {
  return std::max<int64_t>(0, m_sample->text().toLongLong());
}

void LayerPictures::updateControls() {
  const auto kind = static_cast<Kind>(m_kind->currentIndex());
  const ShownRun& run = m_context.view.shown();
  const bool hasWeights = !m_context.view.isLive() && !run.weightsFile.empty();
  const bool needsLayer = kind == Kind::Filters || kind == Kind::Outputs;
  m_sample->setEnabled(hasWeights && kind != Kind::Filters);
  m_show->setEnabled(hasWeights && (!needsLayer || !m_layer.isEmpty()));
  if (m_picture->isVisible()) return;
  if (!hasWeights)
    m_note->setText(tr("Pictures are of trained weights. They can be shown after the run."));
  else if (needsLayer && m_layer.isEmpty())
    m_note->setText(tr("Select a layer in the table."));
  else
    m_note->clear();
}

void LayerPictures::compute() {
  const auto& start = m_context.view.shown().start;
  if (!m_show->isEnabled() || !start) return;
  m_note->setText(tr("Computing …"));
  m_worker->post({start->runDirectory, m_context.document.project().path(), m_layer.toStdString(),
                  static_cast<Kind>(m_kind->currentIndex()), sampleNumber(), ++m_number});
}

/// Computes on the worker.
void LayerPictures::work(const Request& request, const std::stop_token& stop) {
  try {
    const std::string version = weightsVersion(request.directory);
    if (m_loaded->version != version || !m_loaded->explainer) {
      *m_loaded = Loaded();
      const Project project = projectOfRun(request.directory, request.projectFile).value();
      m_loaded->evaluator = std::make_unique<Evaluator>(project, request.directory, "auto", 1);
      m_loaded->explainer = std::make_unique<Explainer>(*m_loaded->evaluator);
      m_loaded->version = version;
    }
    auto values = std::make_shared<Tensor>();
    QString note;
    std::vector<Tensor> sample;
    if (request.kind != Kind::Filters) {
      if (!m_loaded->data)
        m_loaded->data = loadDataset(
            CheckedProject(projectOfRun(request.directory, request.projectFile).value()));
      const Samples& test =
          m_loaded->data->test->count() > 0 ? *m_loaded->data->test : *m_loaded->data->train;
      if (request.sample >= test.count())
        throw Error(
            ErrorCode::InvalidArgument, std::to_string(request.sample),
            "there is no such sample (expected 0 to " + std::to_string(test.count() - 1) + ").");
      sample = sampleOf(test, request.sample);
    }
    Explainer& explainer = *m_loaded->explainer;
    switch (request.kind) {
      case Kind::Filters: *values = explainer.filters(request.layer); break;
      case Kind::Outputs: *values = explainer.featureMaps(sample, request.layer); break;
      case Kind::Saliency: *values = explainer.saliency(sample).map; break;
      case Kind::GradCam: *values = explainer.gradCam(sample).map; break;
      case Kind::Occlusion: {
        OcclusionOptions options;
        options.stop = stop;
        *values = explainer.occlusion(sample, {}, options).explanation.map;
        break;
      }
    }
    QMetaObject::invokeMethod(
        this,
        [this, number = request.number, values, kind = request.kind, note] {
          take(number, values, kind, note);
        },
        Qt::QueuedConnection);
  }
  catch (const Error& error) {
    if (error.code() == ErrorCode::Stopped) return;
    QMetaObject::invokeMethod(
        this, [this, number = request.number, line = text(error.line())] { fail(number, line); },
        Qt::QueuedConnection);
  }
}

void LayerPictures::take(int number, std::shared_ptr<const Tensor> values, Kind kind,
                         const QString& note) {
  if (number != m_number) return;
  m_values = std::move(values);
  m_shownKind = kind;
  const int64_t count = numPictures(*m_values);
  const auto& start = m_context.view.shown().start;
  QStringList words{RunText::title(start ? start->runDirectory : std::string()),
                    text(m_values->shape().toString()),
                    tr("%n pictures", nullptr, pluralOf(count))};
  words << tr("each from its smallest value (dark) to its largest (light)");
  if (!note.isEmpty()) words << note;
  m_note->setText(words.join(u" · "_s));
  draw();
  Q_EMIT finished({});
}

void LayerPictures::draw() {
  if (!m_values) return;
  const double ratio = devicePixelRatioF();
  m_image = tensorPicture(*m_values, static_cast<int>((width() - 40) * ratio), colorsOf(this).card);
  m_image.setDevicePixelRatio(ratio);
  m_picture->setPixmap(QPixmap::fromImage(m_image));
  m_picture->show();
}

void LayerPictures::fail(int number, const QString& problem) {
  if (number != m_number) return;
  m_picture->hide();
  m_values.reset();
  m_note->setText(problem);
  Q_EMIT finished(problem);
}

}  // namespace strata::ui
