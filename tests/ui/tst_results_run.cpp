// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the results of one run on the Results page: scores, curves, calibration, explanations of
// samples, predictions of files, speed, large confusion matrices, errors of values, and reports.
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDropEvent>
#include <QHeaderView>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QPainter>
#include <QTableView>
#include <QTranslator>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/runs/run_directory.h"
#include "tests/support/image_files.h"
#include "tests/ui/support/window.h"
#include "ui/format.h"
#include "ui/models/confusion_item_model.h"
#include "ui/pages/results/evaluation_card.h"
#include "ui/pages/results/explanation_card.h"
#include "ui/pages/results/files_card.h"
#include "ui/pages/results/matrix_view.h"
#include "ui/pages/results/mistakes_card.h"
#include "ui/pages/results/run_evaluator.h"
#include "ui/pages/results/run_results.h"
#include "ui/pages/results/scores_card.h"
#include "ui/pages/results/values_card.h"
#include "ui/plots/plot_files.h"
#include "ui/plots/qcp.h"
#include "ui/run/run_controller.h"
#include "ui/theme/colors.h"
#include "ui/workspace/runs.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;
namespace fs = std::filesystem;

namespace {

QLabel* visibleLabel(QWidget& window, const QString& words) {
  for (auto* each : window.findChildren<QLabel*>())
    if (each->isVisible() && each->text().contains(words)) return each;
  return nullptr;
}

/// A window with a convolutional network that was trained for one epoch.
class TrainedWindow : public TestWindow {
 public:
  TrainedWindow()
      : TestWindow(u"mnist-cnn.json"_s, {{u"\"epochs\": 5"_s, u"\"epochs\": 1"_s},
                                         {u"\"batch_size\": 64"_s, u"\"batch_size\": 256"_s}}) {
    waitForInspection();
    window().actionTable()[u"run.train"_s]->trigger();
    RunController& run = window().runs().of(&document());
    m_isTrained = QTest::qWaitFor([&] { return run.shown().outcome && !run.isActive(); }, 120000);
    window().showPage(PageId::Results);
    m_isTrained = m_isTrained && QTest::qWaitFor(
                                     [&] {
                                       auto* scores = window().findChild<ScoresCard*>();
                                       return scores && scores->isVisible();
                                     },
                                     60000);
  }
  bool isTrained() const { return m_isTrained; }
  template <class T>
  T& card() {
    return *window().findChild<T*>();
  }
  std::string runDirectory() { return window().runs().of(&document()).shown().start->runDirectory; }
  /// Chooses an entry of a list by the keys.
  void chooseEntry(const QString& name, int index) {
    auto* box = qobject_cast<QComboBox*>(named(name));
    QVERIFY(box);
    reveal(box);
    box->setFocus();
    while (box->currentIndex() < index)
      QTest::keyClick(box, Qt::Key_Down);
    while (box->currentIndex() > index)
      QTest::keyClick(box, Qt::Key_Up);
  }
  /// Opens the menu of a button and clicks an entry. The button shows its menu in an event loop of
  /// its own, so a timer clicks.
  bool chooseFrom(const QString& buttonText, const QString& words) {
    auto* button = qobject_cast<QPushButton*>(buttonWith(window(), buttonText));
    if (!button || !button->menu()) return false;
    bool isFound = false;
    reveal(button);
    QTimer::singleShot(300, &window(), [&] {
      QMenu* menu = button->menu();
      for (QAction* action : menu->actions())
        if (action->text() == words && menu->isVisible()) {
          isFound = true;
          QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
        }
      menu->close();
    });
    click(button);
    return QTest::qWaitFor([&] { return isFound; }, 3000);
  }

 private:
  bool m_isTrained = false;
};

/// Returns the entries of the menu that a click with the right button opens.
QStringList menuOf(QWidget* plot) {
  QContextMenuEvent event(QContextMenuEvent::Mouse, QPoint(20, 20),
                          plot->mapToGlobal(QPoint(20, 20)));
  QApplication::sendEvent(plot, &event);
  QStringList entries;
  if (!QTest::qWaitFor([] { return QApplication::activePopupWidget() != nullptr; }, 2000))
    return entries;
  auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
  for (QAction* action : menu->actions())
    if (action->isEnabled()) entries << action->text();
  menu->close();
  return entries;
}

double percentOf(const QString& cell) { return QString(cell).remove(u'%').toDouble() / 100; }

}  // namespace

class TestResultsRun : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    prepareApplication();
    QVERIFY(m_plurals.load(u":/translations/strata_en.qm"_s));
    QApplication::installTranslator(&m_plurals);
    m_test = std::make_unique<TrainedWindow>();
    QVERIFY(m_test->isTrained());
  }
  void cleanupTestCase() { m_test.reset(); }

  void scoresMatchTheMatrix() {
    TrainedWindow& test = *m_test;
    auto* table = qobject_cast<QTableView*>(test.named(u"Scores of each class"_s));
    QVERIFY(table);
    QCOMPARE(table->model()->rowCount(), 10);
    const Confusion confusion = *test.card<MatrixView>().matrix().confusion();
    QCOMPARE(confusion.classes, 10);
    int64_t all = 0;
    for (int64_t k = 0; k < 10; ++k) {
      int64_t samples = 0, predicted = 0;
      for (int64_t i = 0; i < 10; ++i) {
        samples += confusion.at(k, i);
        predicted += confusion.at(i, k);
      }
      all += samples;
      const double hits = static_cast<double>(confusion.at(k, k));
      const int row = static_cast<int>(k);
      const auto cell = [&](int column) {
        return table->model()->index(row, column).data().toString();
      };
      QVERIFY(std::abs(percentOf(cell(1)) - hits / static_cast<double>(predicted)) < 0.00051);
      QVERIFY(std::abs(percentOf(cell(2)) - hits / static_cast<double>(samples)) < 0.00051);
      QCOMPARE(cell(4), formatCount(samples));
      QVERIFY(percentOf(cell(5)) > 0.9);
    }
    QCOMPARE(all, 10000);
    // A click on a title sorts
    QHeaderView* header = table->horizontalHeader();
    reveal(table);
    const QPoint title(header->sectionViewportPosition(3) + 10, header->height() / 2);
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, title);
    QVERIFY(percentOf(table->model()->index(0, 3).data().toString()) <=
            percentOf(table->model()->index(9, 3).data().toString()));
    QVERIFY(visibleLabel(test.window(), u"Mean of the classes: precision"_s));
    QCOMPARE(namelessWidgets(test.window()), QStringList());
  }

  void curvesAreShownByClassAndSaved() {
    TrainedWindow& test = *m_test;
    EvaluationCard& card = test.card<EvaluationCard>();
    reveal(&card);
    // The diagonal, all classes together, and ten classes
    QCOMPARE(card.rocPlot()->plottableCount(), 12);
    QCOMPARE(card.recallPlot()->plottableCount(), 11);
    QVERIFY(visibleLabel(card, u"Expected calibration error"_s));
    QVERIFY(visibleLabel(card, u"Mean ROC area of the classes"_s));
    test.chooseEntry(u"Class of the curves"_s, 4);
    QCOMPARE(card.rocPlot()->plottableCount(), 2);
    QVERIFY(visibleLabel(card, u"ROC area"_s));
    for (QCustomPlot* plot : {card.rocPlot(), card.recallPlot(), card.reliabilityPlot()}) {
      reveal(plot);
      QCOMPARE(menuOf(plot),
               (QStringList{u"Copy image"_s, u"Save as PNG…"_s, u"Save as SVG…"_s,
                            u"Save as PDF…"_s, u"Save as CSV…"_s, u"Save as JSON…"_s}));
    }
    test.chooseEntry(u"Class of the curves"_s, 0);
    // The matrix is saved in the same way
    QWidget* matrix = test.card<MatrixView>().parentWidget();
    reveal(matrix);
    QCOMPARE(menuOf(matrix).size(), 6);
  }

  void aSampleIsExplained() {
    TrainedWindow& test = *m_test;
    auto* list = qobject_cast<QListView*>(test.named(u"Misclassified samples"_s));
    QVERIFY(list && list->model()->rowCount() > 0);
    reveal(list);
    const QPoint first = list->visualRect(list->model()->index(0, 0)).center();
    doubleClickAt(list->viewport(), first);
    ExplanationCard& card = test.card<ExplanationCard>();
    QTRY_VERIFY(card.isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(!card.picture().isNull(), 20000);
    QCOMPARE(card.picture().size(), QSize(28, 28));
    QVERIFY(visibleLabel(card, u"true class"_s));
    const QImage saliency = card.picture();
    test.chooseEntry(u"Method"_s, 1);
    QTRY_VERIFY_WITH_TIMEOUT(!card.picture().isNull(), 20000);
    QVERIFY(visibleLabel(card, u"Layer conv"_s));
    QVERIFY(card.picture() != saliency);
    auto* layers = qobject_cast<QComboBox*>(test.named(u"Layer of Grad-CAM"_s));
    QVERIFY(layers && layers->isEnabled() && layers->count() > 2);
    test.chooseEntry(u"Layer of Grad-CAM"_s, 1);
    QTRY_VERIFY_WITH_TIMEOUT(!card.picture().isNull(), 20000);
    test.chooseEntry(u"Method"_s, 2);
    QVERIFY(!layers->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(!card.picture().isNull(), 20000);
    const QImage predicted = card.picture();
    test.chooseEntry(u"Class to explain"_s, 3);
    QTRY_VERIFY_WITH_TIMEOUT(!card.picture().isNull(), 20000);
    QVERIFY(visibleLabel(card, u"Score of 2:"_s));
    QVERIFY(card.picture() != predicted);
    QCOMPARE(namelessWidgets(test.window()), QStringList());
    reveal(buttonWith(card, u"Close"_s));
    click(buttonWith(card, u"Close"_s));
    QTRY_VERIFY(!card.isVisible());
  }

  void filesAreDroppedAndPredicted() {
    TrainedWindow& test = *m_test;
    QTemporaryDir folder;
    Tensor image = plainImage(28, 28, {0});
    for (int y = 4; y < 24; ++y)
      for (int x = 13; x < 16; ++x)
        image.as<uint8_t>()[static_cast<size_t>(y * 28 + x)] = 255;
    const auto path = [&](const char* name) {
      return folder.filePath(QString::fromLatin1(name));
    };
    QVERIFY(QDir(folder.path()).mkdir(u"inner"_s));
    writePngFile(path("one.png").toStdString(), image);
    writePngFile(path("inner/again.png").toStdString(), image);
    QFile bad(path("bad.png"));
    QVERIFY(bad.open(QIODevice::WriteOnly) && bad.write("no image") == 8);
    bad.close();
    RunResults& page = test.card<RunResults>();
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(folder.path())});
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(&page, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(&page, &drop);
    QVERIFY(drop.isAccepted());
    FilesCard& card = test.card<FilesCard>();
    QTRY_VERIFY_WITH_TIMEOUT(visibleLabel(card, u"2 predictions, 1 file could not be read"_s),
                             20000);
    auto* table = qobject_cast<QTableView*>(test.named(u"Predictions of the files"_s));
    QVERIFY(table);
    QHash<QString, QStringList> rows;
    for (int row = 0; row < table->model()->rowCount(); ++row) {
      QStringList cells;
      for (int column = 1; column < 4; ++column)
        cells << table->model()->index(row, column).data().toString();
      rows[table->model()->index(row, 0).data().toString()] = cells;
    }
    QCOMPARE(rows.size(), 3);
    QCOMPARE(rows[u"one.png"_s][0], u"1"_s);
    QVERIFY(rows[u"one.png"_s][1].endsWith(u'%'));
    QCOMPARE(rows[u"one.png"_s][2].count(u','), 1);
    QCOMPARE(rows[u"again.png"_s], rows[u"one.png"_s]);
    QVERIFY(!rows[u"bad.png"_s][2].isEmpty());
    QPushButton* save = nullptr;
    for (auto* each : card.findChildren<QPushButton*>())
      if (each->text() == u"Save as CSV…"_s) save = each;
    QVERIFY(save && save->isEnabled());
    reveal(save);
    click(save);
    const QString target = folder.filePath(u"table.csv"_s);
    chooseFile(test.window(), target);
    QTRY_VERIFY(QFile::exists(target));
    const QList<QByteArray> lines = bytesOf(target).trimmed().split('\n');
    QCOMPARE(lines.size(), 4);
    QVERIFY(lines[0].startsWith("file,prediction,probability,second,"));
    QVERIFY(bytesOf(target).contains("/one.png,1,0."));
  }

  void theSpeedIsMeasured() {
    TrainedWindow& test = *m_test;
    FilesCard& card = test.card<FilesCard>();
    reveal(buttonWith(card, u"Measure the speed"_s));
    click(buttonWith(card, u"Measure the speed"_s));
    QTRY_VERIFY_WITH_TIMEOUT(visibleLabel(card, u"Batch of 1: "_s), 30000);
    QVERIFY(visibleLabel(card, u"Batch of 256: "_s));
    QVERIFY(visibleLabel(card, u"Measured with"_s));
    QCOMPARE(namelessWidgets(test.window()), QStringList());
  }

  void aReportIsWritten() {
    TrainedWindow& test = *m_test;
    QTemporaryDir folder;
    const QString html = folder.filePath(u"report.html"_s), pdf = folder.filePath(u"report.pdf"_s);
    QVERIFY(test.chooseFrom(u"More"_s, u"Save report as HTML…"_s));
    chooseFile(test.window(), html);
    QTRY_VERIFY(QFile::exists(html));
    const QByteArray words = bytesOf(html);
    QVERIFY(words.endsWith("</html>\n"));
    QVERIFY(words.contains("Scores by class on the test data") && words.contains("conv1"));
    QVERIFY(!words.contains("<script"));
    QVERIFY(words.count("data:image/svg+xml;base64,") >= 3);
    QVERIFY(test.chooseFrom(u"More"_s, u"Save report as PDF…"_s));
    chooseFile(test.window(), pdf);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(pdf), 20000);
    QVERIFY(bytesOf(pdf).startsWith("%PDF-"));
    QVERIFY(bytesOf(pdf).trimmed().endsWith("%%EOF"));
    QTRY_VERIFY(visibleLabel(test.window(), u"report.pdf saved."_s));
  }

  void theCountsOfAMatrixAreReadable() {
    Confusion confusion;
    confusion.classes = 3;
    confusion.counts = {90, 1, 40, 7, 80, 20, 2, 30, 70};
    for (const Colors* colors : {&lightColors(), &darkColors()}) {
      ConfusionItemModel model;
      model.setConfusion(confusion, {});
      model.setColors(*colors);
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column) {
          const QModelIndex cell = model.index(row, column);
          QImage ground(1, 1, QImage::Format_RGB32);
          ground.fill(colors->card);
          if (const QVariant fill = cell.data(Qt::BackgroundRole); fill.isValid())
            QPainter(&ground).fillRect(0, 0, 1, 1, fill.value<QColor>());
          const auto ink = cell.data(Qt::ForegroundRole).value<QColor>();
          QVERIFY2(contrast(ink, ground.pixelColor(0, 0)) > 3.5,
                   qPrintable(u"%1, %2: %3"_s.arg(row).arg(column).arg(
                       contrast(ink, ground.pixelColor(0, 0)))));
        }
    }
  }

  void aLargeMatrixScrollsAndZooms() {
    constexpr int kClasses = 100;
    auto samples = std::make_shared<Samples>();
    auto dataset = std::make_shared<Dataset>();
    samples->x[0] = Tensor(DType::F32, {kClasses, 2});
    samples->y[0] = Tensor(DType::I32, {kClasses});
    dataset->targets.resize(1);
    dataset->targets[0].hasLabels = true;
    auto run = std::make_shared<EvaluatedRun>();
    EvaluatedClasses output;
    for (int i = 0; i < kClasses; ++i) {
      samples->y[0].as<int32_t>()[static_cast<size_t>(i)] = i;
      dataset->targets[0].classNames.push_back("class " + std::to_string(i));
      output.classes.push_back(i);
      output.predictedClasses.push_back(i % 3 == 0 ? (i + 1) % kClasses : i);
      output.confidences.push_back(0.5F);
    }
    dataset->test = samples;
    run->dataset = dataset;
    run->evaluation.outputs = {output};
    run->evaluation.samples = kClasses;
    run->evaluation.split = "test";
    MistakesCard card;
    card.resize(500, 700);
    card.setRun(run);
    card.show();
    QVERIFY(QTest::qWaitForWindowExposed(&card));
    auto* matrix = card.findChild<MatrixView*>();
    QVERIFY(matrix && matrix->isVisible() && matrix->isLarge());
    QCOMPARE(matrix->model()->rowCount(), kClasses);
    QTRY_VERIFY(matrix->horizontalScrollBar()->isVisible());
    QVERIFY(matrix->matrix().areCountsShown());
    // Small cells have no counts
    const int before = matrix->cellSize();
    for (int i = 0; i < 6; ++i) {
      QWheelEvent wheel(QPointF(50, 50), matrix->viewport()->mapToGlobal(QPointF(50, 50)), {},
                        QPoint(0, -120), Qt::NoButton, Qt::ControlModifier, Qt::NoScrollPhase,
                        false);
      QApplication::sendEvent(matrix->viewport(), &wheel);
    }
    QVERIFY(matrix->cellSize() < before);
    QVERIFY(!matrix->matrix().areCountsShown());
    for (auto* each : card.findChildren<QPushButton*>())
      if (each->accessibleName() == u"Larger cells"_s)
        for (int i = 0; i < 12; ++i)
          QTest::mouseClick(each, Qt::LeftButton);
    QVERIFY(matrix->cellSize() > before && matrix->matrix().areCountsShown());
    // A cell opens its samples
    matrix->scrollTo(matrix->model()->index(3, 4));
    QTest::mouseClick(matrix->viewport(), Qt::LeftButton, {},
                      matrix->visualRect(matrix->model()->index(3, 4)).center());
    QTRY_VERIFY(visibleLabel(card, u"True class class 3, predicted class 4."_s));
    QVERIFY(card.findChild<QListView*>()->model()->rowCount() == 1);
  }

  void errorsOfValuesAreShown() {
    auto samples = std::make_shared<Samples>();
    samples->x[0] = Tensor(DType::F32, {4, 2});
    auto dataset = std::make_shared<Dataset>();
    dataset->test = samples;
    auto run = std::make_shared<EvaluatedRun>();
    run->dataset = dataset;
    run->evaluation.samples = run->comparedSamples = 4;
    run->values = {{0, 10, 11}, {1, 20, 18}, {2, 30, 33}, {3, 40, 42}};
    const std::vector<float> predicted{11, 18, 33, 42}, truth{10, 20, 30, 40};
    OutputFigures figures;
    figures.values = *regressionFigures(predicted, truth, 1, 5);
    run->figures.push_back(figures);
    ValuesCard card;
    card.resize(600, 800);
    card.setRun(run);
    card.show();
    QVERIFY(QTest::qWaitForWindowExposed(&card));
    QVERIFY(visibleLabel(card, u"Mean absolute error 2, root mean squared error 2.121"_s));
    auto* bars = qobject_cast<QCPBars*>(card.residualPlot()->plottable(0));
    QVERIFY(bars);
    double sum = 0;
    for (const QCPBarsData& bar : *bars->data())
      sum += bar.value;
    QCOMPARE(sum, 4.0);
    QCOMPARE(menuOf(card.residualPlot()).size(), 6);
  }

 private:
  QTranslator m_plurals;
  std::unique_ptr<TrainedWindow> m_test;
};

QTEST_MAIN(TestResultsRun)
#include "tst_results_run.moc"
