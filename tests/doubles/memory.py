"""A kernel that lets no process map a file into shared memory, as some file systems do not (Linux, seccomp).

`refuse()` cannot be taken back: it is for a process of the test's own.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct

_MMAP = {"x86_64": 9, "aarch64": 222}
POSSIBLE = platform.system() == "Linux" and platform.machine() in _MMAP

_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06  # linux/bpf_common.h
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000 | errno.EOPNOTSUPP  # linux/seccomp.h
_NUMBER, _FLAGS, _ANONYMOUS_OR_PRIVATE = 0, 16 + 3 * 8, 0x20 | 0x02
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2  # linux/prctl.h


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def refuse() -> None:
    """From now on every mmap of a file with MAP_SHARED fails with EOPNOTSUPP in this process."""
    instructions = (
        (_LOAD, 0, 0, _NUMBER),
        (_EQUAL, 0, 3, _MMAP[platform.machine()]),
        (_LOAD, 0, 0, _FLAGS),
        (_ANY_BIT, 1, 0, _ANONYMOUS_OR_PRIVATE),
        (_RETURN, 0, 0, _FAIL),
        (_RETURN, 0, 0, _ALLOW),
    )
    packed = b"".join(struct.pack("<HBBI", *one) for one in instructions)
    program = _Program(len(instructions), packed)
    libc = ctypes.CDLL(None, use_errno=True)
    done = libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(_SECCOMP, _FILTER, ctypes.byref(program))
    if done != 0:
        raise OSError(ctypes.get_errno(), "prctl")
