/* Any bytes as each kind of file that a map may use, in a game in which all of them name each
 * other; and as the entities of the map. */
#include <stdint.h>

#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/io/fs.h"
#include "common/usage/usage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char entities[] =
    "{ \"classname\" \"worldspawn\" \"skyname\" \"a\" }"
    "{ \"classname\" \"x\" \"a\" \"models/a.mdl\" \"b\" \"materials/a.vmt\" \"vscripts\" \"a\" }"
    "{ \"classname\" \"env_soundscape\" \"soundscape\" \"a\" }"
    "{ \"classname\" \"ambient_generic\" \"message\" \"a\" }"
    "{ \"classname\" \"info_particle_system\" \"effect_name\" \"a\" }"
    "{ \"classname\" \"env_speaker\" \"rulescript\" \"scripts/talker/a.txt\" }"
    "{ \"classname\" \"logic_choreographed_scene\" \"SceneFile\" \"scenes/a.vcd\" }";

static const char *const names[] = {"g/materials/a.vmt",
                                    "g/models/a.mdl",
                                    "g/models/a.phy",
                                    "g/models/a.dx90.vtx",
                                    "g/scenes/a.vcd",
                                    "g/scripts/talker/a.txt",
                                    "g/scripts/vscripts/a.nut",
                                    "g/particles/a.pcf",
                                    "g/scripts/propdata.txt",
                                    "g/scripts/soundscapes_m.txt",
                                    "g/maps/m_level_sounds.txt",
                                    "g/scripts/a.txt",
                                    "g/cfg/m.cfg",
                                    "g/resource/overviews/m.txt"};

static void put(struct fs *fs, const char *name, const void *data, size_t size)
{
    if (fs->ops->write(fs, name, data, size) != 0)
        __builtin_trap();
}

static void put_text(struct fs *fs, const char *name, const char *text)
{
    put(fs, name, text, strlen(text));
}

static void walk(struct assets *assets, const struct engine *engine, const void *text, size_t size)
{
    struct bsp bsp = {.engine = engine};
    struct usage usage;
    struct arena arena = {0};
    arrsetlen(bsp.entities, size);
    if (size)
        memcpy(bsp.entities, text, size);
    usage_find(assets, &bsp, NULL, &(struct usage_options){.map = "m"}, &usage);
    for (size_t i = 0; i < arrlenu(usage.files); i++)
        if (usage.files[i].from >= (int64_t)i || !*usage_reason(&usage, i, &arena))
            __builtin_trap();
    usage_free(&usage);
    arena_free(&arena);
    arrfree(bsp.entities);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct fs *fs = fs_memory_new();
    struct env env = {.diag = diag, .fs = fs, .threads = 1};
    struct assets *assets;
    put_text(fs, "g/gameinfo.txt",
             "GameInfo { FileSystem { SearchPaths { game |gameinfo_path|. } } }");
    put_text(fs, "g/scripts/game_sounds_manifest.txt", "m { precache_file scripts/a.txt }");
    put_text(fs, "g/maps/m_particles.txt", "m { file particles/a.pcf }");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put(fs, names[i], data, size);
    if (assets_open(&env, &(struct assets_options){.game = "g"}, &assets) != STATUS_OK)
        __builtin_trap();
    walk(assets, &engine_source, entities, sizeof entities - 1);
    walk(assets, &engine_source, data, size);
    walk(assets, &engine_quake3, data, size);
    assets_free(assets);
    fs_memory_free(fs);
    diag_free(diag);
    return 0;
}
