// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/report_writer.h"

#include <QBuffer>
#include <QMetaObject>
#include <QPageLayout>
#include <QPageSize>
#include <QPdfWriter>
#include <QTextDocument>

#include "core/runs/output_file.h"
#include "gpu/base/error.h"
#include "ui/document/latest_worker.h"
#include "ui/format.h"
#include "ui/language.h"
#include "ui/pages/results/run_evaluator.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

ReportedEvaluation reportedEvaluation(const EvaluatedRun& run) {
  ReportedEvaluation reported{run.evaluation.split, {}};
  for (const OutputFigures& each : run.figures)
    if (each.classes || each.values)
      reported.outputs.push_back({each.output, each.classNames, each.classes, each.values});
  return reported;
}

/// Returns the pages of a report as a PDF document.
static std::string pdfOf(const std::string& html, const QString& title) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter pdf(&buffer);
  pdf.setTitle(title);
  pdf.setCreator(u"Strata"_s);
  constexpr int kDotsPerInch = 96, kMarginMillimetres = 15;
  pdf.setResolution(kDotsPerInch);
  pdf.setPageLayout(QPageLayout(
      QPageSize(QPageSize::A4), QPageLayout::Portrait,
      QMarginsF(kMarginMillimetres, kMarginMillimetres, kMarginMillimetres, kMarginMillimetres),
      QPageLayout::Millimeter));
  QTextDocument document;
  document.setPageSize(QSizeF(pdf.width(), pdf.height()));
  document.setDocumentMargin(0);
  document.setHtml(text(html));
  document.print(&pdf);
  const QByteArray& bytes = buffer.data();
  return {bytes.constData(), static_cast<size_t>(bytes.size())};
}

ReportWriter::ReportWriter(QObject* parent) : QObject(parent) { m_pool.setMaxThreadCount(1); }

ReportWriter::~ReportWriter() { m_pool.waitForDone(); }

void ReportWriter::write(const std::string& directory,
                         std::shared_ptr<const EvaluatedRun> evaluation, const QString& target) {
  const auto language =
      loadedLanguage() == Language::Chinese ? ReportLanguage::Chinese : ReportLanguage::English;
  m_pool.start([this, request = Request{directory, std::move(evaluation), target, language}] {
    lowerPriorityOfThisThread();
    work(request);
  });
}

void ReportWriter::work(const Request& request) {
  try {
    const RunRow row = readRunRow(request.directory);
    const std::string html = [&] {
      if (!request.evaluation) return htmlReport(row, nullptr, request.language);
      const ReportedEvaluation evaluation = reportedEvaluation(*request.evaluation);
      return htmlReport(row, &evaluation, request.language);
    }();
    if (request.target.endsWith(u".pdf"_s, Qt::CaseInsensitive)) {
      constexpr std::string_view kPdfBeginning = "%PDF-";
      writeExport(request.target.toStdString(), pdfOf(html, text(row.info.projectName)),
                  kPdfBeginning.size(), "a PDF document");
    }
    else {
      writeHtmlReport(request.target.toStdString(), html);
    }
    QMetaObject::invokeMethod(
        this, [this, target = request.target] { Q_EMIT written(tr("%1 saved.").arg(target)); },
        Qt::QueuedConnection);
  }
  catch (const Error& error) {
    QMetaObject::invokeMethod(
        this, [this, line = text(error.line())] { Q_EMIT failed(line); }, Qt::QueuedConnection);
  }
}

}  // namespace strata::ui
