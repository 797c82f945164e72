// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/latest_worker.h"

#include <sys/resource.h>
#include <unistd.h>

namespace strata::ui {

void lowerPriorityOfThisThread() { setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice); }

}  // namespace strata::ui
