// SPDX-License-Identifier: GPL-3.0-or-later
// The run that the lenses of a document show: the one that trains or was trained last, or an
// earlier one that the user has chosen on Results, or a recording that is played. A run that starts
// replaces the chosen one. Not here: starting and changing runs (run_controller.h). Thread: GUI
// thread; files are read on a worker.
#pragma once

#include <QObject>
#include <memory>
#include <string>
#include <vector>

#include "ui/document/latest_worker.h"
#include "ui/run/shown_run.h"

namespace strata::ui {

class Document;
class Replay;
class RunController;

class RunView : public QObject {
  Q_OBJECT
 public:
  RunView(RunController& run, const Document& document, QObject* parent = nullptr);
  ~RunView() override;

  const ShownRun& shown() const;
  /// Returns whether the shown run trains now, or a recording has not reached its end.
  bool isLive() const;
  /// Returns whether shown() is an earlier run that was chosen.
  bool isChosen() const { return m_chosen != nullptr; }
  /// Shows a recording from now on. The replay must outlive the view. Requires: no run was started.
  void play(Replay& replay);
  /// Returns the recording that is shown, or null.
  Replay* replay() const { return m_replay; }
  /// Shows the run in this directory as soon as its files are read. Does nothing while a run trains
  /// or if the run is shown already.
  void choose(const std::string& runDirectory);
  /// Shows the run of the controller again.
  void showCurrent();
  /// Draws the curves of these runs over those of the shown run.
  void compareWith(std::vector<std::string> runDirectories);
  /// Returns the runs that compareWith() named last.
  const std::vector<std::string>& compared() const { return m_compared; }

 Q_SIGNALS:
  // shown() is another run, or its run has begun.
  void changed();
  // Like the signals of RunController, for the shown run
  void metricsArrived();
  void profileArrived();
  void traceArrived();
  void devicesArrived();
  void layersArrived();
  void settingChanged();
  void stateChanged();
  void ended();
  // compared() has changed.
  void comparedChanged();

 private:
  struct Request {
    std::string directory;
    Project project;
  };
  void replace(std::unique_ptr<const ShownRun> chosen);
  void read(const Request& request, const std::stop_token& stop);

  RunController& m_run;
  const Document& m_document;
  Replay* m_replay = nullptr;
  std::unique_ptr<const ShownRun> m_chosen;
  std::vector<std::string> m_compared;
  // The directory that is being read, or ""
  std::string m_wanted;
  // The last member, so that its thread ends first
  LatestWorker<Request> m_reader;
};

}  // namespace strata::ui
