/* Notes on surfaces: written, read, recognised as those of another BSP. */
#include "tests/support/suite.h"

#include "common/bsp/sidecar/surface_notes.h"
#include "common/core/array.h"
#include "common/diag/codes/sidecars.def"

static struct bsp *two_surfaces(float x)
{
    struct bsp *bsp = bsp_new();
    for (int i = 0; i < 2; i++) {
        struct bsp_surface surface = {
            .type = SURFACE_PLANAR, .first_vertex = 3 * i, .vertex_count = 3, .lightmap = -3};
        arrput(bsp->surfaces, surface);
    }
    for (int i = 0; i < 6; i++) {
        struct bsp_draw_vertex vertex = {.p = {x, (float)i, 0}};
        arrput(bsp->draw_vertices, vertex);
    }
    return bsp;
}

static struct bytes written(const struct bsp *bsp)
{
    static const struct surface_note items[2] = {{16, 0, 1, 1, 0, 0, {0, 0, 0}},
                                                 {0.1F, 66.5F, -2, 0, 1023, 7, {0, -20, 5}}};
    struct surface_notes notes = {0};
    struct bytes text = {0};
    for (int i = 0; i < 2; i++)
        arrput(notes.items, items[i]);
    surface_notes_format(&notes, bsp, &text);
    surface_notes_free(&notes);
    return text;
}

static enum status parse(const struct bytes *text, const struct bsp *bsp, struct diag *diag,
                         struct surface_notes *out)
{
    return surface_notes_parse((const char *)text->data, text->size, "a.srf", bsp, diag, out);
}

static void notes_come_back(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *bsp = two_surfaces(1);
    struct bytes text = written(bsp);
    struct surface_notes notes;
    /* Lighting does not affect the hash. */
    bsp->surfaces[0].lightmap = 3;
    bsp->draw_vertices[0].lightmap[0] = 0.5F;
    bsp->draw_vertices[0].colour[1] = 17;
    assert_int_equal(parse(&text, bsp, diag, &notes), STATUS_OK);
    assert_int_equal(arrlen(notes.items), 2);
    assert_float_equal(notes.items[0].sample_size, 16.0F, 0.0F);
    assert_float_equal(notes.items[1].sample_size, 0.1F, 0.0F);
    assert_float_equal(notes.items[1].shade_angle, 66.5F, 0.0F);
    assert_int_equal(notes.items[1].cast_shadows, -2);
    assert_int_equal(notes.items[1].receive_shadows, 0);
    assert_int_equal(notes.items[1].entity, 1023);
    assert_int_equal(notes.items[1].group, 7);
    for (int k = 0; k < 3; k++) {
        static const float ambient[3] = {0, -20, 5};
        assert_float_equal(notes.items[0].ambient[k], 0, 0);
        assert_float_equal(notes.items[1].ambient[k], ambient[k], 0);
    }
    assert_int_equal(diag_entries(diag), 0);
    surface_notes_free(&notes);
    bytes_free(&text);
    bsp_free(bsp);
    diag_free(diag);
}

/* The lights that nothing refers to come back as their text. */
static void lights_come_back(void **state)
{
    (void)state;
    static const char light_text[] = "{\n\"classname\" \"light\"\n\"origin\" \"1 2 3\"\n}\n";
    static const char *const worlds[] = {"", "\"_keepLights\" \"1\"\n"};
    for (int keep = 0; keep < 2; keep++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct bsp *bsp = two_surfaces(1);
        struct bytes entities = {0}, text = {0};
        bytes_append_text(&entities,
                          "{\n\"classname\" \"worldspawn\"\n%s}\n%s"
                          "{\n\"classname\" \"light\"\n\"targetname\" \"a\"\n}\n",
                          worlds[keep], light_text);
        for (size_t i = 0; i < entities.size; i++)
            arrput(bsp->entities, (char)entities.data[i]);
        struct surface_notes notes = {0}, again;
        for (int i = 0; i < 2; i++)
            arrput(notes.items, ((struct surface_note){16, 0, 1, 1, 0, 0, {0, 0, 0}}));
        assert_int_equal(surface_notes_take_lights(&notes, bsp, diag), STATUS_OK);
        surface_notes_format(&notes, bsp, &text);
        assert_int_equal(parse(&text, bsp, diag, &again), STATUS_OK);
        assert_int_equal(arrlen(again.items), 2);
        struct bytes formatted = {0};
        surface_notes_format(&again, bsp, &formatted);
        assert_int_equal(formatted.size, text.size);
        assert_memory_equal(formatted.data, text.data, text.size);
        bytes_free(&formatted);
        arrput(again.lights, '\0');
        assert_int_equal(strstr(again.lights, light_text) != NULL, !keep);
        assert_null(strstr(again.lights, "targetname"));
        surface_notes_free(&notes);
        surface_notes_free(&again);
        bytes_free(&entities);
        bytes_free(&text);
        bsp_free(bsp);
        diag_free(diag);
    }
}

static void those_of_another_bsp_are_not_used(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *bsp = two_surfaces(1), *other = two_surfaces(2);
    struct bytes text = written(bsp);
    struct surface_notes notes;
    assert_int_equal(parse(&text, other, diag, &notes), STATUS_OK);
    assert_int_equal(arrlen(notes.items), 0);
    assert_int_equal(diag_entries(diag), 1);
    assert_int_equal(diag_entry(diag, 0)->code, DIAG_SURFACE_NOTES_STALE);
    surface_notes_free(&notes);
    bytes_free(&text);
    bsp_free(bsp);
    bsp_free(other);
    diag_free(diag);
}

/* Truncated anywhere it is incomplete, except before the last newline. */
static void a_cut_file_is_damaged(void **state)
{
    (void)state;
    struct bsp *bsp = two_surfaces(1);
    struct bytes text = written(bsp);
    size_t header = (size_t)((const unsigned char *)memchr(text.data, '\n', text.size) - text.data);
    for (size_t size = 0; size + 2 < text.size; size++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct surface_notes notes;
        struct bytes cut = text;
        cut.size = size;
        enum status status = parse(&cut, bsp, diag, &notes);
        bool stale = size < header && status == STATUS_OK;
        assert_true(status == STATUS_FAILED || stale);
        assert_int_equal(arrlen(notes.items), 0);
        surface_notes_free(&notes);
        diag_free(diag);
    }
    bytes_free(&text);
    bsp_free(bsp);
}

static void numbers_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    struct bsp *bsp = two_surfaces(1);
    static const char *const bad[] = {"nan", "-1", "1e99", "x"};
    struct bytes text = written(bsp);
    size_t lines = 0, at = 0;
    for (; at < text.size && lines < 2; at++)
        lines += text.data[at] == '\n';
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct surface_notes notes;
        struct bytes changed = {0};
        bytes_append(&changed, text.data, at);
        bytes_append_text(&changed, "%s 0 1 1 0 0\n0 0 1 1 0 0\n", bad[i]);
        assert_int_equal(parse(&changed, bsp, diag, &notes), STATUS_FAILED);
        assert_int_equal(diag_entry(diag, 0)->code, DIAG_SURFACE_NOTES);
        assert_int_equal(diag_entry(diag, 0)->where.line, 3);
        bytes_free(&changed);
        diag_free(diag);
    }
    bytes_free(&text);
    bsp_free(bsp);
}

/* They become entities of the map. */
static void only_lights_come_back(void **state)
{
    (void)state;
    struct bsp *bsp = two_surfaces(1);
    static const char *const bad[] = {
        "{\n}\n", "{\n\"classname\" \"func_door\"\n}\n", "{\n\"classname\" \"light\"\n",
        "{\n\"classname\" \"light\"\n}\n{\n\"classname\" \"light\"\n\"targetname\" \"a\"\n}\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct bytes text = written(bsp);
        struct surface_notes notes;
        bytes_append_text(&text, "lights\n%s", bad[i]);
        assert_int_equal(parse(&text, bsp, diag, &notes), STATUS_FAILED);
        assert_int_equal(diag_count(diag, DIAG_ERROR), 1);
        assert_null(notes.lights);
        bytes_free(&text);
        diag_free(diag);
    }
    bsp_free(bsp);
}

SUITE(test_surface_notes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_come_back),
        cmocka_unit_test(lights_come_back),
        cmocka_unit_test(those_of_another_bsp_are_not_used),
        cmocka_unit_test(a_cut_file_is_damaged),
        cmocka_unit_test(numbers_that_make_no_sense_are_refused),
        cmocka_unit_test(only_lights_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
