// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/agreement_card.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/format.h"
#include "ui/pages/results/sample_list.h"
#include "ui/pages/sample_image.h"
#include "ui/segments.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

namespace {

enum Part { kBoth, kOnlyFirst, kOnlySecond, kNeither };

QString className(const EvaluatedClasses& output, int32_t index) {
  const auto place = static_cast<size_t>(index);
  return place < output.classNames.size() ? text(output.classNames[place]) : QString::number(index);
}

}  // namespace

AgreementCard::AgreementCard(QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(14, 10, 14, 10);
  column->setSpacing(6);
  auto* title = new QLabel(tr("Correct predictions"), this);
  setRole(title, "section");
  column->addWidget(title);
  m_counts = new Segments(this);
  m_counts->setAccessibleName(tr("Which samples are listed"));
  column->addWidget(m_counts, 0, Qt::AlignLeft);
  m_sentence = new QLabel(this);
  m_sentence->setTextFormat(Qt::PlainText);
  m_sentence->setWordWrap(true);
  setRole(m_sentence, "muted");
  column->addWidget(m_sentence);
  m_list = new SampleList(this);
  m_list->setAccessibleName(tr("Samples by who predicts them correctly"));
  column->addWidget(m_list, 1);
  for (const int part : {kBoth, kOnlyFirst, kOnlySecond, kNeither})
    m_parts[static_cast<size_t>(part)] = m_counts->add(part, QString());
  connect(m_counts, &Segments::chosen, this, &AgreementCard::fillList);
}

void AgreementCard::setRuns(std::shared_ptr<const SameSamples> same, const QString& first,
                            const QString& second) {
  m_same = std::move(same);
  m_agreement = *m_same->agreement();
  const auto counted = [](const std::vector<int64_t>& list) {
    return formatCount(static_cast<int64_t>(list.size()));
  };
  m_parts[kBoth]->setText(tr("Both %1").arg(counted(m_agreement.both)));
  m_parts[kOnlyFirst]->setText(tr("Only %1: %2").arg(first, counted(m_agreement.onlyFirst)));
  m_parts[kOnlySecond]->setText(tr("Only %1: %2").arg(second, counted(m_agreement.onlySecond)));
  m_parts[kNeither]->setText(tr("Neither %1").arg(counted(m_agreement.neither)));
  // Where they differ is why one compares them
  m_counts->setCurrent(kOnlyFirst);
  fillList();
}

void AgreementCard::clear() {
  m_same = nullptr;
  m_agreement = {};
  m_list->clear();
}

const std::vector<int64_t>& AgreementCard::chosen() const {
  switch (m_counts->current()) {
    case kBoth: return m_agreement.both;
    case kOnlyFirst: return m_agreement.onlyFirst;
    case kOnlySecond: return m_agreement.onlySecond;
    default: return m_agreement.neither;
  }
}

void AgreementCard::fillList() {
  if (!m_same) return;
  const bool isValidation = m_same->split == "validation";
  const Dataset& dataset = *m_same->dataset;
  const auto& samples = isValidation ? dataset.train : dataset.test;
  const int64_t begin = isValidation ? dataset.trainCount : 0;
  const EvaluatedClasses &first = *m_same->classifier(0), &second = *m_same->classifier(1);
  std::vector<SampleList::Item> items;
  for (const int64_t place : chosen()) {
    if (items.size() == SampleList::kMaxSamples) break;
    const auto i = static_cast<size_t>(place);
    const QString truth = className(first, first.classes[i]),
                  one = className(first, first.predictedClasses[i]),
                  two = className(second, second.predictedClasses[i]);
    items.push_back({begin + place, tr("%1 → %2 | %3").arg(truth, one, two),
                     tr("Sample %1: %2, predicted as %3 and %4")
                         .arg(formatCount(begin + place), truth, one, two)});
  }
  m_list->setItems(dataset, samples, items);
  const size_t count = chosen().size();
  if (count == 0)
    m_sentence->setText(tr("There are no such samples."));
  else if (count > items.size())
    m_sentence->setText(tr("The first %1 of %2 (true → first run | second run)")
                            .arg(formatCount(static_cast<int64_t>(items.size())),
                                 formatCount(static_cast<int64_t>(count))));
  else
    m_sentence->setText(tr("True → first run | second run"));
}

}  // namespace strata::ui
