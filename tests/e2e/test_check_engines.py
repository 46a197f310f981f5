#!/usr/bin/env python3
"""scripts/check_modules finds code that asks which engine or container it has, and nothing else."""
import importlib.machinery
import importlib.util
import os
import sys

from e2e import Suite, check

suite = Suite()

ASKS = [
    "return bsp->engine == &engine_quake3;",
    "return &engine_source != bsp->engine;",
    "if (bsp->engine->family != ENGINE_SOURCE)",
    "return a->engine->family == b->engine->family;",
    "bool other = ENGINE_QUAKE3 == family;",
    "switch (bsp->engine->family) {",
    "case ENGINE_SOURCE:",
    "return container->kind == &container_ibsp;",
    "if (archive->container.kind != kind)",
    'return strcmp(bsp->engine->name, "Quake 3") == 0;',
    'return str_equal_nocase(format->target, "quake3");',
]
ASKS_NOTHING = [
    "return lit->engine == bsp->engine;",
    "return family < ENGINE_FAMILIES ? targets[family] : NULL;",
    "[ENGINE_SOURCE] = &vbsp_target_source,",
    "drawer.bsp->engine = &engine_quake3;",
    "const struct engine *engine = vmf ? &engine_source : &engine_quake3;",
    "settings->target = engine_of_level(files->level)->target;",
    "status = container_open(data, size, path, diag, &container) == STATUS_OK;",
    'if (strcmp(a->format->target, b->format->target) != 0) { report("target"); }',
]


def load(source):
    scripts = os.path.join(source, "scripts")
    sys.path.insert(0, scripts)
    loader = importlib.machinery.SourceFileLoader("check_modules", os.path.join(scripts, "check_modules"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_modules", loader))
    loader.exec_module(module)
    return module


@suite.case
def comparisons_are_found(s, folder):
    asks = load(s.options.source).questions(["source", "quake3"])
    for line in ASKS:
        check(asks.search(line), f"not found: {line}")
    for line in ASKS_NOTHING:
        check(not asks.search(line), f"found: {line}")


suite.main()
