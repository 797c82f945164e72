#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests output streams and signals: closed pipes, full disks, projects from pipes, and Ctrl-C."""
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time
import unittest

from program import STRATA, ProgramTest, events, last, main

LONG = {
    "/data": {"source": {"type": "random", "samples": 200, "shape": [20], "classes": 10}},
    "/training/epochs": 1,
    "/model/layers": [
        {"type": "Input", "name": "image", "shape": [20]},
        {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"},
    ],
}


class Streams(ProgramTest):
    def start(self, *words, **more):
        return subprocess.Popen(
            [str(STRATA), *map(str, words)], stderr=subprocess.PIPE, text=True, **more
        )

    def closed_pipe(self):
        reader, writer = os.pipe()
        os.close(reader)
        return writer

    def test_a_run_survives_a_closed_pipe(self):
        path = self.project("mnist-mlp-128", LONG)
        for number, words in enumerate(([], ["--events", "-"])):
            run = self.folder / f"run{number}"
            with self.subTest(words=words):
                writer = self.closed_pipe()
                process = self.start(
                    "train", path, "--epochs", 20, "--run-dir", run, *words, stdout=writer
                )
                os.close(writer)
                err = process.communicate(timeout=60)[1]
                self.assertEqual(process.returncode, 1, err)
                self.assertIn("standard output", err)
                self.assertEqual(last(events(run / "events.jsonl"), "end")["outcome"], "finished")
                self.assertTrue((run / "weights.safetensors").is_file())

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_help_that_cannot_be_written(self):
        for words in (["--help"], ["train", "--help"], ["--version"], ["layers"]):
            with self.subTest(words=words), open("/dev/full", "w") as full:
                process = self.start(*words, stdout=full)
                err = process.communicate(timeout=60)[1]
                self.assertEqual(process.returncode, 1, err)

    def test_no_project_from_a_pipe(self):
        text = self.project("mnist-mlp-128", LONG).read_text()
        reader, writer = os.pipe()
        os.write(writer, text.encode())
        os.close(writer)
        process = self.start(
            "train",
            f"/dev/fd/{reader}",
            "--steps",
            2,
            "--no-progress",
            "--run-dir",
            self.folder / "run",
            stdout=subprocess.DEVNULL,
            pass_fds=[reader],
        )
        os.close(reader)
        err = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 2, err)
        self.assertRegex(err, r"is not a regular file \(expected a file, got a pipe\)")

    def stopped_by(self, number, **more):
        path = self.project("mnist-mlp-128", {**LONG, "/training/epochs": 1000000})
        run = self.folder / f"run{number}"
        process = self.start(
            "train", path, "--no-progress", "--run-dir", run, stdout=subprocess.PIPE, **more
        )
        deadline = time.monotonic() + 60
        while not (run / "checkpoints").is_dir() and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(number)
        return process, run

    def test_closing_the_terminal_stops_a_run_and_keeps_it(self):
        process, run = self.stopped_by(
            signal.SIGHUP, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL)
        )
        out, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, err)
        self.assertTrue((run / "weights.safetensors").is_file())
        self.assertEqual(last(events(run / "events.jsonl"), "end")["outcome"], "stopped")

    def test_nohup(self):
        process, run = self.stopped_by(
            signal.SIGHUP, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
        )
        time.sleep(0.5)
        self.assertIsNone(
            process.poll(), "a run that ignores the end of its terminal was stopped by it"
        )
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)

    def test_the_bar_fits_a_narrow_terminal(self):
        path = self.project("mnist-mlp-128", {"/training/batch_size": 4})
        for columns in (120, 80, 40, 20):
            with self.subTest(columns=columns):
                process, terminal = pty.fork()
                if process == 0:
                    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("4H", 25, columns, 0, 0))
                    os.execv(
                        STRATA,
                        [
                            str(STRATA),
                            "train",
                            str(path),
                            "--run-dir",
                            str(self.folder / f"run{columns}"),
                        ],
                    )
                seen, deadline = b"", time.monotonic() + 60
                while seen.count(b"Epoch") < 5 and time.monotonic() < deadline:
                    seen += os.read(terminal, 65536)
                os.write(terminal, b"\x03")
                try:
                    while more := os.read(terminal, 65536):
                        seen += more
                except OSError:  # Linux reports the end of a terminal as an error
                    pass
                self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), 130)
                os.close(terminal)
                bars = [
                    line
                    for line in re.split(rb"\^C|\r\x1b\[K|[\r\n]+", seen)
                    if re.match(rb"Epoch \d+/\d+ \[", line)
                ]
                self.assertGreater(len(bars), 2)
                self.assertLess(max(map(len, bars)), columns)

    def test_stopped_before_anything_was_written(self):
        path = self.project("mnist-cnn")
        for moment in (0.02, 0.05, 0.1, 0.15, 0.2):
            process = self.start("train", path, "--no-progress", stdout=subprocess.PIPE)
            time.sleep(moment)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
            for line in out.splitlines():
                self.assertFalse(line.rstrip().endswith("Weights:"), out)


if __name__ == "__main__":
    main()
