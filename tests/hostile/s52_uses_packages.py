"""Reads and writes files, maps them, loads libraries and reaches others through what packages bring."""

import base64
import ctypes
import os

from tests.hostile.harness import TARGETS, attempt

SECRET, FOLDER = TARGETS["secret"], TARGETS["folder"]
IDENTITY = base64.b64decode("CAgSADo3ChAKAXgSAXkiCElkZW50aXR5EgFnWg8KAXgSCgoICAESBAoCCAFiDwoBeRIKCggIARIECgIIAUIECgAQEQ==")


def numpy():
    import numpy

    return numpy


def onnxruntime():
    import onnxruntime

    return onnxruntime


def session(model, **options):
    import onnxruntime

    made = onnxruntime.SessionOptions()
    for name, value in options.items():
        setattr(made, name, value)
    try:
        return onnxruntime.InferenceSession(model, made)
    except Exception as error:  # noqa: BLE001  # its own kinds, which derive from no other
        raise OSError(str(error)) from None


def loads_a_provider():
    try:
        return onnxruntime().register_execution_provider_library("mine", f"{FOLDER}/lib.so")
    except Exception as error:  # noqa: BLE001  # as above
        raise OSError(str(error)) from None


def loads_with_numpy(name):
    from numpy import ctypeslib

    return ctypeslib.load_library(name, "/usr/lib/x86_64-linux-gnu")


def opens_by_the_library_that_numpy_links():
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.open(SECRET.encode(), 0)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "open")
    return os.read(descriptor, 100)


def reads_from_numpy_memory_map():
    return bytes(numpy().memmap(SECRET, mode="r")[:4])


attempt("read the secret with fromfile", lambda: numpy().fromfile(SECRET, dtype="u1").tobytes())
attempt("read the secret with memmap", reads_from_numpy_memory_map)
attempt("read the secret with loadtxt", lambda: numpy().loadtxt(SECRET, dtype=str))
attempt("read the secret with genfromtxt", lambda: numpy().genfromtxt(SECRET, dtype=str))
attempt("read the secret through DataSource", lambda: numpy().lib.npyio.DataSource(None).open(SECRET).read())
attempt("read /etc/passwd with fromfile", lambda: numpy().fromfile("/etc/passwd", dtype="u1").tobytes())
attempt("write with tofile", lambda: numpy().zeros(3).tofile(f"{FOLDER}/left_behind"))
attempt("write with save", lambda: numpy().save("/tmp/left_behind.npy", numpy().zeros(3)))
attempt("write with memmap", lambda: numpy().memmap("/dev/shm/left_behind", mode="w+", shape=(4,)))
attempt("open with libc", opens_by_the_library_that_numpy_links)
attempt("load a library with ctypeslib", lambda: loads_with_numpy("libcrypt"))
attempt("compile with f2py", lambda: os.execv("/usr/bin/cc", ["cc"]))
attempt("load a model from a path", lambda: session(SECRET))
attempt("load a provider", loads_a_provider)
attempt("write a model", lambda: session(IDENTITY, optimized_model_filepath="/tmp/left_behind.onnx"))
