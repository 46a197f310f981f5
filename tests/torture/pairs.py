"""Two runs that change one file at the same time, on a file system that seems to have no locks: no
change is lost without a word."""
import os
from errno import ENOLCK

from judge import CODE, Folder
from programs import Program, read

NO_LOCKS = f"lock 1 {1 << 60} error {ENOLCK}"


def pair(inputs):
    """Two commands that add a file each to the same map."""
    return [Program(f"pack {name}", ("brushwork", "pack", "map.bsp", "--store", "--add",
                                     "{source}/added.txt", f"new/{name}.txt"),
                    inputs.map_files("source_lit")) for name in ("first", "second")]


def without_locks(options, inputs, path, table):
    programs = pair(inputs)
    folders = [Folder(options, inputs, path, programs[0]), Folder(options, inputs, path, programs[1])]
    folders[1].counts += ".2"
    for turn in range(100 if options.long else 5):
        folders[0].restore()
        processes = [folder.start(NO_LOCKS) for folder in folders]
        runs = [folder.finish(process) for folder, process in zip(folders, processes)]
        packed = read(os.path.join(path, "map.bsp"))
        for program, run in zip(programs, runs):
            is_there = f"new/{program.name.split()[1]}.txt".encode() in packed
            faults = []
            if is_there != (run.status == 0):
                faults.append(f"status {run.status}, but the file is {'' if is_there else 'not '}there")
            if run.status and not CODE.search(run.err):
                faults.append(f"status {run.status} without an error")
            table.add("two packs at once", "no locks", turn + 1, run.status, faults)
