#!/usr/bin/env python3
"""Our geometry of the maps that come with OpenArena beside the .bsp of their authors: see
quake3_fidelity.py. Their sources may be newer, and the options for light are unknown."""
import quake3_fidelity
from e2e import Suite

quake3_fidelity.main(Suite, ("packs",), "packs")
