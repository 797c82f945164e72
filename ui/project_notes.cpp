// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project_notes.h"

#include <QCoreApplication>
#include <nlohmann/json.hpp>
#include <string>

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

// The files of projects/ contain the same texts; tst_strings.py compares them.
[[maybe_unused]] constexpr const char* kNotes[] = {
    QT_TRANSLATE_NOOP("ProjectNotes",
                      "The network that read bank cheques in 1998, with today's activation and "
                      "optimizer: few parameters, two "
                      "convolutions, three dense layers."),
    QT_TRANSLATE_NOOP("ProjectNotes",
                      "The smallest training there is: one weight and one bias learn y = 2x from "
                      "four points. Both start at zero, so "
                      "the whole run can be followed with pencil and paper."),
    QT_TRANSLATE_NOOP("ProjectNotes",
                      "Recognizes handwritten digits. Convolutions find strokes, pooling makes "
                      "them coarser, a dense layer decides."),
    QT_TRANSLATE_NOOP("ProjectNotes",
                      "Blocks: a group of layers is written once and repeated. Each repeat adds a "
                      "correction to what it was"
                      " given, so that the network may be deep and still learn."),
    QT_TRANSLATE_NOOP("ProjectNotes",
                      "The small one: each step takes microseconds, so the overhead around a step "
                      "is what it shows."),
    QT_TRANSLATE_NOOP("ProjectNotes",
                      "Half the hidden units of mnist-mlp: half the parameters and time, almost "
                      "the same accuracy."),
    QT_TRANSLATE_NOOP("ProjectNotes",
                      "A network without convolutions: every pixel is a number of its own. Shows "
                      "training, validation and evaluation,"
                      " and how far a wide hidden layer gets."),
    QT_TRANSLATE_NOOP("ProjectNotes",
                      "Made-up data: integers 0 to 19, and the class is the integer itself. One "
                      "input number must be split into "
                      "twenty classes, which needs a hidden layer; a straight line cannot do it."),
    QT_TRANSLATE_NOOP("ProjectNotes",
                      "A table: which of three species a penguin is, by the island it lives on, "
                      "its sex and four measures. Some measures "
                      "are missing; their means stand in for them. Words become one number for "
                      "each category, numbers are standardized "
                      "by the training part."),
    QT_TRANSLATE_NOOP("ProjectNotes",
                      "Two Input layers and two outputs: from the measures of its bill, and from "
                      "its island and sex, which species a "
                      "penguin is and what it weighs. Each output has its loss; grams are large "
                      "numbers, so theirs counts a thousandth."),
    QT_TRANSLATE_NOOP("ProjectNotes",
                      "A folder of images, one folder a class: circles, squares and triangles of "
                      "16 by 16 grey values. Put your own "
                      "images into folders like these."),
};

}  // namespace

QString projectNotes(const nlohmann::ordered_json& document) {
  const auto notes = document.find("notes");
  if (notes == document.end() || !notes->is_string()) return {};
  const auto words = notes->get<std::string>();
  return words.empty() ? QString() : QCoreApplication::translate("ProjectNotes", words.c_str());
}

QString firstSentenceOfNotes(const nlohmann::ordered_json& document) {
  const QString all = projectNotes(document);
  for (qsizetype i = 0; i < all.size(); ++i) {
    if (all[i] == u'。' || (all[i] == u'.' && i + 1 < all.size() && all[i + 1] == u' '))
      return all.left(i + 1);
  }
  return all;
}

}  // namespace strata::ui
