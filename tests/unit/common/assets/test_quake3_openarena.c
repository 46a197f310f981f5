/* Tests with the data of a real game, if it is installed. */
#include "tests/support/suite.h"

#include <stdio.h>

#include "common/assets/assets.h"
#include "common/assets/textures/image.h"
#include "common/core/array.h"
#include "common/diag/codes/shaders.def"
#include "tests/support/quake3_game.h"

static int open_game(void **state)
{
    struct quake3_game *game = memory_zalloc(1, sizeof *game);
    const struct assets_options options = {.game = "openarena", .sizes_only = true};
    game->env = (struct env){.diag = diag_new(NULL, NULL), .fs = fs_disk(), .threads = 1};
    *state = game;
    if (assets_open(&game->env, &options, &game->assets) != STATUS_OK)
        game->assets = NULL;
    return 0;
}

static int close_game(void **state)
{
    struct quake3_game *game = *state;
    assets_free(game->assets);
    diag_free(game->env.diag);
    memory_free(game);
    return 0;
}

static void need(const struct quake3_game *game)
{
    if (!game->assets) {
        print_message("skipped: OpenArena is not installed\n");
        skip();
    }
}

struct names {
    struct {
        char *key;
        bool value;
    } *set;
};

static void add_name(void *context, const char *name)
{
    struct names *names = context;
    shput(names->set, name, true);
}

static struct names list_names(const struct quake3_game *game, const char *folder)
{
    struct names names = {0};
    sh_new_strdup(names.set);
    assets_list(game->assets, folder, add_name, &names);
    return names;
}

static void scripts_are_all_read(void **state)
{
    struct quake3_game *game = *state;
    need(game);
    struct names scripts = list_names(game, "scripts");
    int count = 0;
    for (ptrdiff_t i = 0; i < shlen(scripts.set); i++)
        count += strlen(scripts.set[i].key) > 7 &&
                 strcmp(scripts.set[i].key + strlen(scripts.set[i].key) - 7, ".shader") == 0;
    shfree(scripts.set);
    assert_int_equal(count, 120);
    const struct shader *s = assets_shader(game->assets, "textures/common/clip");
    assert_true(s->has_script);
    assert_string_equal(s->file, "scripts/common.shader");
    assert_int_equal(s->contents, Q3_CONTENTS_PLAYERCLIP);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SHADER_SCRIPT), 0);
    /* In a pack, not in the lists. */
    s = assets_shader(game->assets, "textures/akom_sky/akomstars2");
    assert_true(s->has_script);
    assert_int_equal(arrlenu(s->suns), 1);
    assets_report_shaders(game->assets, game->env.diag);
    assert_int_equal(diag_count_code(game->env.diag, DIAG_SHADER_UNLISTED), 1);
}

struct tally {
    int names, agree;
};

/* The shaders of a map as shipped with the game; brushes add the detail bit, the compiler does not
 * write `skip`, and old ones had one bit for surfaces without a lightmap where new ones have
 * two. */
static void compare_shaders(struct quake3_game *game, const struct bytes *map, struct tally *tally)
{
    const int blind = Q3_SURFACE_SKIP | Q3_SURFACE_POINTLIGHT;
    if (map->size < 24)
        return;
    size_t offset = load_u32(map->data + 16), size = load_u32(map->data + 20);
    for (size_t at = offset; at + 72 <= offset + size && at + 72 <= map->size; at += 72) {
        char name[65] = "";
        memcpy(name, map->data + at, 64);
        const struct shader *s = assets_shader(game->assets, name);
        int surface = (int)load_u32(map->data + at + 64);
        int contents = (int)load_u32(map->data + at + 68);
        tally->names++;
        tally->agree += (s->surface_flags & ~blind) == (surface & ~blind) &&
                        s->contents == (contents & ~Q3_CONTENTS_DETAIL);
    }
}

/* Maps of several years and versions of the compiler, against scripts of the last release: most
 * must agree, and all of some maps. */
static void shipped_maps_have_these_flags(void **state)
{
    struct quake3_game *game = *state;
    need(game);
    struct names maps = list_names(game, "maps");
    struct tally all = {0, 0};
    int whole = 0, bsps = 0;
    for (ptrdiff_t i = 0; i < shlen(maps.set); i++) {
        char name[256];
        struct bytes map = {0};
        struct tally one = {0, 0};
        snprintf(name, sizeof name, "maps/%s", maps.set[i].key);
        if (strstr(name, ".bsp") && bsps++ % 3 == 0 && assets_read(game->assets, name, &map))
            compare_shaders(game, &map, &one);
        bytes_free(&map);
        whole += one.names > 5 && one.names == one.agree;
        all.names += one.names;
        all.agree += one.agree;
    }
    shfree(maps.set);
    print_message("%d of %d shaders have the flags of their scripts; in %d maps all\n", all.agree,
                  all.names, whole);
    assert_true(all.names > 500);
    assert_true(all.agree * 100 > all.names * 90);
    assert_true(whole >= 5);
}

/* Reads the size from the frame header of a JPEG. */
static bool jpeg_size(const struct bytes *jpeg, int *width, int *height)
{
    size_t at = 2;
    while (at + 9 < jpeg->size) {
        int marker = jpeg->data[at + 1];
        if (marker >= 0xc0 && marker <= 0xc3) {
            *height = load_u16_big(jpeg->data + at + 5);
            *width = load_u16_big(jpeg->data + at + 7);
            return true;
        }
        at += 2u + load_u16_big(jpeg->data + at + 2);
    }
    return false;
}

static void sizes_are_those_of_the_files(void **state)
{
    static const char *const folders[] = {"textures/base_wall", "textures/gothic_block",
                                          "textures/evil8_floor", "textures/sfx", "levelshots"};
    struct quake3_game *game = *state;
    need(game);
    int seen = 0;
    for (size_t j = 0; j < sizeof folders / sizeof *folders; j++) {
        struct names images = list_names(game, folders[j]);
        for (ptrdiff_t i = 0; i < shlen(images.set); i++) {
            char name[256];
            struct bytes bytes = {0};
            int width = 0, height = 0, expected[2] = {0, 0};
            const char *file = images.set[i].key;
            snprintf(name, sizeof name, "%s/%s", folders[j], file);
            if (assets_read(game->assets, name, &bytes) && strstr(file, ".tga")) {
                expected[0] = load_u16(bytes.data + 12);
                expected[1] = load_u16(bytes.data + 14);
            } else if (!strstr(file, ".jpg") || !jpeg_size(&bytes, &expected[0], &expected[1])) {
                bytes_free(&bytes);
                continue;
            }
            assert_true(image_size(bytes.data, bytes.size, &width, &height));
            assert_int_equal(width, expected[0]);
            assert_int_equal(height, expected[1]);
            bytes_free(&bytes);
            seen++;
        }
        shfree(images.set);
    }
    print_message("%d images\n", seen);
    assert_true(seen > 200);
}

SUITE(test_quake3_openarena)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_game, close_game)
    const struct CMUnitTest tests[] = {
        TEST(scripts_are_all_read),
        TEST(shipped_maps_have_these_flags),
        TEST(sizes_are_those_of_the_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
