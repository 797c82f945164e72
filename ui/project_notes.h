// SPDX-License-Identifier: GPL-3.0-or-later
// The notes of a project as a person reads them: those of the projects that come with Strata in the
// language of the window, others as they were written.
// Thread: any.
#pragma once

#include <QString>
#include <nlohmann/json_fwd.hpp>

namespace strata::ui {

/// All of them; empty where the project has none.
QString projectNotes(const nlohmann::ordered_json& document);
/// What stands over the network.
QString firstSentenceOfNotes(const nlohmann::ordered_json& document);

}  // namespace strata::ui
