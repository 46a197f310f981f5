#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/assets/assets_lookups.h"
#include "common/assets/assets_options.h"
#include "common/assets/map_catalogue.h"
#include "common/assets/mounts/asset_name.h"
#include "common/assets/mounts/disk_path.h"
#include "common/bsp/codec/format.h"
#include "common/bsp/engine.h"
#include "common/bsp/flags.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/diag/codes/game_folders.def"
#include "common/diag/codes/materials.def"
#include "common/diag/codes/missing_materials.def"
#include "common/diag/codes/vpk.def"
#include "common/text/keyvalues.h"
#include "tests/support/faulty_fs.h"

struct fixture {
    struct env env;
    struct assets *assets;
};

static int setup(void **state)
{
    struct fixture *fixture = memory_zalloc(1, sizeof *fixture);
    fixture->env = (struct env){.diag = diag_new(NULL, NULL), .fs = fs_memory_new(), .threads = 1};
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    assets_free(fixture->assets);
    diag_free(fixture->env.diag);
    fs_memory_free(fixture->env.fs);
    memory_free(fixture);
    return 0;
}

static void add_bytes(struct fixture *fixture, const char *path, const void *data, size_t size)
{
    assert_int_equal(fixture->env.fs->ops->write(fixture->env.fs, path, data, size), 0);
}

static void add(struct fixture *fixture, const char *path, const char *text)
{
    add_bytes(fixture, path, text, strlen(text));
}

/* A 7.0 header of that size, reflectivity 0.25 in each channel. */
static void add_texture(struct fixture *fixture, const char *path, uint16_t width, uint16_t height)
{
    struct bytes vtf = {0};
    bytes_append(&vtf, "VTF\0\7\0\0\0\0\0\0\0\x40\0\0", 16);
    bytes_u16(&vtf, width);
    bytes_u16(&vtf, height);
    bytes_u32(&vtf, 0);
    bytes_u32(&vtf, 1);
    bytes_u32(&vtf, 0);
    for (int i = 0; i < 3; i++)
        bytes_f32(&vtf, 0.25f);
    bytes_fill(&vtf, 0, 8);
    bytes_u32(&vtf, 13);
    bytes_u8(&vtf, 1);
    bytes_fill(&vtf, 0, 7);
    add_bytes(fixture, path, vtf.data, vtf.size);
    bytes_free(&vtf);
}

static enum status open_assets(struct fixture *fixture, const char *game, const char *texdata)
{
    const char *files[] = {texdata};
    struct assets_options options = {
        .game = game, .texdata = files, .texdata_count = texdata ? 1 : 0};
    return assets_open(&fixture->env, &options, &fixture->assets);
}

#define PLAIN_GAME "GameInfo { FileSystem { SearchPaths { Game |gameinfo_path|. } } }"

static void expect_mounts(const struct fixture *fixture, const char *expected)
{
    char got[512] = "";
    for (size_t i = 0; i < assets_mounts(fixture->assets); i++) {
        size_t used = strlen(got);
        snprintf(got + used, sizeof got - used, "%s%s", i ? " " : "",
                 assets_mount(fixture->assets, i));
    }
    assert_string_equal(got, expected);
}

static void expect_file(struct fixture *fixture, const char *name, const char *expected)
{
    struct bytes bytes = {0};
    bool found = assets_read(fixture->assets, name, &bytes);
    assert_int_equal(found, expected != NULL);
    if (expected) {
        assert_int_equal(bytes.size, strlen(expected));
        assert_memory_equal(bytes.data, expected, bytes.size);
    } else {
        assert_int_equal(bytes.size, 0);
    }
    bytes_free(&bytes);
}

static void search_paths(void **state)
{
    struct fixture *f = *state;
    add(f, "root/mod/GameInfo.txt",
        "\"GameInfo\" { GameData x.fgd FileSystem { SearchPaths {\n"
        "game+mod+mod_write |GameInfo_Path|.\n"
        "Game |gameinfo_path|custom/*\n"
        "Game_LV lowviolence\n"
        "gamebin |gameinfo_path|bin\n"
        "Platform+Game |all_source_engine_paths|HL2\n"
        "game ../shared\n"
        "game nothere\n"
        "game C:\\games\\x\n"
        "game |appid_220|hl2\n"
        "game |gameinfo_path|../mod\n"
        "} } }");
    add(f, "root/mod/custom/Beta/a", "b");
    add(f, "root/mod/custom/alpha/a", "a");
    add(f, "root/mod/custom/readme.txt", "");
    add(f, "root/mod/custom/pack.vpk", "");
    add(f, "root/hl2/a", "hl2");
    add(f, "shared/a", "shared");
    add(f, "root/lowviolence/a", "no");
    add(f, "root/mod/bin/a", "no");
    assert_int_equal(open_assets(f, "root/mod/", NULL), STATUS_OK);
    expect_mounts(f, "root/mod root/mod/custom/alpha root/mod/custom/Beta root/hl2 shared");
    /* nothere, C:, appid */
    assert_int_equal(diag_count_code(f->env.diag, DIAG_SEARCH_PATH_SKIPPED), 3);
    assert_int_equal(diag_count_code(f->env.diag, DIAG_VPK_BROKEN), 1); /* it is empty */
    assert_int_equal(diag_count(f->env.diag, DIAG_WARNING), 1);
    expect_file(f, "a", "a");
    assert_string_equal(kv_value(assets_gameinfo(f->assets), "gamedata"), "x.fgd");
    assert_string_equal(assets_game_folder(f->assets), "root/mod");
}

static void gameinfo_itself_may_be_named(void **state)
{
    struct fixture *f = *state;
    add(f, "mod/gameinfo.txt", PLAIN_GAME);
    add(f, "mod/x", "1");
    assert_int_equal(open_assets(f, "mod/gameinfo.txt", NULL), STATUS_OK);
    expect_mounts(f, "mod");
}

static void bad_gameinfo(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(open_assets(f, "nowhere", NULL), STATUS_FAILED);
    assert_null(f->assets);
    add(f, "mod/gameinfo.txt", "Something { else 1 }");
    assert_int_equal(open_assets(f, "mod", NULL), STATUS_FAILED);
    assert_int_equal(diag_count_code(f->env.diag, DIAG_GAMEINFO_MISSING), 2);
    add(f, "mod/gameinfo.txt", "GameInfo { game x }");
    assert_int_equal(open_assets(f, "mod", NULL), STATUS_OK);
    assert_int_equal(diag_count_code(f->env.diag, DIAG_SEARCH_PATHS_MISSING), 1);
    expect_mounts(f, "mod");
}

static void look_up_is_case_blind(void **state)
{
    struct fixture *f = *state;
    add(f, "mod/gameinfo.txt", PLAIN_GAME);
    add(f, "mod/Materials/Dev/Wall.VMT", "1");
    add(f, "mod/materials/dev/floor.vmt", "2");
    add(f, "mod/materials/dev/wall", "3");
    add(f, "secret", "s");
    assert_int_equal(open_assets(f, "mod", NULL), STATUS_OK);
    expect_file(f, "materials\\DEV//.\\wall.vmt", "1");
    expect_file(f, "/materials/dev/FLOOR.vmt", "2");
    expect_file(f, "materials/dev/../dev/floor.vmt", NULL);
    expect_file(f, "../secret", NULL);
    expect_file(f, "materials/dev", NULL);
    expect_file(f, "materials/dev/floor.vmt/x", NULL);
    expect_file(f, "materials/dev/floo", NULL);
    expect_file(f, "", NULL);
    expect_file(f, "C:/x", NULL);
}

static void names(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_string_equal(asset_material_name(&arena, "\\Materials/A//b.VMT "), "a/b");
    assert_string_equal(asset_texture_file(&arena, "/A\\b.tga"), "materials/a/b.vtf");
    assert_null(asset_material_name(&arena, " "));
    assert_null(asset_name(&arena, "a/.."));
    assert_string_equal(asset_name(&arena, "a/..b"), "a/..b");
    static const char *const parents[][2] = {
        {"a/b/", "a"}, {"a", "."}, {".", ".."},  {"..", "../.."}, {"/", "/"},
        {"/a", "/"},   {"", ".."}, {"a/.", "."}, {"a//b", "a"},
    };
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++)
        assert_string_equal(disk_path_parent(&arena, parents[i][0]), parents[i][1]);
    arena_free(&arena);
}

static void precedence(void **state)
{
    struct fixture *f = *state;
    add(f, "mod/gameinfo.txt", PLAIN_GAME);
    add(f, "mod/materials/a/game.vmt", "LightmappedGeneric { $basetexture \\A\\game.vtf }");
    add_texture(f, "mod/materials/a/game.vtf", 256, 64);
    add(f, "cat.tsv",
        "a/game\t16\t16\t16\t16\t1\t1\t1\t0x800\t0x2\t0\t-\n"
        "a/listed\t32\t16\t32\t16\t1\t1\t1\t0x800\t0x1\t0\t-\n"
        "tools/toolsnodraw\t8\t8\t8\t8\t0\t0\t0\t0x4a0\t0x10000\t0\t-\n");
    assert_int_equal(open_assets(f, "mod", "cat.tsv"), STATUS_OK);

    const struct material *m = assets_material(f->assets, "A\\Game");
    assert_int_equal(m->origin, MATERIAL_GAME);
    assert_string_equal(m->name, "A\\Game");
    assert_int_equal(m->width, 256);
    assert_int_equal(m->view_height, 64);
    assert_float_equal(m->reflectivity[2], 0.25, 0);
    assert_int_equal(m->surface_flags, 0);
    assert_ptr_equal(assets_material(f->assets, "a/game.vmt"), m);

    m = assets_material(f->assets, "A/LISTED");
    assert_int_equal(m->origin, MATERIAL_CATALOGUE);
    assert_int_equal(m->width, 32);
    assert_true(m->bump);
    m = assets_material(f->assets, "tools/toolsnodraw");
    assert_int_equal(m->origin, MATERIAL_CATALOGUE);
    assert_int_equal(m->width, 8);
    assert_int_equal(m->surface_flags, 0x4a0);
    assert_int_equal(m->contents, CONTENTS_SOLID);
    m = assets_material(f->assets, "TOOLS/TOOLSCLIP");
    assert_int_equal(m->origin, MATERIAL_BUILT_IN);
    assert_string_equal(m->name, "TOOLS/TOOLSCLIP");
    assert_int_equal(diag_entries(f->env.diag), 0);

    for (int i = 0; i < 2; i++)
        m = assets_material(f->assets, "no/such");
    assert_int_equal(m->origin, MATERIAL_MISSING);
    assert_int_equal(m->width, 512);
    assert_int_equal(m->contents, CONTENTS_SOLID);
    assert_int_equal(diag_count_code(f->env.diag, DIAG_MATERIAL_MISSING), 1);
    assert_int_equal(assets_material(f->assets, "../x")->origin, MATERIAL_MISSING);
    assert_int_equal(assets_material(f->assets, "")->origin, MATERIAL_MISSING);
}

static void the_map_says_what_materials_are(void **state)
{
    struct fixture *f = *state;
    add(f, "mod/gameinfo.txt", PLAIN_GAME);
    add(f, "mod/materials/a/game.vmt", "LightmappedGeneric { $basetexture x }");
    add(f, "cat.tsv",
        "a/listed\t32\t16\t32\t16\t1\t1\t1\t0x800\t0x1\t0\t-\n"
        "tools/toolsskip\t8\t8\t8\t8\t0\t0\t0\t0x4a0\t0x10000\t0\t-\n");
    add(f, "maps/m.materials.tsv",
        "#material\n"
        "a/game\t-\t-\t-\t-\t-\t-\t-\t0x10\t0x2\t0\t-\n"
        "a/listed\t-\t-\t-\t-\t-\t-\t-\t0x10\t0x2\t0\t-\n"
        "Dev/Dev_MeasureWall01a\t-\t-\t-\t-\t-\t-\t-\t-\t0x8\t0\t-\n"
        "dev/dev_measurerails01\t-\t-\t-\t-\t-\t-\t-\t0x0\t0x1\t0\t-\n"
        "tools/toolsnodraw\t-\t-\t-\t-\t-\t-\t-\t0x480\t0x10000\t0\t-\n"
        "glass/wall\t64\t64\t64\t64\t0.5\t0.5\t0.5\t0x0\t0x1\t0\t-\n"
        "bad row\n");
    add(f, "maps/materials.tsv", "");
    add(f, "other/materials.tsv", "");
    struct arena arena = {0};
    assert_null(map_catalogue_find(&f->env, &arena, "-"));
    assert_null(map_catalogue_find(&f->env, &arena, "m.vmf"));
    assert_string_equal(map_catalogue_find(&f->env, &arena, "other/m.vmf"), "other/materials.tsv");
    assert_string_equal(map_catalogue_find(&f->env, &arena, "maps/n.vmf"), "maps/materials.tsv");
    const char *files[] = {"cat.tsv"};
    struct assets_options options = {.game = "mod",
                                     .texdata = files,
                                     .texdata_count = 1,
                                     .map_catalogue =
                                         map_catalogue_find(&f->env, &arena, "maps/m.vmf")};
    assert_string_equal(options.map_catalogue, "maps/m.materials.tsv");
    assert_int_equal(assets_open(&f->env, &options, &f->assets), STATUS_OK);
    assert_int_equal(diag_count_code(f->env.diag, DIAG_MAP_CATALOGUE), 1);
    assert_int_equal(diag_count_code(f->env.diag, DIAG_TEXDATA_ROW), 1);
    static const struct {
        const char *name;
        int contents, flags;
        bool translucent;
    } rows[] = {
        {"a/game", CONTENTS_SOLID, 0, false}, /* the game's own content counts first */
        {"a/listed", CONTENTS_SOLID, SURFACE_BUMPLIGHT, false}, /* then --texdata */
        {"dev/dev_measurewall01a", CONTENTS_GRATE, 0, true},
        {"dev/dev_measurerails01", CONTENTS_SOLID, 0, false},
        {"tools/toolsnodraw", CONTENTS_PLAYERCLIP, SURFACE_NODRAW | SURFACE_NOLIGHT, false},
        {"glass/wall", CONTENTS_SOLID, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct material *m = assets_material(f->assets, rows[i].name);
        assert_int_equal(m->contents, rows[i].contents);
        assert_int_equal(m->surface_flags, rows[i].flags);
        assert_int_equal(m->translucent, rows[i].translucent);
        assert_false(m->guessed);
    }
    assert_int_equal(assets_material(f->assets, "tools/toolsskip")->contents, 0);
    arena_free(&arena);
}

static void looks_of_game_materials(void **state)
{
    struct fixture *f = *state;
    add(f, "mod/gameinfo.txt", PLAIN_GAME);
    add_texture(f, "mod/materials/n.vtf", 32, 16);
    add(f, "mod/materials/water.vmt", "Water { %compilewater 1 $normalmap n }");
    add(f, "mod/materials/bare.vmt", "Water { %compilewater 1 $basetexture _rt_x }");
    add(f, "mod/materials/own.vmt",
        "LightmappedGeneric { $basetexture n $reflectivity \"[.5 0 1]\" }");
    add(f, "mod/materials/own255.vmt",
        "LightmappedGeneric { $basetexture n $reflectivity \"{255 0 51}\" }");
    add(f, "mod/materials/lost.vmt", "LightmappedGeneric { $basetexture gone }");
    add(f, "mod/materials/dev/graygrid.vmt", "LightmappedGeneric { $basetexture gone }");
    add(f, "mod/materials/patched.vmt",
        "patch { include materials/OWN.vmt insert { $translucent 1 } }");
    assert_int_equal(open_assets(f, "mod", NULL), STATUS_OK);

    const struct material *m = assets_material(f->assets, "water");
    assert_int_equal(m->width, 32);
    assert_float_equal(m->reflectivity[0], 0.2, 0);
    m = assets_material(f->assets, "bare");
    assert_int_equal(m->width, 128);
    m = assets_material(f->assets, "own");
    assert_float_equal(m->reflectivity[0], 0.5, 0);
    m = assets_material(f->assets, "own255");
    assert_float_equal(m->reflectivity[2], 0.2, 1e-12);
    m = assets_material(f->assets, "dev/graygrid");
    assert_int_equal(m->origin, MATERIAL_GAME);
    assert_int_equal(m->width, 256);
    m = assets_material(f->assets, "patched");
    assert_int_equal(m->height, 16);
    assert_int_equal(m->contents, CONTENTS_WINDOW);
    assert_int_equal(diag_entries(f->env.diag), 0);
    m = assets_material(f->assets, "lost");
    assert_int_equal(m->height, 512);
    assert_int_equal(diag_count_code(f->env.diag, DIAG_TEXTURE_MISSING), 1);
}

/* The game folder of the generated maps, compared with the maps that Valve's tools made of it. */

struct map {
    struct bytes bsp;
    const char *name;
};

static const unsigned char *lump(const struct map *map, int number, int *count, uint32_t size)
{
    const unsigned char *entry = map->bsp.data + 8 + 16 * number;
    uint32_t offset = load_u32(entry), length = load_u32(entry + 4);
    assert_true(offset <= map->bsp.size && length <= map->bsp.size - offset);
    *count = (int)(length / size);
    return map->bsp.data + offset;
}

/* Returns a texinfo's record in lump 2, and its name. */
static const unsigned char *texdata_of(const struct map *map, int texinfo, const char **name)
{
    int count, names;
    const unsigned char *texinfos = lump(map, 6, &count, 72);
    uint32_t number = load_u32(texinfos + 72 * texinfo + 68);
    const unsigned char *record = lump(map, 2, &count, 32) + 32 * number;
    const unsigned char *table = lump(map, 44, &names, 4);
    *name = (const char *)lump(map, 43, &count, 1) + load_u32(table + 4 * load_u32(record + 12));
    return record;
}

static int check_texinfos(struct assets *assets, const struct map *map)
{
    int count, checked = 0;
    const unsigned char *texinfos = lump(map, 6, &count, 72);
    for (int i = 0; i < count; i++) {
        const char *name;
        const unsigned char *record = texdata_of(map, i, &name);
        if (str_starts_nocase(name, "maps/"))
            continue;
        const struct material *m = assets_material(assets, name);
        if (m->origin == MATERIAL_MISSING)
            continue; /* in a folder mounted over the game for that map */
        int flags = (int)load_u32(texinfos + 72 * i + 64) & ~SURFACE_LIGHT;
        assert_int_equal(m->origin, MATERIAL_GAME);
        if (m->surface_flags != flags || m->width != (int)load_u32(record + 16) ||
            m->height != (int)load_u32(record + 20))
            fail_msg("%s: %s: flags 0x%x, not 0x%x; size %d x %d", map->name, name,
                     m->surface_flags, flags, m->width, m->height);
        for (int k = 0; k < 3; k++)
            assert_float_equal(m->reflectivity[k], load_f32(record + 4 * k), 1e-6);
        checked++;
    }
    return checked;
}

/* Checks the contents of brushes whose sides all have one drawn material: compilers give the sides
 * of others a texinfo of another material with the same flags. */
static int check_brushes(struct assets *assets, const struct map *map)
{
    int brushes, sides, checked = 0;
    const unsigned char *brush = lump(map, 18, &brushes, 12), *side = lump(map, 19, &sides, 8);
    const int entity = CONTENTS_DETAIL | CONTENTS_TRANSLUCENT | CONTENTS_LADDER;
    for (int i = 0; i < brushes; i++, brush += 12) {
        const char *first = NULL;
        bool one = true;
        int from = (int)load_u32(brush), contents = (int)load_u32(brush + 8) & ~entity;
        for (int k = from; k < from + (int)load_u32(brush + 4); k++) {
            const char *name;
            if (side[8 * k + 6])
                continue; /* a bevel */
            texdata_of(map, load_u16(side + 8 * k + 2), &name);
            one &= !first || strcmp(first, name) == 0;
            first = name;
        }
        if (!first || !one || str_starts_nocase(first, "maps/"))
            continue;
        const struct material *m = assets_material(assets, first);
        if (m->origin != MATERIAL_GAME || (m->surface_flags & SURFACE_NODRAW))
            continue;
        if ((m->contents & ~entity) != contents)
            fail_msg("%s: %s: contents 0x%x, not 0x%x", map->name, first, m->contents, contents);
        checked++;
    }
    return checked;
}

static void generated_game(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {
        "generated/big", "generated/mid", "generated/ents", "refs/plain",  "refs/water",
        "refs/portal",   "refs/texlight", "refs/disp",      "refs/detail", "generated/pillars9"};
    struct env env = {.diag = f->env.diag, .fs = fs_disk(), .threads = 1};
    struct assets_options options = {.game = SHARED_DIR "/corpus/generated/game"};
    if (fs_disk()->ops->kind(fs_disk(), options.game) != FS_DIRECTORY) {
        print_message("skipped: no corpus\n");
        skip();
    }
    assert_int_equal(assets_open(&env, &options, &f->assets), STATUS_OK);
    int texinfos = 0, brushes = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        snprintf(path, sizeof path, SHARED_DIR "/corpus/%s.bsp", names[i]);
        struct map map = {.name = names[i]};
        assert_int_equal(fs_disk()->ops->read(fs_disk(), path, &map.bsp), 0);
        texinfos += check_texinfos(f->assets, &map);
        brushes += check_brushes(f->assets, &map);
        bytes_free(&map.bsp);
    }
    assert_true(texinfos > 100);
    assert_true(brushes > 1000);
}

static void real_gameinfos(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *name;
        const char *mounts;
    } cases[] = {
        {"portalcollab", "root/mod root/hl2 root/platform"},
        {"ricochet-sourcemod", "root/mod root/hl2mp root/hl2"},
        {"whohl2mod", "root/mod root/hl2 root/platform"},
        {"Play-Me", "root/mod root/hl2 root/platform"},
        {"Malignant-Metro", "root/mod root/hl2mp root/hl2 root/platform"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[512];
        snprintf(path, sizeof path, SHARED_DIR "/corpus/assets/scripts/gameinfo_%s.txt",
                 cases[i].name);
        struct bytes text = {0};
        if (fs_disk()->ops->read(fs_disk(), path, &text) != 0) {
            print_message("skipped: no corpus\n");
            skip();
        }
        add_bytes(f, "root/mod/gameinfo.txt", text.data, text.size);
        bytes_free(&text);
        static const char *const folders[] = {"hl2", "hl2mp", "platform"};
        for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
            snprintf(path, sizeof path, "root/%s/x", folders[k]);
            add(f, path, "");
        }
        assert_int_equal(open_assets(f, "root/mod", NULL), STATUS_OK);
        expect_mounts(f, cases[i].mounts);
        assets_free(f->assets);
        f->assets = NULL;
    }
}

/* Of a search path of the command line, whichever look at it fails. */
static void unreadable_search_paths_are_reported(void **state)
{
    struct fixture *f = *state;
    const char *const paths[] = {"extra"};
    const struct assets_options options = {.search_paths = paths, .search_path_count = 1};
    add(f, "extra/materials/a.vmt", "LightmappedGeneric { }");
    for (long at = 1;; at++) {
        struct faulty_fs faulty = faulty_fs(f->env.fs, EIO);
        struct env env = f->env;
        struct assets *assets = NULL;
        faulty.fails_at = at;
        env.fs = &faulty.base;
        env.diag = diag_new(NULL, NULL);
        enum status status = diag_verdict(env.diag, assets_open(&env, &options, &assets));
        assert_int_equal(status, faulty.failed ? STATUS_FAILED : STATUS_OK);
        assets_free(assets);
        diag_free(env.diag);
        if (!faulty.failed)
            break;
    }
}

/* A fault is told once: later questions are answered in silence, and names are listed again. */
static void names_that_were_asked_for(void **state)
{
    struct fixture *f = *state;
    struct bytes all = {0}, since = {0};
    add(f, "game/gameinfo.txt",
        "GameInfo { FileSystem { SearchPaths { Game |gameinfo_path|. } } }");
    add(f, "game/materials/there.vmt", "LightmappedGeneric { $basetexture there }");
    add_texture(f, "game/materials/there.vtf", 64, 64);
    assert_int_equal(open_assets(f, "game", NULL), STATUS_OK);
    (void)assets_material(f->assets, "there");
    assert_false(assets_has_reported(f->assets));
    (void)assets_material(f->assets, "absent");
    assert_true(assets_has_reported(f->assets));
    assets_begin_names(f->assets);
    (void)assets_material(f->assets, "there");
    assets_append_names(f->assets, &all);
    assets_append_names_since(f->assets, &since);
    struct byte_reader reader = byte_reader(all.data, all.size);
    assert_int_equal(read_u32(&reader), 2);
    reader = byte_reader(since.data, since.size);
    assert_int_equal(read_u32(&reader), 1);
    assert_int_equal(diag_count_code(f->env.diag, DIAG_MATERIAL_MISSING), 1);
    bytes_free(&all);
    bytes_free(&since);
}

/* One that is held is told by whoever releases it. */
static void held_materials_count_as_told(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(open_assets(f, NULL, NULL), STATUS_OK);
    assets_hold_missing(f->assets);
    (void)assets_material(f->assets, "absent");
    assert_false(assets_has_reported(f->assets));
    const struct material **missing = assets_release_missing(f->assets);
    assert_int_equal(arrlen(missing), 1);
    arrfree(missing);
    assert_true(assets_has_reported(f->assets));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* --- assets options --- */

static void options_come_back_from_their_bytes(void **state)
{
    static const char *const paths[] = {"one", "", "three"}, *const parms[] = {"custom"};
    const struct assets_options options = {
        .game = "hl2",
        .search_paths = paths,
        .search_path_count = 3,
        .forbidden = paths + 1,
        .forbidden_count = 2,
        .has_shaders = true,
        .parms = {parms, 1, true, bsp_format_find("ja")->engine}};
    struct bytes bytes = {0}, again = {0};
    struct arena arena = {0};
    struct assets_options read;
    (void)state;
    assets_options_write(&options, &bytes);
    struct byte_reader from = byte_reader(bytes.data, bytes.size);
    assert_true(assets_options_read(&from, &arena, &read));
    assert_false(from.failed);
    assert_int_equal(from.at, from.size);
    assert_string_equal(read.game, "hl2");
    assert_null(read.base_game);
    assert_int_equal(read.search_path_count, 3);
    assert_string_equal(read.search_paths[2], "three");
    assert_string_equal(read.search_paths[1], "");
    assert_int_equal(read.texdata_count, 0);
    assert_true(read.has_shaders && !read.sizes_only && read.parms.custom);
    assert_ptr_equal(read.parms.engine, bsp_format_find("ja")->engine);
    assert_string_equal(read.parms.all[0], "custom");
    assets_options_write(&read, &again);
    assert_true(bytes_equal(&bytes, &again));
    bytes_free(&again);
    for (size_t size = 0; size < bytes.size; size++) { /* cut short */
        from = byte_reader(bytes.data, size);
        assert_false(assets_options_read(&from, &arena, &read));
    }
    bytes_free(&bytes);
    arena_free(&arena);
}

SUITE(test_assets)
{
    const struct CMUnitTest tests[] = {
        TEST(search_paths),
        TEST(unreadable_search_paths_are_reported),
        TEST(gameinfo_itself_may_be_named),
        TEST(bad_gameinfo),
        TEST(look_up_is_case_blind),
        TEST(names),
        TEST(precedence),
        TEST(the_map_says_what_materials_are),
        TEST(looks_of_game_materials),
        TEST(names_that_were_asked_for),
        TEST(held_materials_count_as_told),
        TEST(generated_game),
        TEST(real_gameinfos),
        cmocka_unit_test(options_come_back_from_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
