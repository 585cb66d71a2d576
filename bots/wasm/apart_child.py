"""The process that compiles a module for `bots.loader.apart`. It limits itself, reads the module from fd 0 and writes the result to fd 1.

The result is ``+`` and the machine code, or ``-`` and an error message.
"""

from __future__ import annotations

import sys

from bots.errors import ModuleError
from bots.limits import limit_reading
from bots.wasm.engine import compile_module
from bots.wasm.interface import check_interface


def main() -> None:
    """Compile the module on standard input and write the result to standard output."""
    wasm = sys.stdin.buffer.read()
    limit_reading(int(sys.argv[-2]), int(sys.argv[-1]))
    try:
        module = compile_module(wasm)
        check_interface(module)
    except ModuleError as error:
        sys.stdout.buffer.write(b"-" + str(error)[:1000].encode())
        return
    except MemoryError:
        sys.exit(1)
    sys.stdout.buffer.write(b"+")
    sys.stdout.buffer.write(module.serialize())
