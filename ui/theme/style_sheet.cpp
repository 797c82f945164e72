// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/style_sheet.h"

#include <QCoreApplication>
#include <QEvent>
#include <QFrame>
#include <QStyle>
#include <QVBoxLayout>
#include <QWidget>

#include "ui/theme/colors.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

// styleSheet() replaces each @name by a colour.
constexpr auto kSheet = R"(
QToolTip { background: @card; color: @text; border: 1px solid @border; padding: 4px 6px; }
QMenuBar { background: @card; border: none; padding: 1px 6px; }
QMenuBar::item { padding: 4px 9px; background: transparent; border-radius: 4px; color: @text; }
QMenuBar::item:selected { background: @pressed; }
QMenu { background: @card; border: 1px solid @border; padding: 5px 0; }
QMenu::item { padding: 5px 26px 5px 26px; color: @text; }
QMenu::item:selected { background: @accentSoft; color: @text; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @hairline; margin: 5px 0; }
QMenu::indicator, QMenu::icon { left: 7px; }

QMainWindow, QDialog { background: @page; }
QLabel { background: transparent; }
QLabel[role="muted"] { color: @muted; }
QLabel[role="faint"] { color: @faint; }
QLabel[role="problem"] { color: @problem; }
QLabel[role="warning"] { color: @warning; }
QLabel[role="section"] { font-weight: 600; }
QLabel[role="title"] { font-weight: 600; font-size: 11pt; }
QLabel[role="headline"] { font-weight: 600; font-size: 17pt; }
QLabel[role="hint"] { color: @muted; font-size: 8pt; }
QLabel[role="live"] { color: @accent; font-size: 8pt; font-weight: 600; }
QLabel[role="group"] { color: @muted; font-size: 8pt; }

QWidget[role="bar"], QWidget[role="pane"], QWidget[role="card"] { background: @card; }
QFrame[role="card"] { border: 1px solid @border; border-radius: 6px; }
QFrame[role="strip"] { background: @strip; border: 1px solid @stripBorder; border-radius: 6px; }
QFrame[role="banner"] { background: @problemSoft; border: 1px solid @problem; border-radius: 6px; }
QFrame[role="line"] { background: @border; border: none; }

QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QPushButton { background: @card; color: @text; border: 1px solid @border; border-radius: 5px; padding: 5px 13px; min-height: 17px; }
QPushButton:hover { background: @hover; }
QPushButton:pressed { background: @pressed; }
QPushButton:focus { border-color: @accent; }
QPushButton:disabled { color: @faint; background: @page; }
QPushButton[role="primary"] { background: @train; color: @trainText; border: 1px solid @train; font-weight: 600; padding: 5px 18px; }
QPushButton[role="primary"]:hover, QPushButton[role="primary"]:pressed { background: @trainHover; border-color: @trainHover; }
QPushButton[role="primary"]:focus { border-color: @text; }
QPushButton[role="primary"]:disabled { background: @pressed; border-color: @pressed; color: @faint; }
QPushButton[role="primaryMenu"] { background: @train; border: 1px solid @train; padding: 5px 0; }
QPushButton[role="primaryMenu"]:hover, QPushButton[role="primaryMenu"]:pressed { background: @trainHover; border-color: @trainHover; }
QPushButton[role="primaryMenu"]:focus { border-color: @text; }
QPushButton[role="primaryMenu"]::menu-indicator { image: url(:/icons/chevron-down-white.svg); width: 10px; height: 10px; subcontrol-position: center; subcontrol-origin: padding; }
QPushButton[role="chip"] { border-radius: 14px; padding: 4px 12px; }
QPushButton[role="chip"]::menu-indicator { image: none; }
QPushButton[role="link"] { border: none; background: transparent; color: @muted; padding: 3px 6px; border-radius: 4px; }
QPushButton[isLeft="true"] { text-align: left; }
QPushButton[role="link"]:hover { color: @text; background: @hover; }
QPushButton[role="link"]:checked { color: @accent; }
QPushButton[role="link"]:focus { background: @hover; }
QPushButton[role="link"]::menu-indicator { image: url(:/icons/@chevron); width: 9px; height: 9px; subcontrol-position: right center; subcontrol-origin: padding; right: 4px; }
QPushButton[role="fold"], QPushButton[role="foldProblem"] { text-align: left; border: none; background: transparent; font-weight: 600; padding: 5px 0; border-radius: 4px; }
QPushButton[role="fold"]:hover, QPushButton[role="foldProblem"]:hover { background: @hover; }
QPushButton[role="fold"]:focus, QPushButton[role="foldProblem"]:focus { background: @hover; }
QPushButton[role="foldProblem"] { color: @problem; }
QPushButton[role="menu"] { padding-right: 28px; }
QPushButton[role="menu"]::menu-indicator { image: url(:/icons/@chevron); width: 10px; height: 10px; subcontrol-position: right center; subcontrol-origin: padding; right: 10px; }
QPushButton[role="value"] { text-align: left; padding: 4px 8px; }
QPushButton[role="value"][isDefault="true"] { color: @muted; }
QPushButton[role="segment"] { border-radius: 0; border: 1px solid @border; border-left-width: 0; padding: 5px 17px; }
QWidget[isShort="true"] QPushButton[role="segment"] { padding-left: 7px; padding-right: 7px; }
QWidget[isShort="true"] QPushButton[role="primary"] { padding-left: 10px; padding-right: 10px; }
QWidget[isShort="true"] QPushButton[role="plain"] { padding-left: 6px; padding-right: 6px; }
QPushButton[role="segment"][edge="first"] { border-left-width: 1px; border-top-left-radius: 5px; border-bottom-left-radius: 5px; }
QPushButton[role="segment"][edge="last"] { border-top-right-radius: 5px; border-bottom-right-radius: 5px; }
QPushButton[role="segment"][edge="only"] { border-left-width: 1px; border-radius: 5px; }
QPushButton[role="segment"]:checked { background: @accent; color: @accentText; border-color: @accent; }
QPushButton[role="segment"]:focus:!checked { background: @hover; }
QPushButton[role="segment"]:focus:checked { text-decoration: underline; }
QPushButton[role="tab"] { border: none; border-bottom: 2px solid transparent; border-radius: 0; background: transparent; color: @muted; padding: 8px 14px 7px 14px; }
QPushButton[role="tab"]:hover { color: @text; }
QPushButton[role="tab"]:checked { color: @text; font-weight: 600; border-bottom-color: @accent; }
QPushButton[role="tab"]:focus { background: @hover; }

QToolButton { background: transparent; border: none; border-radius: 4px; padding: 3px; color: @text; }
QToolButton:hover { background: @pressed; }
QToolButton:focus { background: @pressed; }

QLineEdit, QPlainTextEdit, QComboBox { background: @card; color: @text; border: 1px solid @border; border-radius: 5px; selection-background-color: @accent; selection-color: @accentText; }
QLineEdit { padding: 4px 7px; min-height: 17px; }
QLineEdit:focus, QComboBox:focus, QPlainTextEdit:focus { border-color: @accent; }
QLineEdit[isDefault="true"], QComboBox[isDefault="true"] { color: @muted; }
QLineEdit[isWrong="true"] { border-color: @problem; }
QLineEdit:read-only { background: @page; }
QComboBox { padding: 4px 2px 4px 8px; min-height: 17px; }
QComboBox:hover { background: @hover; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: url(:/icons/@chevron); width: 10px; height: 10px; }
QComboBox QAbstractItemView { background: @card; border: 1px solid @border; selection-background-color: @accentSoft; selection-color: @text; outline: none; padding: 3px 0; }
QComboBox QAbstractItemView::item { min-height: 24px; padding: 0 6px; }
QCheckBox, QRadioButton { color: @text; spacing: 7px; }
QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid @faint; border-radius: 3px; background: @card; }
QCheckBox::indicator:checked { background: @accent; border-color: @accent; image: url(:/icons/check-white.svg); }
QCheckBox::indicator:focus, QCheckBox::indicator:hover { border-color: @text; }
QCheckBox::indicator:disabled { border-color: @border; }

QAbstractItemView { background: @card; color: @text; border: none; outline: none; selection-background-color: @accentSoft; selection-color: @text; }
QListView[role="runs"]::item { padding: 6px 8px; border-radius: 4px; color: @text; }
QListView[role="runs"]::item:hover { background: @hover; }
QListView[role="runs"]::item:selected { background: @accentSoft; }
QAbstractItemView[role="card"] { border: 1px solid @border; border-radius: 6px; }
QTableCornerButton::section { background: @card; border: none; }
QHeaderView { background: @card; border: none; }
QHeaderView::section { background: @card; color: @muted; border: none; border-bottom: 1px solid @border; padding: 7px 11px; }
QTableView[role="columns"]::item { border: none; padding-right: 9px; }
QTableView[role="columns"] QHeaderView::section:horizontal { padding: 6px 12px 6px 3px; }
QTableView[role="columns"] QHeaderView[role="sorted"]::section:horizontal { padding: 6px 4px 6px 3px; }
QHeaderView[role="sorted"]::up-arrow, QHeaderView[role="sorted"]::down-arrow { image: url(:/icons/@chevronUp); width: 8px; height: 8px; subcontrol-origin: padding; subcontrol-position: right center; right: 1px; }
QHeaderView[role="sorted"]::down-arrow { image: url(:/icons/@chevron); }
QTabBar::tab { background: transparent; color: @muted; padding: 6px 8px; border: 1px solid transparent; border-top-left-radius: 5px; border-top-right-radius: 5px; }
QTabBar::tab:selected { background: @card; color: @text; border-color: @border; border-bottom-color: @card; }
QTabBar::tab:hover:!selected { color: @text; }
QTabBar::close-button { image: url(:/icons/@close); }

QScrollArea { background: transparent; border: none; }
QScrollArea > QWidget > QWidget[role="pane"] { background: @card; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @border; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: @faint; }
QScrollBar::handle:disabled { background: transparent; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page { background: transparent; width: 0; height: 0; }
QSlider::groove:horizontal { background: @border; height: 4px; border-radius: 2px; }
QSlider::handle:horizontal { background: @faint; width: 14px; margin: -5px 0; border-radius: 7px; }
QSlider::handle:horizontal:hover { background: @text; }
QSlider::handle:horizontal:focus { background: @accent; }
QSlider::handle:horizontal:disabled { background: @border; }
QSplitter::handle { background: @border; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QProgressBar { background: @pressed; border: none; border-radius: 3px; max-height: 6px; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
)";

}  // namespace

QString styleSheet(const Colors& c) {
  const std::pair<QLatin1String, QColor> table[] = {
      {"@problemSoft"_L1, c.problemSoft},
      {"@problem"_L1, c.problem},
      {"@warning"_L1, c.warning},
      {"@page"_L1, c.page},
      {"@card"_L1, c.card},
      {"@border"_L1, c.border},
      {"@hairline"_L1, c.hairline},
      {"@hover"_L1, c.hover},
      {"@pressed"_L1, c.pressed},
      {"@text"_L1, c.text},
      {"@muted"_L1, c.muted},
      {"@faint"_L1, c.faint},
      {"@accentSoft"_L1, c.accentSoft},
      {"@accentText"_L1, c.accentText},
      {"@accent"_L1, c.accent},
      {"@stripBorder"_L1, c.stripBorder},
      {"@strip"_L1, c.strip},
      {"@trainHover"_L1, c.trainHover},
      {"@trainText"_L1, c.trainText},
      {"@train"_L1, c.train},
  };
  QString sheet = QString::fromLatin1(kSheet);
  for (const auto& [name, color] : table)
    sheet.replace(name, color.name());
  sheet.replace("@chevronUp"_L1, c.isDark ? "chevron-up-dark.svg"_L1 : "chevron-up-light.svg"_L1);
  sheet.replace("@chevron"_L1, c.isDark ? "chevron-down-dark.svg"_L1 : "chevron-down-light.svg"_L1);
  sheet.replace("@close"_L1, c.isDark ? "close-dark.svg"_L1 : "close-light.svg"_L1);
  return sheet;
}

static void polishAgain(QWidget* widget) {
  widget->style()->unpolish(widget);
  widget->style()->polish(widget);
}

void setRole(QWidget* widget, const char* role) {
  const QString value = QString::fromLatin1(role);
  if (widget->property("role").toString() == value) return;
  widget->setProperty("role", value);
  widget->setAttribute(Qt::WA_StyledBackground, true);
  polishAgain(widget);
}

void restyle(QWidget* widget) {
  polishAgain(widget);
  // Buttons keep their size hint until this event
  QEvent change(QEvent::StyleChange);
  QCoreApplication::sendEvent(widget, &change);
}

QFrame* cardAround(QWidget* content, QWidget* parent) {
  auto* frame = new QFrame(parent);
  setRole(frame, "card");
  auto* layout = new QVBoxLayout(frame);
  layout->setContentsMargins(1, 1, 1, 1);
  layout->addWidget(content);
  return frame;
}

}  // namespace strata::ui
