"""What a file or folder is mounted from, as Linux tells it, and which of that lies on other machines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc/self")
_NETWORK = frozenset(
    (
        *("9p", "afs", "beegfs", "ceph", "cifs", "coda", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4"),
        *("ocfs2", "orangefs", "prl_fs", "pvfs2", "smb3", "smbfs", "vboxsf", "vmhgfs"),
        # through FUSE, where Linux puts `fuse.` before the name
        *("blobfuse", "blobfuse2", "ceph-fuse", "curlftpfs", "davfs", "gcsfuse", "goofys", "juicefs", "mfs"),
        *("moosefs", "mount-s3", "rclone", "s3fs", "s3ql", "seaweedfs", "smbnetfs", "sshfs", "vmhgfs-fuse"),
    )
)
"""Also those of several machines on one disk: SQLite's write-ahead log needs the shared memory of one machine."""


class Mount(NamedTuple):
    """A mount by its number in the process's list, and the type of its file system, such as `ext4` or `fuse.sshfs`."""

    number: str
    kind: str

    @property
    def is_network(self) -> bool:
        return self.kind.removeprefix("fuse.") in _NETWORK


def mount_of(path: Path) -> Mount | None:
    """The mount that an existing file or folder lies on; None where the system does not tell. Raises OSError."""
    if not (_PROC / "mountinfo").exists():
        return None
    # Asked of what is opened: mounts may hide each other. O_DIRECTORY has an automounter mount what is not yet there,
    # and O_PATH opens nothing that closing could take SQLite's locks from.
    descriptor = os.open(path, os.O_PATH | (os.O_DIRECTORY if path.is_dir() else 0))
    try:
        fdinfo = (_PROC / "fdinfo" / str(descriptor)).read_text(encoding="utf-8")
    finally:
        os.close(descriptor)
    return mount(fdinfo, (_PROC / "mountinfo").read_text(encoding="utf-8", errors="replace"))


def mount(fdinfo: str, mountinfo: str) -> Mount | None:
    """The mount that an open file's `fdinfo` names; None where it names none that is listed.

    Both are files of Linux: https://docs.kernel.org/filesystems/proc.html, sections 3.8 and 3.5.
    """
    number = next((line.partition(":")[2].strip() for line in fdinfo.splitlines() if line.startswith("mnt_id:")), None)
    for line in mountinfo.split("\n"):
        about, _, source = line.partition(" - ")
        if number and about.partition(" ")[0] == number and source:
            return Mount(number, source.partition(" ")[0])
    return None
