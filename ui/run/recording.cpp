// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/recording.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <sys/stat.h>

#include "core/project/resources.h"
#include "core/runs/card_recording.h"
#include "core/runs/moved_run.h"
#include "core/runs/run_directory.h"
#include "gpu/base/error.h"
#include "ui/run/history_filler.h"

namespace strata::ui {

namespace fs = std::filesystem;

ReplayFolder::ReplayFolder() {
  std::error_code error;
  fs::path place = fs::temp_directory_path(error);
  if (error) place = "/tmp";
  m_path = (place / "strata-replay-XXXXXX").string();
  if (::mkdtemp(m_path.data()) == nullptr)
    throw Error(ErrorCode::IoFailure, place.string(),
                "cannot be written (" + std::generic_category().message(errno) +
                    "). Set TMPDIR to a folder with free space.");
}

ReplayFolder::~ReplayFolder() {
  std::error_code error;
  fs::remove_all(m_path, error);
}

/// Returns the training time of the last step.
static double recordedSeconds(const HistoryReader& reader, const std::stop_token& stop) {
  HistoryCursor cursor(reader);
  for (size_t i = 0; !cursor.isAtEnd(); ++i) {
    if (i % 65536 == 0 && stop.stop_requested())
      throw Error(ErrorCode::Stopped, "history.bin", "reading was canceled.");
    cursor.skip();
  }
  return cursor.seconds();
}

std::shared_ptr<const Recording> readRecording(const std::string& path,
                                               const std::stop_token& stop) {
  auto recording = std::make_shared<Recording>();
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  recording->path = whole.string();
  recording->name = (whole.filename().empty() ? whole.parent_path() : whole).filename().string();
  std::string directory = placeOfRun(recording->path);
  const bool isRun = fs::is_regular_file(fs::path(directory) / "project.json", error);
  if (!isRun && !hasCardRecording(recording->path))
    throw Error(ErrorCode::InvalidFile, path,
                "is no recording (expected a run directory with a project.json, or a folder that "
                "./dev gpu-test --out wrote). Name a folder such as mnist-cnn.runs/001.");
  if (!isRun) {
    // The card test trains this project
    Result<Project> project = loadProject(resourcePath("projects/mnist-cnn.json"));
    if (!project) throw project.error();
    recording->folder = std::make_unique<ReplayFolder>();
    // The name of the directory is that of the run
    directory = recording->folder->path() + "/" + recording->name;
    if (::mkdir(directory.c_str(), 0700) != 0)
      throw Error(ErrorCode::IoFailure, directory,
                  "cannot be made (" + std::generic_category().message(errno) +
                      "). Set TMPDIR to a folder with free space.");
    makeRunOfCardRecording(recording->path, *project, directory);
  }
  const Project project(Json::object(), (fs::path(directory) / "project.json").string());
  recording->run = readPastRun(directory, project, stop);
  recording->run.history = MetricHistory();
  recording->classes = readClassValidations(directory, stop);
  try {
    recording->history = std::make_unique<const HistoryReader>(directory + "/history.bin");
    recording->seconds = recordedSeconds(*recording->history, stop);
  }
  catch (const Error& failure) {
    if (failure.code() == ErrorCode::Stopped) throw;
    // run.problem has the reason
  }
  return recording;
}

}  // namespace strata::ui
