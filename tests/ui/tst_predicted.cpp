// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that every view names predicted figures so, in italics, and says that their times may be
// too long if the machine was busy while they were measured.
#include <QProcess>
#include <QRegularExpression>
#include <QScrollArea>
#include <QTabBar>
#include <QVBoxLayout>
#include <QtTest>
#include <algorithm>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "core/project/resources.h"
#include "core/project/text.h"
#include "core/train/plan.h"
#include "tests/ui/support/painted_texts.h"
#include "tests/ui/support/run_window.h"
#include "ui/dialogs/memory_panel.h"
#include "ui/elided_label.h"
#include "ui/format.h"
#include "ui/main_window/network_list.h"
#include "ui/models/layer_item_model.h"
#include "ui/pages/design/strip.h"
#include "ui/run/recording.h"
#include "ui/run/replay.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

/// Programs that take all processors.
class BusyMachine {
 public:
  BusyMachine() {
    const unsigned count = 3 * std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < count; ++i) {
      m_programs.push_back(std::make_unique<QProcess>());
      m_programs.back()->start(u"sh"_s, {u"-c"_s, u"while :; do :; done"_s});
      m_programs.back()->waitForStarted();
    }
  }
  ~BusyMachine() {
    for (const auto& each : m_programs) {
      each->kill();
      each->waitForFinished();
    }
  }
  BusyMachine(const BusyMachine&) = delete;
  BusyMachine& operator=(const BusyMachine&) = delete;

 private:
  std::vector<std::unique_ptr<QProcess>> m_programs;
};

QString warning() { return QString::fromStdString(formatText(kBusyTimes)); }

/// Returns the texts and tooltips of the visible labels in a widget.
QString textsIn(const QWidget& widget) {
  QString all;
  for (const auto* label : widget.findChildren<QLabel*>())
    if (label->isVisible()) all += label->text() + u'\n' + label->toolTip() + u'\n';
  return all;
}

/// Returns whether the text has the figure, and not as a part of another number.
bool hasFigure(const QString& words, const QString& figure) {
  const QRegularExpression whole(u"(?<![\\d.,])"_s + QRegularExpression::escape(figure) +
                                 u"(?![\\d\\w])"_s);
  return whole.match(words).hasMatch();
}

/// Returns what is painted upright although it is predicted: one of these figures, or a number next
/// to the word.
QStringList uprightIn(QWidget& window, const QStringList& figures) {
  static const QRegularExpression named(u"predicted:?\\s+\\d|\\d\\s\\S*[^.\\s],?\\s\\(?predicted"_s,
                                        QRegularExpression::CaseInsensitiveOption);
  std::vector<Painted> all = paintedTexts(window);
  for (auto* plot : window.findChildren<QCustomPlot*>()) {
    if (!plot->isVisible()) continue;
    const std::vector<Painted> ofPlot = plotTexts(*plot);
    all.insert(all.end(), ofPlot.begin(), ofPlot.end());
  }
  QStringList wrong;
  for (const Painted& painted : all) {
    // Markup is not for readers
    if (painted.text.contains(u"<i>"_s)) wrong << painted.text;
    if (painted.isItalic) continue;
    const bool isFigure = std::ranges::any_of(
        figures, [&](const QString& figure) { return hasFigure(painted.text, figure); });
    if (isFigure || named.match(painted.text).hasMatch()) wrong << painted.text;
  }
  wrong.removeDuplicates();
  return wrong;
}

/// Shows all views of the window, one after the other, and returns what is painted upright although
/// it is predicted, and contents that are cut off at the right.
QStringList uprightInAllViews(TestWindow& test, const QStringList& figures) {
  QStringList wrong;
  const auto look = [&](const QString& where) {
    QTest::qWait(120);
    for (const QString& words : uprightIn(test.window(), figures))
      wrong << where + u": "_s + words;
    for (const auto* area : test.window().findChildren<QScrollArea*>())
      if (area->isVisible() && area->horizontalScrollBarPolicy() == Qt::ScrollBarAlwaysOff &&
          area->widget()->width() > area->viewport()->width())
        wrong << where + u": is cut off"_s;
  };
  const auto walk = [&](const QString& name, const QString& where) {
    auto* tabs = test.named(name);
    if (auto* bar = qobject_cast<QTabBar*>(tabs)) {
      for (int i = 0; i < bar->count(); ++i) {
        clickAt(bar, bar->tabRect(i).center());
        look(where + u' ' + bar->tabText(i));
      }
    }
  };
  for (const PageId page : {PageId::Data, PageId::Design, PageId::Train, PageId::Results}) {
    test.window().showPage(page);
    look(u"page %1"_s.arg(static_cast<int>(page)));
    if (page == PageId::Train) walk(u"Views of the run"_s, u"lens"_s);
    if (page != PageId::Design) continue;
    for (auto* button : test.window().findChildren<QAbstractButton*>())
      for (const QString& view : {u"Canvas"_s, u"Compiled"_s, u"List"_s})
        if (button->isVisible() && button->text() == view) {
          clickAt(button, button->rect().center());
          look(view);
        }
    for (auto* bar : test.window().findChildren<QTabBar*>())
      for (int i = 0; bar->isVisible() && i < bar->count(); ++i)
        if (bar->tabText(i) == u"Layer"_s || bar->tabText(i) == u"Training"_s) {
          clickAt(bar, bar->tabRect(i).center());
          look(u"inspector "_s + bar->tabText(i));
        }
  }
  test.window().actionTable()[u"view.memory"_s]->trigger();
  MemoryPanel* panel = nullptr;
  if (QTest::qWaitFor([&] { return (panel = test.window().findChild<MemoryPanel*>()); }, 3000)) {
    QTest::qWait(100);
    for (const QString& words : uprightIn(*panel, figures))
      wrong << u"memory panel: "_s + words;
    panel->close();
  }
  return wrong;
}

/// Returns the figures of an estimate that are predicted, without sizes of values, which are also
/// facts of the graph.
QStringList predictedBy(const Estimate& estimate) {
  QStringList figures{formatBytes(estimate.peakBytes)};
  if (estimate.hasTime)
    figures << formatSeconds(estimate.stepSeconds) << formatSeconds(estimate.totalSeconds);
  for (const PlanRemedy& remedy : estimate.remedies)
    figures << formatBytes(static_cast<double>(remedy.peakBytes));
  return figures;
}

}  // namespace

class TestPredicted : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void everyViewSaysThatTheMachineWasBusy() {
    std::optional<BusyMachine> busy(std::in_place);
    TestWindow test;
    // A recording has lenses without training on the busy machine
    test.window().showRecording(readRecording(resourcePath("recordings/simulated-h100x2-run")));
    test.window().runs().replayOf(&test.document())->setPlaying(false);
    submitValue(test.document(), "/execution/devices", Json("cpu"));
    QVERIFY(test.waitForInspection());
    const auto estimate = [&]() -> const Estimate& {
      return test.document().checks().estimate();
    };
    QTRY_VERIFY_WITH_TIMEOUT(estimate().device == "cpu" && estimate().hasTime && estimate().isBusy,
                             120000);
    QTRY_VERIFY_WITH_TIMEOUT(estimate().curve.size() > 1, 120000);

    busy.reset();

    // The strip over the design
    test.window().showPage(PageId::Design);
    QTest::qWait(50);
    auto* strip = test.window().findChild<Strip*>();
    QVERIFY(strip);
    const QString words = textsIn(*strip);
    QVERIFY2(words.contains(warning()), qPrintable(words));
    QVERIFY2(words.contains(u"Predicted: needs <i>"_s), qPrintable(words));

    // The list of layers: its costs, and the line under it
    test.window().showPage(PageId::Train);
    QTest::qWait(50);
    auto* list = test.window().findChild<NetworkList*>();
    auto* model = list->findChild<LayerItemModel*>();
    for (const CostKind kind : {CostKind::Time, CostKind::Memory}) {
      model->setCostKind(kind);
      QTest::qWait(30);
      const QString source = textsIn(*list);
      QVERIFY2(source.contains(u"Predicted"_s), qPrintable(source));
      QCOMPARE(source.contains(warning()), kind == CostKind::Time);
    }
    model->setCostKind(CostKind::Time);
    const QModelIndex cost = model->index(1, LayerItemModel::Cost);
    QVERIFY(cost.data(LayerItemModel::IsPredictedRole).toBool());
    QVERIFY(cost.data(Qt::ToolTipRole).toString().contains(u"predicted on"_s));
    QVERIFY(cost.data(Qt::ToolTipRole).toString().contains(warning()));

    // The inspector
    test.document().setSelection({u"hidden"_s});
    QTest::qWait(50);
    bool hasTime = false;
    for (const auto* label : test.window().findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(u"which was busy"_s)) {
        hasTime = true;
        QCOMPARE(label->toolTip(), warning());
        QVERIFY2(label->text().contains(u"<i>"_s) && label->text().contains(u"predicted"_s),
                 qPrintable(label->text()));
      }
    QVERIFY(hasTime);
    QVERIFY(labelWith(test, u"predicted at the peak"_s));

    // The panel of the memory chip
    test.window().actionTable()[u"view.memory"_s]->trigger();
    MemoryPanel* panel = nullptr;
    QTRY_VERIFY((panel = test.window().findChild<MemoryPanel*>()) && panel->isVisible());
    const QString figures = textsIn(*panel);
    QVERIFY2(figures.contains(warning()), qPrintable(figures));
    for (const QString& title :
         {u"Predicted at the peak"_s, u"Predicted during a run"_s, u"more time, predicted"_s})
      QVERIFY2(figures.contains(title), qPrintable(figures));
    panel->close();

    // The Memory lens: the answer of What if, and the slider of budgets
    auto* tabs = qobject_cast<QTabBar*>(test.named(u"Views of the run"_s));
    QVERIFY(tabs);
    clickAt(tabs, tabs->tabRect(2).center());
    QTest::qWait(100);
    const auto labelOf = [&](const QString& part) -> QLabel* {
      for (auto* label : test.window().findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(part)) return label;
      return nullptr;
    };
    QLabel* budget = nullptr;
    QTRY_VERIFY((budget = labelOf(u"predicted peak"_s)));
    QVERIFY2(budget->text().contains(u"<i>"_s), qPrintable(budget->text()));
    QVERIFY2(budget->text().contains(warning()), qPrintable(budget->text()));
    QLabel* answer = nullptr;
    QTRY_VERIFY_WITH_TIMEOUT((answer = labelOf(u"<i>Predicted time of a step"_s)), 60000);
  }

  void theTimesOfASimulatedCardAreNamedPredicted() {
    TestWindow test;
    test.window().showRecording(readRecording(resourcePath("recordings/simulated-h100x2-run")));
    Replay* replay = test.window().runs().replayOf(&test.document());
    replay->seek(replay->duration());
    QLabel* total = nullptr;
    for (auto* label : test.window().findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(u" predicted · "_s) &&
          label->text().contains(u"H100"_s))
        total = label;
    QVERIFY(total);
    QVERIFY(total->font().italic());
  }

  /// If this test fails, the walks below prove nothing.
  void uprightPredictionsAreFound() {
    QWidget window;
    QVBoxLayout layout(&window);
    QList<QLabel*> labels;
    for (const QString& words :
         {u"needs 1.5 GiB"_s, u"needs <i>1.5 GiB</i>"_s, u"11.5 GiB"_s, u"predicted 3 ms"_s,
          u"3 ms (predicted)"_s, u"<i>predicted 3 ms</i>"_s, u"Predicted for a GPU"_s}) {
      labels << new QLabel(words, &window);
      layout.addWidget(labels.last());
    }
    auto* elided = new ElidedLabel(&window, 2);
    elided->setTextWithItalics(u"Too large: predicted <i>2.5 GiB</i>, limit 1 GiB"_s);
    layout.addWidget(elided);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QCOMPARE(uprightIn(window, {u"1.5 GiB"_s, u"2.5 GiB"_s}),
             (QStringList{u"needs 1.5 GiB"_s, u"predicted 3 ms"_s, u"3 ms (predicted)"_s}));
    QCOMPARE(elided->text(), u"Too large: predicted 2.5 GiB, limit 1 GiB"_s);
  }

  void predictedFiguresOfADesignAreItalicInEveryView() {
    TestWindow test;
    QTRY_VERIFY_WITH_TIMEOUT(test.document().checks().estimate().hasTime, 120000);
    test.document().setSelection({test.layerNames().at(1)});
    const QStringList wrong =
        uprightInAllViews(test, predictedBy(test.document().checks().estimate()));
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
  }

  void predictedFiguresOfADesignThatDoesNotFitAreItalic() {
    RunWindow test;
    submitValue(test.document(), "/execution/memory_limit", 300000);
    QVERIFY(test.waitForInspection());
    const auto estimate = [&]() -> const Estimate& {
      return test.document().checks().estimate();
    };
    QTRY_VERIFY_WITH_TIMEOUT(estimate().hasMemory && !estimate().fits, 60000);
    const QString need = formatBytes(estimate().peakBytes);
    // The status row, before the run is refused
    QVERIFY(labelWith(test, u"Does not fit in memory: predicted %1"_s.arg(need)));
    QVERIFY2(uprightIn(test.window(), {need}).isEmpty(),
             qPrintable(uprightIn(test.window(), {need}).join(u'\n')));
    QVERIFY(test.press(test.starter()));
    QTRY_VERIFY_WITH_TIMEOUT(labelWith(test, u"The training step does not fit in memory"_s), 60000);
    QVERIFY(labelWith(test, u"it needs %1 (predicted)"_s.arg(need)));
    QTRY_VERIFY_WITH_TIMEOUT(labelWith(test, u"At the predicted peak"_s), 30000);
    const QStringList wrong = uprightInAllViews(test, {need});
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
  }

  void predictedFiguresOfARecordingAreItalicInEveryLens() {
    TestWindow test;
    test.window().showRecording(readRecording(resourcePath("recordings/simulated-h100x2-run")));
    Replay* replay = test.window().runs().replayOf(&test.document());
    replay->setPlaying(false);
    replay->seek(replay->duration());
    const ShownRun& run = replay->shown();
    QVERIFY(run.profile && run.breakdown());
    QStringList figures{formatSeconds(1e-6 * run.breakdown()->step)};
    const ReplicaReport& report = run.profile->replicas;
    for (const ReplicaFigures& each : report.replicas)
      figures << formatSeconds(each.computeSeconds / static_cast<double>(report.steps));
    const QStringList wrong = uprightInAllViews(test, figures);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
  }

  void aQuietMachineHasNoWarning() {
    QCOMPARE(busyWarning(false), QString());
    QCOMPARE(busyWarning(true), warning());
  }
};

QTEST_MAIN(TestPredicted)
#include "tst_predicted.moc"
