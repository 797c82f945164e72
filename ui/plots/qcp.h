// SPDX-License-Identifier: GPL-3.0-or-later
// Includes QCustomPlot. Its header needs the Qt keywords, which Strata disables.
#pragma once

#define foreach Q_FOREACH
#define signals Q_SIGNALS
#define slots Q_SLOTS
#include <qcustomplot.h>
#undef foreach
#undef signals
#undef slots
