# SPDX-License-Identifier: Apache-2.0
"""What gpu_test.py asks the machine: the card, the tools of the CUDA Toolkit, folders of Python's
nvidia packages, and the properties that cuDNN reads from a card.

    card_machine.py N   prints what cuDNN reads from the card with the number N"""
import ctypes
import json
import os
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SIMULATED = "simulated:"
# cuDNN's backend API: CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR and its attributes
DEVICEPROP, DEVICE_ID, JSON_TEXT, TYPE_INT32, TYPE_CHAR = 38, 2700, 2702, 23, 24
MAJOR, MINOR = 75, 76


def nvidia_folders(kind):
    """Returns the folders "lib" or "include" of Python's nvidia packages."""
    roots = [pathlib.Path(folder) / "nvidia" for folder in sys.path if folder]
    return [folder for root in roots for folder in sorted(root.glob(f"*/{kind}"))]


def open_library(name):
    folders = [
        os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/lib64", *nvidia_folders("lib")
    ]  # fmt: skip
    for path in (name, *(f"{folder}/{name}" for folder in folders)):
        try:
            return ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
        except OSError:
            continue
    return None


def find_tool(name):
    """Returns the path of a tool of the CUDA Toolkit, or None."""
    folders = [os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/bin", "/usr/local/cuda/bin"]
    folders += [f"{folder.parent}/bin" for folder in nvidia_folders("lib")]
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(folders))


def simulated_capability(device):
    """Returns the compute capability of a card in the catalogue, such as 90, or None."""
    words = device.removeprefix(SIMULATED).split("*")[0].lower().split()
    cards = json.loads((ROOT / "resources" / "devices.json").read_text())["devices"]
    for card in cards:
        names = card["name"].lower()
        if card["compute_capability"] and all(word in names for word in words):
            return int(card["compute_capability"].replace(".", ""))
    return None


def real_card(device):
    """Returns the compute capability and name of a card such as cuda:0, or a text why not."""
    driver = open_library("libcuda.so.1")
    if driver is None:
        return None, "libcuda.so.1, the driver's library, was not found"
    if result := driver.cuInit(0):
        return None, f"cuInit failed with {result}; `strata doctor` says why"
    ordinal, handle = int(device.partition(":")[2] or 0), ctypes.c_int()
    if driver.cuDeviceGet(ctypes.byref(handle), ordinal):
        return None, f"there is no GPU with the number {ordinal}"
    values = [ctypes.c_int(), ctypes.c_int()]
    for value, attribute in zip(values, (MAJOR, MINOR)):
        driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, handle)
    name = ctypes.create_string_buffer(256)
    driver.cuDeviceGetName(name, 255, handle)
    return 10 * values[0].value + values[1].value, name.value.decode()


def cudnn_properties(ordinal, properties=None):
    """Returns what cuDNN reads from a card, as JSON, and why not if it is None. `properties`: a
    text to read instead of a card, which tests use."""
    for name in ("libcublasLt.so.13", "libnvrtc.so.13"):
        open_library(name)
    cudnn = open_library("libcudnn.so.9")
    if cudnn is None:
        return None, "libcudnn.so.9 was not found"
    descriptor = ctypes.c_void_p()
    if cudnn.cudnnBackendCreateDescriptor(DEVICEPROP, ctypes.byref(descriptor)):
        return None, "this version of cuDNN has no descriptor for properties of cards"
    try:
        if properties is None:
            number = ctypes.c_int32(ordinal)
            result = cudnn.cudnnBackendSetAttribute(
                descriptor, DEVICE_ID, TYPE_INT32, ctypes.c_int64(1), ctypes.byref(number)
            )
        else:
            text = ctypes.create_string_buffer(properties.encode())
            result = cudnn.cudnnBackendSetAttribute(
                descriptor, JSON_TEXT, TYPE_CHAR, ctypes.c_int64(len(text)), text
            )
        result = result or cudnn.cudnnBackendFinalize(descriptor)
        if result:
            return None, f"cuDNN cannot describe the card (status {result})"
        count, room = ctypes.c_int64(), ctypes.create_string_buffer(1 << 20)
        result = cudnn.cudnnBackendGetAttribute(
            descriptor, JSON_TEXT, TYPE_CHAR, ctypes.c_int64(len(room)), ctypes.byref(count), room
        )
        if result:
            return None, f"cuDNN does not print the properties (status {result})"
        return json.loads(room.value.decode()), ""
    finally:
        cudnn.cudnnBackendDestroyDescriptor(descriptor)


if __name__ == "__main__":
    properties_or_none, why = cudnn_properties(int(sys.argv[1]))
    if properties_or_none is None:
        sys.exit(why)
    print(json.dumps(properties_or_none, indent=1))
