#include "tests/support/suite.h"

#include <string.h>

#include "common/diag/codes/rad_files.def"
#include "tests/support/near.h"
#include "vrad/files.h"
#include "vrad/lights/rad_file.h"

struct parsed {
    struct rad_file rad;
    struct diag *diag;
};

static struct parsed parse(const char *text)
{
    struct parsed p = {.diag = diag_new(NULL, NULL)};
    rad_parse(text, strlen(text), "test.rad", p.diag, &p.rad);
    return p;
}

static void done(struct parsed *p)
{
    rad_free(&p->rad);
    diag_free(p->diag);
}

static void expect(const struct parsed *p, const char *name, bool hdr, double r, double g, double b)
{
    struct vec3 colour;
    assert_true(rad_find(&p->rad, name, hdr, &colour));
    assert_near(colour.x, r, 0.01);
    assert_near(colour.y, g, 0.01);
    assert_near(colour.z, b, 0.01);
}

static void lines_of_all_kinds(void **state)
{
    (void)state;
    struct parsed p = parse("// a comment\n\n"
                            "dev/light 255 255 0 400 // glows\r\n"
                            "  ldr:Dev\\Green\t255 0 255 100\n"
                            "hdr:dev/green 0 255 0 510\n"
                            "noshadow Dev/Glass\n"
                            "forcetextureshadow models/fence.mdl\n"
                            "dev/plain 255 255 255");
    assert_int_equal(diag_entries(p.diag), 0);
    expect(&p, "DEV/LIGHT", false, 400, 400, 0);
    expect(&p, "dev\\light", true, 400, 400, 0);
    expect(&p, "dev/green", false, 100, 0, 100);
    expect(&p, "dev/green", true, 0, 510, 0);
    expect(&p, "dev/plain", false, 255, 255, 255);
    assert_true(shadow_exceptions_no_shadow(&p.rad.shadows, "dev/glass"));
    assert_false(shadow_exceptions_no_shadow(&p.rad.shadows, "dev/light"));
    struct vec3 colour;
    assert_false(rad_find(&p.rad, "dev/glass", false, &colour));
    assert_false(rad_find(&p.rad, "", false, &colour));
    done(&p);
}

static void brightness_and_gamma(void **state)
{
    (void)state;
    struct parsed p = parse("a 127.5 255 51 255\n");
    expect(&p, "a", false, 255 * pow(0.5, 2.2), 255, 255 * pow(0.2, 2.2));
    done(&p);
}

static void the_last_line_wins(void **state)
{
    (void)state;
    struct parsed p = parse("a 255 0 0 100\nldr:A 0 255 0 100\n");
    expect(&p, "a", false, 0, 100, 0);
    expect(&p, "a", true, 100, 0, 0);
    const char *more = "a 0 0 255 50";
    rad_parse(more, strlen(more), "map.rad", p.diag, &p.rad);
    expect(&p, "a", false, 0, 0, 50);
    expect(&p, "a", true, 0, 0, 50);
    done(&p);
}

static void one_set_only(void **state)
{
    struct vec3 colour;
    (void)state;
    struct parsed p = parse("hdr:a 255 255 255 100\n");
    assert_false(rad_find(&p.rad, "a", false, &colour));
    assert_true(rad_find(&p.rad, "a", true, &colour));
    done(&p);
}

static void copies_for_the_map_emit_alike(void **state)
{
    struct vec3 colour;
    (void)state;
    struct parsed p = parse("dev/light 255 255 255 100\nmaps/a/b 1 1 1 1\n");
    assert_true(rad_find(&p.rad, "maps/test/dev/light_-12_0_64", false, &colour));
    assert_true(rad_find(&p.rad, "maps/test/dev/light_wvt_patch", false, &colour));
    assert_true(rad_find(&p.rad, "maps/a/b", false, &colour));
    assert_false(rad_find(&p.rad, "maps/test/dev/dark_-12_0_64", false, &colour));
    assert_false(rad_find(&p.rad, "maps/", false, &colour));
    done(&p);
}

static void invalid_lines_are_reported_with_their_number(void **state)
{
    char text[4000] = "good 255 255 255 10\nbad\nworse 1 2\nnoshadow\ndark -1 0 0 5\n";
    size_t length = strlen(text);
    (void)state;
    memset(text + length, 'x', sizeof text - length - 1); /* a line that is too long */
    struct parsed p = parse(text);
    assert_int_equal(diag_count_code(p.diag, DIAG_RAD_LINE), 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(diag_entry(p.diag, i)->where.line, (int)i + 2);
        assert_string_equal(diag_entry(p.diag, i)->where.file, "test.rad");
    }
    expect(&p, "good", false, 10, 10, 10);
    done(&p);
}

static void write_text(struct fs *fs, const char *path, const char *text)
{
    assert_int_equal(fs->ops->write(fs, path, text, strlen(text)), 0);
}

/* The game's file, the requested one, the map's own: later ones override. */
static void files_in_their_order(void **state)
{
    (void)state;
    struct parsed p = {.diag = diag_new(NULL, NULL)};
    struct env env = {.diag = p.diag, .fs = fs_memory_new(), .threads = 1};
    const struct assets_options options = {.game = "game"};
    struct assets *assets;
    write_text(env.fs, "game/gameinfo.txt",
               "GameInfo { FileSystem { SearchPaths { game |gameinfo_path|. } } }");
    write_text(env.fs, "game/lights.rad", "a 255 0 0 1\nb 255 0 0 1\nc 255 0 0 1\n");
    write_text(env.fs, "extra.rad", "b 255 0 0 2\nc 255 0 0 2\n");
    write_text(env.fs, "map.rad", "c 255 0 0 3\n");
    assert_int_equal(assets_open(&env, &options, &assets), STATUS_OK);
    rad_load(&env, assets, "extra.rad", "map.rad", &p.rad);
    expect(&p, "a", false, 1, 0, 0);
    expect(&p, "b", false, 2, 0, 0);
    expect(&p, "c", false, 3, 0, 0);
    assert_int_equal(diag_entries(p.diag), 0);
    rad_free(&p.rad);
    rad_load(&env, assets, "nowhere.rad", "nor_here.rad", &p.rad);
    assert_int_equal(diag_count_code(p.diag, DIAG_RAD_MISSING), 1);
    assert_int_equal(diag_entries(p.diag), 1);
    assets_free(assets);
    fs_memory_free(env.fs);
    done(&p);
}

static void the_maps_own_lights_are_found(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct env env = {.diag = diag_new(NULL, NULL), .fs = fs_memory_new()};
    assert_null(vrad_map_rad(&env, &arena, "maps/a.bsp", ".bsp"));
    write_text(env.fs, "maps/a.rad", "dev/light 1 2 3 4\n");
    assert_string_equal(vrad_map_rad(&env, &arena, "maps/a.bsp", ".bsp"), "maps/a.rad");
    fs_memory_free(env.fs);
    diag_free(env.diag);
    arena_free(&arena);
}

SUITE(test_rad_file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_all_kinds),
        cmocka_unit_test(brightness_and_gamma),
        cmocka_unit_test(the_last_line_wins),
        cmocka_unit_test(one_set_only),
        cmocka_unit_test(copies_for_the_map_emit_alike),
        cmocka_unit_test(invalid_lines_are_reported_with_their_number),
        cmocka_unit_test(files_in_their_order),
        cmocka_unit_test(the_maps_own_lights_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
