// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/side_pane.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

namespace {

/// The strip of a folded pane, with the title rotated. A click opens the pane.
class Strip : public QToolButton {
 public:
  explicit Strip(const QString& title, QWidget* parent) : QToolButton(parent) {
    setTitle(title);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    setFixedWidth(SidePane::kStripWidth);
  }
  void setTitle(const QString& title) {
    m_title = title;
    setAccessibleName(title);
    setToolTip(SidePane::tr("Open %1").arg(title));
    update();
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const Colors& colors = colorsOf(this);
    painter.fillRect(rect(), underMouse() || hasFocus() ? colors.hover : colors.card);
    painter.setPen(colors.muted);
    painter.translate(0, height());
    painter.rotate(-90);
    painter.drawText(QRect(0, 0, height() - 14, width()), Qt::AlignVCenter | Qt::AlignRight,
                     m_title);
  }

 private:
  QString m_title;
};

}  // namespace

SidePane::SidePane(const QString& title, int minimumWidth, int preferredWidth, QWidget* parent)
    : QWidget(parent),
      m_contents(new QStackedWidget(this)),
      m_title(title),
      m_minimumWidth(minimumWidth),
      m_preferredWidth(preferredWidth) {
  setRole(this, "pane");
  auto* strip = new Strip(title, this);
  strip->hide();
  m_strip = strip;
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(m_contents);
  row->addWidget(m_strip);
  connect(strip, &QToolButton::clicked, this, [this] {
    setFolded(false);
    Q_EMIT foldedByPerson(false);
  });
}

void SidePane::addContent(QWidget* content) { m_contents->addWidget(content); }

void SidePane::showContent(QWidget* content) {
  m_contents->setCurrentWidget(content);
  static_cast<Strip*>(m_strip)->setTitle(content->windowTitle().isEmpty() ? m_title
                                                                          : content->windowTitle());
}

QWidget* SidePane::content() const { return m_contents->currentWidget(); }

QSize SidePane::minimumSizeHint() const {
  return {
      m_isFolded ? kStripWidth : std::max(m_minimumWidth, m_contents->minimumSizeHint().width()),
      100};
}

QSize SidePane::sizeHint() const {
  return {m_isFolded ? kStripWidth : std::max(m_preferredWidth, minimumSizeHint().width()), 400};
}

void SidePane::setFolded(bool folded) {
  if (folded == m_isFolded) return;
  m_isFolded = folded;
  m_contents->setVisible(!folded);
  m_strip->setVisible(folded);
  setMaximumWidth(folded ? kStripWidth : QWIDGETSIZE_MAX);
  updateGeometry();
  Q_EMIT foldedChanged(folded);
}

}  // namespace strata::ui
