/* Notes on surfaces: written, read, recognised as those of another BSP. */
#include "tests/support/suite.h"

#include "common/bsp/sidecar/baked_lights.h"
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
    const char *first = strstr((const char *)text.data, "\n0\n{\n");
    size_t at = (size_t)(first - (const char *)text.data) + strlen("\n0\n{\n");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct surface_notes notes;
        struct bytes changed = {0};
        bytes_append(&changed, text.data, at);
        bytes_append_text(&changed, "sampleSize %s\n", bad[i]);
        bytes_append(&changed, text.data + at, text.size - at);
        assert_int_equal(parse(&changed, bsp, diag, &notes), STATUS_FAILED);
        assert_int_equal(diag_entry(diag, 0)->code, DIAG_SURFACE_NOTES);
        assert_int_equal(diag_entry(diag, 0)->where.line, 13);
        bytes_free(&changed);
        diag_free(diag);
    }
    bytes_free(&text);
    bsp_free(bsp);
}

/* ---- of q3map2 ---- */

static const char foreign[] = "default\n{\n\tcastShadows 1\n\treceiveShadows 1\n\tsampleSize 16\n"
                              "\tambientColor ( 0.0 0.0 0.0 )\n\tlongestCurve 0.000000\n}\n\n"
                              "0 // ESurfaceType::Patch V: 3 I: 0 \n{\n\tshader textures/c/a\n"
                              "\tlongestCurve 252.603027\n\tlightmapAxis ( 0.0 0.0 1.0 )\n}\n\n"
                              "1 // ESurfaceType::Meta V: 3 I: 3 planar\n{\n\tshader textures/c/b\n"
                              "\treceiveShadows 0\n\tsampleSize 4\n\tparent 7\n"
                              "\tambientColor ( 1 2 3.5 )\n\tcastShadows 0\n}\n\n";

static struct bsp *named_surfaces(void)
{
    struct bsp *bsp = two_surfaces(1);
    arrput(bsp->shaders, ((struct bsp_shader){.name = "textures/c/a"}));
    arrput(bsp->shaders, ((struct bsp_shader){.name = "textures/c/b"}));
    bsp->surfaces[0].type = SURFACE_PATCH;
    bsp->surfaces[1].shader = 1;
    return bsp;
}

static enum status parse_text(const char *text, const struct bsp *bsp, struct diag *diag,
                              struct surface_notes *out)
{
    return surface_notes_parse(text, strlen(text), "a.srf", bsp, diag, out);
}

static void those_of_q3map2_are_read(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *bsp = named_surfaces();
    struct surface_notes notes;
    assert_int_equal(parse_text(foreign, bsp, diag, &notes), STATUS_OK);
    assert_int_equal(diag_entries(diag), 0);
    assert_int_equal(arrlen(notes.items), 2);
    assert_false(notes.has_all_lights);
    assert_float_equal(notes.items[0].sample_size, 16.0F, 0.0F);
    assert_int_equal(notes.items[0].cast_shadows, SHADOWS_OF_PATCH);
    assert_int_equal(notes.items[0].receive_shadows, 1);
    assert_float_equal(notes.items[1].sample_size, 4.0F, 0.0F);
    assert_int_equal(notes.items[1].cast_shadows, 0);
    assert_int_equal(notes.items[1].receive_shadows, 0);
    assert_float_equal(notes.items[1].ambient[2], 3.5F, 0.0F);
    surface_notes_free(&notes);
    bsp_free(bsp);
    diag_free(diag);
}

/* They have no hash: other shaders, or more or fewer surfaces, are those of another BSP. */
static void those_of_q3map2_for_another_bsp_are_not_used(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct bsp *bsp = named_surfaces();
        struct surface_notes notes;
        if (how == 0)
            bsp->surfaces[1].shader = 0;
        else if (how == 1)
            arrput(bsp->surfaces, bsp->surfaces[1]);
        else
            arrsetlen(bsp->surfaces, 1);
        assert_int_equal(parse_text(foreign, bsp, diag, &notes), STATUS_OK);
        assert_int_equal(arrlen(notes.items), 0);
        assert_int_equal(diag_entries(diag), 1);
        assert_int_equal(diag_entry(diag, 0)->code, DIAG_SURFACE_NOTES_STALE);
        surface_notes_free(&notes);
        bsp_free(bsp);
        diag_free(diag);
    }
}

static void other_texts_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "surfaces", "default\n{\n",
                                      "default {\n}\n0\n{\n{\n}\n}\n",
                                      "default {\n}\n0\n{\nsampleSize x\n}\n"};
    struct bsp *bsp = named_surfaces();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct surface_notes notes;
        assert_int_equal(parse_text(bad[i], bsp, diag, &notes), STATUS_FAILED);
        assert_int_equal(diag_entry(diag, 0)->code, DIAG_SURFACE_NOTES);
        diag_free(diag);
    }
    bsp_free(bsp);
}

/* As two of q3map2's are: an arch and a quarter of a column. */
static void curves_are_measured_as_q3map2_does(void **state)
{
    (void)state;
    static const float rows[2][3][2] = {{{-64, 16}, {0, 100}, {64, 16}},
                                        {{64, 0}, {160, 0}, {160, 96}}};
    static const char *const curves[2] = {"longestCurve 252.603", "longestCurve 214.793"};
    for (int which = 0; which < 2; which++) {
        struct bsp *bsp = bsp_new();
        struct surface_notes notes = {0};
        struct bytes text = {0};
        arrput(bsp->surfaces, ((struct bsp_surface){
                                  .type = SURFACE_PATCH, .vertex_count = 9, .patch_size = {3, 3}}));
        for (int i = 0; i < 9; i++) {
            const float *at = rows[which][i / 3];
            const struct bsp_draw_vertex vertex = {.p = {(float)(i % 3) * 32, at[0], at[1]},
                                                   .normal = {0, (float)(i / 3) - 1, 0.5F}};
            arrput(bsp->draw_vertices, vertex);
        }
        arrput(notes.items, ((struct surface_note){16, 0, SHADOWS_OF_PATCH, 1, 0, 0, {0, 0, 0}}));
        surface_notes_format(&notes, bsp, &text);
        bytes_u8(&text, 0);
        assert_non_null(strstr((const char *)text.data, curves[which]));
        assert_non_null(
            strstr((const char *)text.data, "lightmapAxis ( 0.000000 0.000000 1.000000 )"));
        bytes_free(&text);
        surface_notes_free(&notes);
        bsp_free(bsp);
    }
}

/* ---- lights of the source ---- */

static void lights_of_a_source_are_found(void **state)
{
    (void)state;
    static const char map[] =
        "// Game: Quake 3\n{\n\"classname\" \"worldspawn\"\n{\nbrushDef\n{\n"
        "( 0 0 0 ) ( 0 1 0 ) ( 1 0 0 ) ( ( 1 0 0 ) ( 0 1 0 ) ) a/b 0 0 0\n}\n}\n}\n"
        "{\n\"classname\" \"light\"\n\"origin\" \"1 2 3\"\n}\n"
        "{\n\"classname\" \"light\"\n\"targetname\" \"there\"\n}\n"
        "{\n\"classname\" \"lightJunior\"\n\"targetname\" \"gone\"\n}\n";
    static const char lump[] = "{\n\"classname\" \"worldspawn\"\n}\n"
                               "{\n\"classname\" \"light\"\n\"targetname\" \"there\"\n}\n";
    static const char found[] = "{\n\"classname\" \"light\"\n\"origin\" \"1 2 3\"\n}\n"
                                "{\n\"classname\" \"lightJunior\"\n}\n";
    struct bsp *bsp = two_surfaces(1);
    memcpy(arraddnptr(bsp->entities, sizeof lump - 1), lump, sizeof lump - 1);
    for (size_t size = 0; size < sizeof map; size++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct bytes lights = {0};
        size_t count;
        enum status status = baked_lights_of_map(map, size, "a.map", bsp, diag, &lights, &count);
        assert_int_equal(status != STATUS_OK, diag_count(diag, DIAG_ERROR));
        if (size == sizeof map - 1) {
            assert_int_equal(status, STATUS_OK);
            assert_int_equal(count, 2);
            assert_int_equal(lights.size, strlen(found));
            assert_memory_equal(lights.data, found, lights.size);
        }
        bytes_free(&lights);
        diag_free(diag);
    }
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
        bytes_append_text(&text, "// brushwork lights\n%s", bad[i]);
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
        cmocka_unit_test(those_of_q3map2_are_read),
        cmocka_unit_test(those_of_q3map2_for_another_bsp_are_not_used),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(curves_are_measured_as_q3map2_does),
        cmocka_unit_test(lights_of_a_source_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
