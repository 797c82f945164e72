// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/search_rank.h"

namespace strata::ui {

namespace {

bool startsWord(const QString& name, qsizetype at) {
  const QChar before = name[at - 1], here = name[at];
  if (!before.isLetterOrNumber()) return true;
  return here.isUpper() && !before.isUpper();
}

}  // namespace

SearchRank searchRank(const QString& name, const QString& wanted) {
  if (name.compare(wanted, Qt::CaseInsensitive) == 0) return SearchRank::Exact;
  qsizetype at = name.indexOf(wanted, 0, Qt::CaseInsensitive);
  if (at < 0) return SearchRank::None;
  if (at == 0) return SearchRank::Prefix;
  for (; at >= 0; at = name.indexOf(wanted, at + 1, Qt::CaseInsensitive)) {
    if (startsWord(name, at)) return SearchRank::WordStart;
  }
  return SearchRank::Contains;
}

}  // namespace strata::ui
