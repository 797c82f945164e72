#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests where the build looks for NVIDIA's headers, and for which GPUs it compiles. Makes toolkits
in a temporary folder that lack headers, configures Strata with them, and compiles the files that
include these headers.

    tst_cuda_headers.py --nvcc NVCC"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
NVCC = sys.argv[sys.argv.index("--nvcc") + 1] if "--nvcc" in sys.argv else "nvcc"
# Header, the files of its package, the name of the package, and the file that includes it
PACKAGES = (
    ("cublasLt.h", ("cublas*.h",), "cublas", "cublaslt.cpp"),
    ("nvrtc.h", ("nvrtc.h",), "cuda_nvrtc", "nvrtc.cpp"),
    ("cupti.h", ("cupti*.h", "generated_*.h", "cuda_stdint.h"), "cuda_cupti", "cupti.cpp"),
    ("cudnn_graph.h", ("cudnn*.h",), "cudnn", "cudnn_api.cpp"),
)  # fmt: skip


def toolkit_of(nvcc):
    """Returns the folder of the toolkit, which nvcc itself tells, or None."""
    try:
        said = subprocess.run(
            [nvcc, "--dryrun", "-x", "cu", "/dev/null"], capture_output=True, text=True
        ).stderr
    except OSError:
        return None
    found = re.search(r"TOP=(.*)", said)
    return pathlib.Path(found[1].strip()).resolve() if found else None


TOOLKIT = toolkit_of(NVCC)


def folders_to_hide():
    """Returns the folders of this machine that have one of the headers."""
    folders = [TOOLKIT / "include", *TOOLKIT.glob("targets/*/include")]
    folders += [pathlib.Path(name) / "include" for name in ("/usr", "/usr/local")]
    folders += [pathlib.Path("/usr/local/cuda/include"), *pathlib.Path("/usr/include").glob("*gnu")]
    return [folder for folder in folders if any((folder / p[0]).exists() for p in PACKAGES)]


class Headers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="strata-cuda-headers-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.toolkit, self.site = self.folder / "toolkit", self.folder / "site-packages"
        self.tools, self.tree = self.folder / "tools", self.folder / "tree"
        self.site.mkdir()
        self.tools.mkdir()
        hidden = folders_to_hide()
        if pathlib.Path("/usr/include") in hidden:
            self.skipTest("NVIDIA's headers are in /usr/include, which cannot be hidden")
        self.hidden = ";".join(str(folder) for folder in hidden)
        self.make_toolkit()

    def make_toolkit(self):
        """Makes a toolkit like this machine's, but without the headers of the packages."""
        for name in ("bin", "include"):
            (self.toolkit / name).mkdir(parents=True)
        for path in (TOOLKIT / "bin").iterdir():
            (self.toolkit / "bin" / path.name).symlink_to(path)
        # nvcc finds the toolkit by its own path
        (self.toolkit / "bin" / "nvcc").unlink()
        shutil.copy(TOOLKIT / "bin" / "nvcc", self.toolkit / "bin" / "nvcc")
        if (TOOLKIT / "nvvm").exists():
            (self.toolkit / "nvvm").symlink_to(TOOLKIT / "nvvm")
        for path in (TOOLKIT / "include").iterdir():
            if not any(path.match(pattern) for p in PACKAGES for pattern in p[1]):
                (self.toolkit / "include" / path.name).symlink_to(path)

    def put(self, header, folder):
        """Puts the headers of a package into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        source = next(f for f in folders_to_hide() if (f / header).exists())
        for pattern in next(p[1] for p in PACKAGES if p[0] == header):
            for path in source.glob(pattern):
                shutil.copy(path, folder / path.name)

    def tool(self, name, text):
        path = self.tools / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def environment(self):
        variables = {**os.environ, "PYTHONPATH": str(self.site)}
        variables["PATH"] = f"{self.tools}:{variables['PATH']}"
        for name in ("CUDA_HOME", "CMAKE_CXX_COMPILER_LAUNCHER", "CPATH", "CPLUS_INCLUDE_PATH"):
            variables.pop(name, None)
        return variables

    def configure(self, *words):
        """Configures a new tree, and returns the exit code and the output in one line."""
        shutil.rmtree(self.tree, ignore_errors=True)
        done = subprocess.run(
            ["cmake", "-S", ROOT, "-B", self.tree, "-G", "Ninja", "-DSTRATA_WITH_UI=OFF",
             "-DSTRATA_WITH_ONEDNN=OFF", "-DSTRATA_BUILD_TESTS=OFF", "-DCCACHE=OFF",
             "-DSTRATA_WERROR=OFF", f"-DSTRATA_NVCC={self.toolkit}/bin/nvcc",
             f"-DCMAKE_IGNORE_PATH={self.hidden}", *words],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.environment(),
        )  # fmt: skip
        return done.returncode, " ".join(done.stdout.split())

    def setting(self, name):
        text = (self.tree / "CMakeCache.txt").read_text()
        found = re.search(rf"^{name}:\w+=(.*)$", text, re.M)
        return found[1] if found else None

    def included(self, file):
        """Compiles a file of the plug-in, and returns the headers that it includes."""
        target = f"gpu/CMakeFiles/strata_cuda.dir/cuda/plugin/{file}.o"
        built = subprocess.run(
            ["ninja", "-C", self.tree, target], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, env=self.environment(),
        )  # fmt: skip
        self.assertEqual(built.returncode, 0, built.stdout[-3000:])
        listed = subprocess.run(
            ["ninja", "-C", self.tree, "-t", "deps", target], capture_output=True, text=True
        )
        return {line.strip() for line in listed.stdout.splitlines()}

    def test_headers_of_pythons_packages_are_enough(self):
        for header, _, package, _ in PACKAGES:
            self.put(header, self.site / "nvidia" / package / "include")
        code, output = self.configure("-DSTRATA_CUDA_ARCHITECTURES=none")
        self.assertEqual(code, 0, output)
        self.assertEqual(self.setting("STRATA_WITH_CUDA"), "ON", output)
        for header, _, package, file in PACKAGES:
            path = self.site / "nvidia" / package / "include" / header
            self.assertIn(str(path), self.included(file), file)

    def test_headers_are_found_in_other_folders_of_the_toolkit(self):
        places = {
            "cublasLt.h": self.toolkit / "targets" / "x86_64-linux" / "include",
            "nvrtc.h": self.toolkit / "targets" / "x86_64-linux" / "include",
            "cupti.h": self.toolkit / "extras" / "CUPTI" / "include",
            "cudnn_graph.h": self.site / "nvidia" / "cu13" / "include",
        }
        for header, place in places.items():
            self.put(header, place)
        # A script stands for nvcc, as on machines with several toolkits
        self.tool("nvcc", f'exec {self.toolkit}/bin/nvcc "$@"')
        code, output = self.configure(
            f"-DSTRATA_NVCC={self.tools}/nvcc", "-DSTRATA_CUDA_ARCHITECTURES=none"
        )
        self.assertEqual(code, 0, output)
        self.assertIn(str(places["cupti.h"] / "cupti.h"), self.included("cupti.cpp"))
        self.assertIn(str(places["nvrtc.h"] / "nvrtc.h"), self.included("nvrtc.cpp"))

    def test_a_missing_header_is_named_and_the_plugin_is_left_out(self):
        for header, _, package, _ in PACKAGES:
            if header != "cupti.h":
                self.put(header, self.site / "nvidia" / package / "include")
        code, output = self.configure()
        self.assertEqual(code, 0, output)
        self.assertIn("The plug-in for NVIDIA GPUs is not built.", output)
        self.assertIn("cupti.h was not found. Install cuda-cupti-dev-13-0", output)
        self.assertIn("pip install nvidia-cuda-cupti", output)
        self.assertIn(f"{self.toolkit}/extras/CUPTI/include", output)
        self.assertIn(f"{self.site}/nvidia/cublas/include", output)
        self.assertNotIn("nvrtc.h was not found", output)
        self.assertNotIn("strata_cuda.dir", (self.tree / "build.ninja").read_text())
        code, output = self.configure("-DSTRATA_WITH_CUDA=ON")
        self.assertNotEqual(code, 0, output)
        self.assertIn("STRATA_WITH_CUDA is ON, but the plug-in cannot be built.", output)
        self.assertIn("cupti.h was not found.", output)
        # A copy that ./dev gpu-pack took along is the last resort
        fallback = self.folder / "pack"
        self.put("cupti.h", fallback)
        code, output = self.configure(f"-DSTRATA_NVIDIA_FALLBACK={fallback}")
        self.assertEqual(code, 0, output)
        self.assertEqual(self.setting("STRATA_WITH_CUDA"), "ON", output)
        self.assertEqual(self.setting("STRATA_CUPTI_INCLUDE"), str(fallback))

    def test_kernels_are_compiled_for_the_cards_of_the_machine(self):
        for header, _, package, _ in PACKAGES:
            self.put(header, self.site / "nvidia" / package / "include")
        # 6.1 is unknown to nvcc
        self.tool("nvidia-smi", "printf '9.0\\n8.0\\n6.1\\n9.0\\n[N/A]\\n'")
        code, output = self.configure()
        self.assertEqual(code, 0, output)
        self.assertEqual(self.setting("STRATA_CUDA_ARCHITECTURES"), "80;90")
        self.assertIn("arch=compute_90,code=sm_90", (self.tree / "build.ninja").read_text())
        code, output = self.configure("-DSTRATA_CUDA_ARCHITECTURES=89")
        self.assertEqual(code, 0, output)
        self.assertEqual(self.setting("STRATA_CUDA_ARCHITECTURES"), "89")
        self.tool("nvidia-smi", "echo 'NVIDIA-SMI has failed'; exit 9")
        self.configure()
        self.assertEqual(self.setting("STRATA_CUDA_ARCHITECTURES"), "75")


if __name__ == "__main__":
    if TOOLKIT is None:
        print("tst_cuda_headers.py: skipped, because the CUDA Toolkit is absent")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
