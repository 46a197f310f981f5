"""What `cmake --install` leaves of the build that is tested, in a folder."""
import os
import shutil
import subprocess

from e2e import Skip, check


def call(*command, cwd=None, env=None):
    return subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, text=True)


def build_folder(s):
    folder = os.path.dirname(s.options.bin)
    if not shutil.which("cmake") or not os.path.exists(os.path.join(folder, "CMakeCache.txt")):
        raise Skip(f"no cmake, or no build in {folder}")
    return folder


def install(s, folder, *arguments):
    """Installs below the prefix /usr of a folder, and returns that /usr."""
    done = call("cmake", "--install", build_folder(s), "--prefix", "/usr", *arguments,
                env={**os.environ, "DESTDIR": folder})
    check(done.returncode == 0, done.stdout)
    return os.path.join(folder, "usr")


def files_of(folder):
    return sorted(os.path.relpath(os.path.join(path, name), folder)
                  for path, _, names in os.walk(folder) for name in names)
