"""The pairs of the corpus: a source, and the BSP that Valve's tools made of it."""
import os

from e2e import check


def own(s, name):
    """The folder of one whose content is all there, or None."""
    return next((group for group in ("generated", "refs") if name + ".vmf" in os.listdir(s.corpus(group))), None)


def stem(s, name):
    """The path of its files without their endings."""
    group = own(s, name)
    if group:
        return os.path.join(s.corpus(group), name)
    folder = next((f for f in sorted(os.listdir(s.corpus("vmf"))) if f.startswith(name + "_")), None)
    check(folder, f"no folder for {name}")
    files = os.listdir(s.corpus("vmf", folder))
    return os.path.join(s.corpus("vmf", folder), next(f[:-4] for f in files if f.endswith(".vmf")))


def names(s):
    """Of all pairs."""
    found = [folder.split("_")[0] for folder in sorted(os.listdir(s.corpus("vmf")))]
    for group in ("generated", "refs"):
        files = sorted(os.listdir(s.corpus(group)))
        found += [file[:-4] for file in files if file.endswith(".vmf") and file[:-4] + ".bsp" in files]
    return found
