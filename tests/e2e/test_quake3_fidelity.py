#!/usr/bin/env python3
"""Our compiles of small maps for Quake 3 beside those of q3map2: see quake3_fidelity.py."""
import quake3_fidelity
from e2e import Suite

quake3_fidelity.main(Suite, ("cases", "corpus"), "cases")
