// SPDX-License-Identifier: GPL-3.0-or-later
// The notes of a project as shown to a person: translated for the projects that come with Strata,
// unchanged for others. Thread: any.
#pragma once

#include <QString>
#include <nlohmann/json_fwd.hpp>

namespace strata::ui {

/// All notes; empty if the project has none
QString projectNotes(const nlohmann::ordered_json& document);
/// The sentence shown over the network
QString firstSentenceOfNotes(const nlohmann::ordered_json& document);

}  // namespace strata::ui
