// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/continue_question.h"

#include <QCoreApplication>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>

#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_text.h"
#include "ui/workspace/continuation.h"

namespace strata::ui {

namespace {

struct ContinueQuestion {
  Q_DECLARE_TR_FUNCTIONS(strata::ui::ContinueQuestion)
};

}  // namespace

void continueOrAsk(QWidget* window, Document& document, const UsedRun& run,
                   RunController& controller, std::function<void(const QString&)> startNew,
                   std::function<void()> shown) {
  const Continuation next = continuationOf(document, run);
  if (!next.canContinue || controller.isActive()) return;
  const auto goOn = [target = QPointer<Document>(&document), run, shown,
                     own = QPointer<RunController>(&controller)] {
    if (!target || !own || own->isActive()) return;
    continueRun(*target, run, *own);
    shown();
  };
  const QStringList lines = usedSettings(document, run);
  if (lines.isEmpty()) {
    goOn();
    return;
  }
  const QString title = RunText::title(run.directory), name = title.toLower();
  auto* box =
      new QMessageBox(QMessageBox::Question, ContinueQuestion::tr("Continue %1").arg(name),
                      ContinueQuestion::tr("%1 used other settings than the project has now.\n%2")
                          .arg(title, lines.join(u'\n')),
                      QMessageBox::Cancel, window);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText);
  QPushButton* asItWas = box->addButton(ContinueQuestion::tr("As it was"), QMessageBox::AcceptRole);
  asItWas->setToolTip(next.text());
  QObject::connect(asItWas, &QPushButton::clicked, box, goOn);
  const auto offerNew = [&](const QString& caption, const QString& weights) {
    QObject::connect(box->addButton(caption, QMessageBox::ActionRole), &QPushButton::clicked, box,
                     [startNew, weights] { startNew(weights); });
  };
  offerNew(ContinueQuestion::tr("New run with this project"), {});
  const bool keepsWeights = next.changes.isEmpty() || !next.layers.kept.empty();
  if (keepsWeights && !run.weights.empty() && !next.changes.hasSplit)
    offerNew(ContinueQuestion::tr("New run, starting from %1's weights").arg(name),
             text(run.weights));
  box->setDefaultButton(asItWas);
  box->open();
}

}  // namespace strata::ui
