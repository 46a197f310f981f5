"""The ioquake3 client with OpenArena's data, under Xvfb with software OpenGL: pictures of maps from given eyes.

Started once for each map. What makes its pictures comparable is in SETTINGS: the whole picture is the map, light is
neither moved by effects nor by gamma of the screen (in a window the engine has no overbright bits of the screen, so it
brightens lightmaps by two bits and cuts off by hue, as `render` does), textures have all texels, and curves are fine."""
import os
import re
import shutil
import signal
import subprocess
import time

from e2e import Skip, check

ENGINE = "/usr/lib/ioquake3/ioquake3"
BASE = "/usr/lib/openarena"
EYE_OF_PLAYER = 26  # above its origin
EYE = EYE_OF_PLAYER + 1  # above the place that setviewpos is given

SETTINGS = {
    # on this machine alone
    "com_legacyprotocol": 71, "com_protocol": 71, "net_enabled": 1, "net_ip": "127.0.0.1", "sv_master1": "", "sv_master2": "",
    "sv_master3": "", "sv_master4": "", "sv_master5": "", "cl_motd": 0, "sv_pure": 0, "bot_enable": 0, "g_gametype": 0,
    "g_doWarmup": 0, "com_hunkMegs": 512, "com_zoneMegs": 64, "com_pipefile": "cmd", "com_ansiColor": 0,
    "com_introplayed": 1, "com_maxfps": 30, "s_initsound": 0, "in_nograb": 1, "in_mouse": 0, "in_joystick": 0,
    "sv_maxclients": 4, "g_teamAutoJoin": 0,
    "cl_shownet": -2,  # the log has the changes of the player, exactly
    # the map and nothing else
    "cg_draw2D": 0, "cg_drawGun": 0, "cg_drawFPS": 0, "con_notifytime": 0, "cg_fov": 90, "cg_marks": 0, "cg_shadows": 0,
    "cg_drawCrosshair": 0, "cg_simpleItems": 0, "cg_viewsize": 100,
    # its light and its textures as they are stored
    "cl_renderer": "opengl1", "r_fullscreen": 0, "r_mode": -1, "r_allowResize": 0, "r_swapInterval": 0, "r_picmip": 0,
    "r_dynamiclight": 0, "r_flares": 0, "r_gamma": 1, "r_intensity": 1, "r_overBrightBits": 0, "r_mapOverBrightBits": 2,
    "r_vertexLight": 0, "r_fastsky": 0, "r_detailtextures": 1, "r_subdivisions": 1, "r_lodBias": -2, "r_lodCurveError": 10000,
    "r_ext_compressed_textures": 0, "r_texturebits": 32, "r_colorbits": 24, "r_textureMode": "GL_LINEAR_MIPMAP_LINEAR",
    "r_ext_texture_filter_anisotropic": 0, "r_screenshotJpegQuality": 100,
}


def need():
    missing = [name for name in (ENGINE, os.path.join(BASE, "baseoa")) if not os.path.exists(name)]
    missing += [name for name in ("Xvfb", "convert") if not shutil.which(name)]
    if missing:
        raise Skip(f"no {', '.join(missing)} (packages openarena, ioquake3, xvfb, imagemagick)")
    version = subprocess.run(["convert", "-version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if b"ImageMagick" not in version.stdout:
        raise Skip("no ImageMagick")


class Client:
    """A running client in a map of the game. Use it in a `with`."""

    def __init__(self, name, folder, size=(512, 384), seconds=180):
        self.name, self.folder, self.size = name, folder, size
        self.game = os.path.join(folder, "baseoa")
        self.log = os.path.join(folder, "log")
        self.deadline = time.monotonic() + seconds
        self.screen = self.engine = None

    def __enter__(self):
        os.makedirs(self.game, exist_ok=True)
        settings = {**SETTINGS, "r_customwidth": self.size[0], "r_customheight": self.size[1],
                    "net_port": 28000 + os.getpid() % 2000}
        with open(os.path.join(self.game, "autoexec.cfg"), "w", encoding="utf-8") as file:
            file.writelines(f'set {key} "{value}"\n' for key, value in settings.items())
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        read_end, write_end = os.pipe()
        width, height = self.size
        self.screen = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-screen", "0", f"{width}x{height}x24", "-nolisten",
                                        "tcp"], pass_fds=[write_end], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write_end)
        with os.fdopen(read_end) as file:
            display = file.readline().strip()
        check(display, "Xvfb did not start")
        known = {key: value for key, value in os.environ.items() if key not in ("WAYLAND_DISPLAY", "XAUTHORITY")}
        known.update(DISPLAY=":" + display, LIBGL_ALWAYS_SOFTWARE="1", GALLIUM_DRIVER="llvmpipe", SDL_AUDIODRIVER="dummy")
        command = [ENGINE]
        for key, value in {"com_basegame": "baseoa", "fs_basepath": BASE, "fs_homepath": self.folder, "ttycon": 0, "vm_game": 0,
                           "vm_cgame": 0, "vm_ui": 0, "net_enabled": 1, "net_ip": "127.0.0.1", "dedicated": 0}.items():
            command += ["+set", key, str(value)]
        with open(self.log, "wb") as log:
            self.engine = subprocess.Popen(command + ["+devmap", self.name], env=known, stdin=subprocess.DEVNULL, stdout=log,
                                           stderr=subprocess.STDOUT)
        self.wait_for(r"entered the game")
        self.say("team free")
        time.sleep(2)
        self.say("noclip")

    def stop(self):
        for process in (self.engine, self.screen):
            if process and process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    def text(self):
        with open(self.log, "rb") as file:
            return file.read().decode("utf-8", "replace")

    def wait_for(self, pattern, start=0):
        """Until the log has it after `start`; the match."""
        while time.monotonic() < self.deadline:
            found = re.search(pattern, self.text()[start:], re.MULTILINE)
            if found:
                return found
            check(self.engine.poll() is None, f"the engine ended:\n{self.text()[-2000:]}")
            time.sleep(0.1)
        check(False, f"no {pattern!r} in time:\n{self.text()[-2000:]}")
        return None

    def say(self, line):
        """A line for the console."""
        pipe = os.path.join(self.game, "cmd")
        while not os.path.exists(pipe) and time.monotonic() < self.deadline:
            time.sleep(0.1)
        with open(pipe, "w", encoding="utf-8") as file:
            file.write(line + "\n")

    def last(self, field, end):
        """The last value that the log has of a field of the player, before `end`. Only changes are in it, at first from 0."""
        found = re.findall(rf"\b{re.escape(field)}:(-?[0-9.]+)", self.text()[:end])
        return float(found[-1]) if found else 0.0

    def picture(self, eye, yaw, out):
        """Writes a PNG from about an eye that looks level. Returns where it was and when: x y z, and seconds."""
        x, y, z = eye
        self.say(f"setviewpos {x} {y} {z - EYE} {yaw}")
        time.sleep(2)  # the player is pushed when it is placed, and comes to rest
        shot = os.path.join(self.game, "screenshots", "shot.jpg")
        if os.path.exists(shot):
            os.remove(shot)
        start = len(self.text())
        self.say("screenshotJPEG shot")
        self.wait_for(r"Wrote .*shot", start)
        end = len(self.text())
        place = [self.last(f"origin[{axis}]", end) for axis in range(3)]
        seconds = self.last("commandTime", end) / 1000
        while not os.path.exists(shot) or os.path.getsize(shot) == 0:
            time.sleep(0.1)
        time.sleep(0.2)
        # JPEG, because versions of ImageMagick differ in how they turn the engine's TGA files
        done = subprocess.run(["convert", shot, "-define", "png:color-type=2", out], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        check(done.returncode == 0, done.stdout.decode())
        return (place[0], place[1], place[2] + EYE_OF_PLAYER, seconds)
