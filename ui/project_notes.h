// SPDX-License-Identifier: GPL-3.0-or-later
// Returns the notes of a project for display. Notes of the projects that come with Strata are
// translated, and others stay unchanged. Thread: any.
#pragma once

#include <QString>
#include <nlohmann/json_fwd.hpp>

namespace strata::ui {

/// Returns all notes, or an empty text if the project has none.
QString projectNotes(const nlohmann::ordered_json& document);
/// Returns the first sentence of the notes, which the Design page shows above the network.
QString firstSentenceOfNotes(const nlohmann::ordered_json& document);

}  // namespace strata::ui
