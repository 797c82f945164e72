// SPDX-License-Identifier: GPL-3.0-or-later
// QCustomPlot with the Qt keywords its header needs, which Strata itself does not use.
#pragma once

#define foreach Q_FOREACH
#define signals Q_SIGNALS
#define slots Q_SLOTS
#include <qcustomplot.h>
#undef foreach
#undef signals
#undef slots
