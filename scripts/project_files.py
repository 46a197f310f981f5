"""The files of the checkout, for the check_ scripts."""
import os

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def project_files():
    """Paths of all files relative to TOP, sorted, except those of git and of builds."""
    found = []
    for folder, below, names in os.walk(TOP):
        below[:] = [name for name in below if name != "__pycache__"]
        if folder == TOP:
            below[:] = [name for name in below if name not in (".git", "build")]
        found += [os.path.relpath(os.path.join(folder, name), TOP) for name in names]
    return sorted(found)
