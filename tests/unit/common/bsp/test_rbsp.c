/* Sister engines of Quake 3: their files made in memory, written, read back, and converted. */
#include "tests/support/suite.h"

#include "common/bsp/codec/codec.h"
#include "common/bsp/convert/convert.h"
#include "common/bsp/dialect.h"
#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/bsp/verify/verify.h"
#include "common/diag/codes/bsp_conversion.def"
#include "common/diag/codes/bsp_records.def"
#include "common/diag/codes/verify_quake3.def"
#include "tests/support/ibsp_room.h"

/* Targets of each container, with the sizes of their records. */
static const struct sister {
    const char *target;
    size_t side, vertex, surface;
    int lumps;
} sisters[] = {
    {"wolf", 8, 44, 104, 17},
    {"ja", 12, 80, 148, 18},
    {"warsow", 12, 80, 148, 18},
};

enum { SISTERS = sizeof sisters / sizeof *sisters };

static struct bytes encode(const struct bsp *bsp, const struct bsp_format *format)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes out = {0};
    assert_int_equal(bsp_encode(bsp, format, "room", diag, &out), STATUS_OK);
    assert_int_equal(diag_entries(diag), 0);
    diag_free(diag);
    return out;
}

static struct bsp *decode(const struct bytes *file)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *bsp = NULL;
    assert_int_equal(bsp_decode(file->data, file->size, "room", diag, &bsp), STATUS_OK);
    diag_free(diag);
    return bsp;
}

/* Fails with the code. */
static void refuse(const struct bytes *file, int code)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *bsp = NULL;
    assert_int_equal(bsp_decode(file->data, file->size, "room", diag, &bsp), STATUS_FAILED);
    assert_null(bsp);
    assert_int_equal(diag_count_code(diag, code), 1);
    diag_free(diag);
}

/* The room as a map of the game, without pages. Half of the points of its grid are equal. */
static struct bsp *room_of(const char *target)
{
    struct bsp *bsp = ibsp_room(0);
    const struct bsp_format *format = bsp_format_find(target);
    assert_non_null(format);
    bsp->engine = format->engine;
    for (int i = 0; i < ROOM_GRID; i += 2)
        bsp->light_grid[i] = bsp->light_grid[0];
    if (bsp->engine->light.has_styles) {
        bsp_plain_surfaces(bsp);
        bsp_plain_grid(bsp);
    }
    for (ptrdiff_t i = 0; i < arrlen(bsp->brush_sides); i++)
        bsp->brush_sides[i].surface = bsp->engine->light.has_styles ? -1 : 0;
    return bsp;
}

/* A styled surface, vertex and point. */
static void add_styles(struct bsp *bsp)
{
    struct bsp_surface *surface = &bsp->surfaces[2];
    struct bsp_draw_vertex *vertex = &bsp->draw_vertices[surface->first_vertex + 1];
    struct bsp_grid_point *point = &bsp->light_grid[ROOM_GRID - 1];
    for (int k = 0; k < MORE_STYLES; k++) {
        surface->light_styles[k + 1] = surface->vertex_styles[k + 1] = (uint8_t)(32 + k);
        surface->more_lightmap[k] = 10 + k;
        surface->more_start[0][k] = 20 + k;
        surface->more_start[1][k] = 30 + k;
        for (int i = 0; i < 4; i++)
            vertex->more_colour[k][i] = (uint8_t)(40 + 4 * k + i);
        for (int i = 0; i < 2; i++)
            vertex->more_lightmap[k][i] = (float)(k + i);
        point->styles[k + 1] = (uint8_t)(32 + k);
        for (int i = 0; i < 3; i++) {
            point->more_ambient[k][i] = (uint8_t)(60 + 3 * k + i);
            point->more_directed[k][i] = (uint8_t)(70 + 3 * k + i);
        }
    }
}

#define SAME_ARRAY(a, b)                                                                           \
    do {                                                                                           \
        assert_int_equal(arrlen(a), arrlen(b));                                                    \
        assert_memory_equal(a, b, arrlenu(a) * sizeof *(a));                                       \
    } while (0)

static void what_is_made_comes_back(void **state)
{
    (void)state;
    for (int i = 0; i < SISTERS; i++) {
        const struct bsp_format *format = bsp_format_find(sisters[i].target);
        struct bsp *made = room_of(sisters[i].target);
        if (format->engine->light.has_styles)
            add_styles(made);
        struct bytes file = encode(made, format);
        struct bsp *read = decode(&file);
        assert_ptr_equal(read->format, format);
        assert_ptr_equal(read->engine, format->engine);
        SAME_ARRAY(made->shaders, read->shaders);
        SAME_ARRAY(made->surfaces, read->surfaces);
        SAME_ARRAY(made->draw_vertices, read->draw_vertices);
        SAME_ARRAY(made->light_grid, read->light_grid);
        for (ptrdiff_t k = 0; k < arrlen(made->brush_sides); k++)
            assert_int_equal(made->brush_sides[k].surface, read->brush_sides[k].surface);
        struct bytes again = encode(read, NULL);
        assert_int_equal(again.size, file.size);
        assert_memory_equal(again.data, file.data, file.size);
        bytes_free(&again);
        bytes_free(&file);
        bsp_free(read);
        bsp_free(made);
    }
}

static void records_have_the_sizes_of_the_container(void **state)
{
    (void)state;
    for (int i = 0; i < SISTERS; i++) {
        const struct sister *sister = &sisters[i];
        struct bsp *made = room_of(sister->target);
        struct bytes file = encode(made, bsp_format_find(sister->target));
        struct bsp *read = decode(&file);
        const int64_t *length = read->layout.length;
        assert_int_equal(bsp_lump_numbers(read->format), sister->lumps);
        assert_int_equal(length[IBSP_BRUSHSIDES], sister->side * arrlenu(made->brush_sides));
        assert_int_equal(length[IBSP_DRAWVERTS], sister->vertex * arrlenu(made->draw_vertices));
        assert_int_equal(length[IBSP_SURFACES], sister->surface * arrlenu(made->surfaces));
        bytes_free(&file);
        bsp_free(read);
        bsp_free(made);
    }
}

/* Where a vertex has what, byte by byte. */
static void a_vertex_has_four_coordinates_and_colours(void **state)
{
    (void)state;
    struct bsp *made = room_of("ja");
    add_styles(made);
    struct bytes file = encode(made, bsp_format_find("ja"));
    struct bsp *read = decode(&file);
    const int number = made->surfaces[2].first_vertex + 1;
    const unsigned char *at = file.data + read->layout.offset[IBSP_DRAWVERTS] + 80 * number;
    const struct bsp_draw_vertex *vertex = &made->draw_vertices[number];
    assert_memory_equal(at, vertex->p, 12);
    assert_memory_equal(at + 20, vertex->lightmap, 8);
    assert_memory_equal(at + 28, vertex->more_lightmap, 24);
    assert_memory_equal(at + 52, vertex->normal, 12);
    assert_memory_equal(at + 64, vertex->colour, 4);
    assert_memory_equal(at + 68, vertex->more_colour, 12);
    at = file.data + read->layout.offset[IBSP_SURFACES] + 148 * 2;
    assert_int_equal(at[28], 0);
    assert_int_equal(at[29], 32);
    assert_int_equal(at[33], 32);
    assert_int_equal((int32_t)load_u32(at + 36), -3);
    assert_int_equal(load_u32(at + 40), 10);
    assert_int_equal(load_u32(at + 56), 20);
    assert_int_equal(load_u32(at + 72), 30);
    bytes_free(&file);
    bsp_free(read);
    bsp_free(made);
}

static void equal_points_of_the_grid_are_stored_once(void **state)
{
    (void)state;
    struct bsp *made = room_of("ja");
    struct bytes file = encode(made, bsp_format_find("ja"));
    struct bsp *read = decode(&file);
    assert_int_equal(read->layout.length[RBSP_LIGHTARRAY], 2 * ROOM_GRID);
    assert_int_equal(read->layout.length[IBSP_LIGHTGRID], 30 * (ROOM_GRID / 2 + 1));
    bytes_free(&file);
    bsp_free(read);
    bsp_free(made);
}

/* Another compiler may store points in another order, and some twice. */
static void a_grid_in_another_order_is_kept(void **state)
{
    (void)state;
    struct bsp *made = room_of("ja");
    struct bytes file = encode(made, bsp_format_find("ja"));
    struct bsp *read = decode(&file);
    const int count = ROOM_GRID / 2 + 1;
    unsigned char *points = file.data + read->layout.offset[IBSP_LIGHTGRID], other[30];
    unsigned char *numbers = file.data + read->layout.offset[RBSP_LIGHTARRAY];
    memcpy(other, points, sizeof other);
    memcpy(points, points + 30 * (count - 1), sizeof other);
    memcpy(points + 30 * (count - 1), other, sizeof other);
    for (int i = 0; i < ROOM_GRID; i++) {
        const int number = numbers[2 * i];
        numbers[2 * i] = (unsigned char)(number == 0           ? count - 1
                                         : number == count - 1 ? 0
                                                               : number);
    }
    bsp_free(read);
    read = decode(&file);
    SAME_ARRAY(made->light_grid, read->light_grid);
    struct bytes again = encode(read, NULL);
    assert_int_equal(again.size, file.size);
    assert_memory_equal(again.data, file.data, file.size);
    /* Unless a point changes. */
    read->light_grid[3].ambient[0] ^= 255;
    struct bytes changed = encode(read, NULL);
    struct bsp *reread = decode(&changed);
    SAME_ARRAY(read->light_grid, reread->light_grid);
    bsp_free(reread);
    bytes_free(&changed);
    bytes_free(&again);
    bytes_free(&file);
    bsp_free(read);
    bsp_free(made);
}

static void an_array_beyond_the_points_is_refused(void **state)
{
    (void)state;
    struct bsp *made = room_of("ja");
    struct bytes file = encode(made, bsp_format_find("ja"));
    struct bsp *read = decode(&file);
    unsigned char *numbers = file.data + read->layout.offset[RBSP_LIGHTARRAY];
    numbers[8] = ROOM_GRID / 2 + 1;
    refuse(&file, DIAG_BSP_RANGE);
    numbers[8] = 0;
    bsp_free(decode(&file));
    store_u32(ORDER_LITTLE, file.data + 8 + 8 * RBSP_LIGHTARRAY + 4, 2 * ROOM_GRID - 1);
    refuse(&file, DIAG_BSP_LUMP);
    bytes_free(&file);
    bsp_free(read);
    bsp_free(made);
}

/* At the most that the array can name, and one more. */
static void the_array_names_65536_points(void **state)
{
    (void)state;
    for (int over = 0; over < 2; over++) {
        struct bsp *made = room_of("ja");
        struct diag *diag = diag_new(NULL, NULL);
        struct bytes out = {0};
        arrsetlen(made->light_grid, (size_t)(65536 + over));
        memset(made->light_grid, 0, arrlenu(made->light_grid) * sizeof *made->light_grid);
        for (int i = 0; i < 65536 + over; i++)
            for (int k = 0; k < 3; k++)
                made->light_grid[i].ambient[k] = (uint8_t)(i >> 8 * k);
        assert_int_equal(bsp_encode(made, bsp_format_find("ja"), "room", diag, &out),
                         over ? STATUS_FAILED : STATUS_OK);
        assert_int_equal(diag_count_code(diag, DIAG_BSP_FIELD_RANGE), over);
        bytes_free(&out);
        diag_free(diag);
        bsp_free(made);
    }
}

static struct bsp *converted(struct bsp *bsp, const char *target, int wanted_losses)
{
    struct diag *diag = diag_new(NULL, NULL);
    int losses;
    assert_int_equal(bsp_convert(bsp, bsp_format_find(target), "room", diag, &losses), STATUS_OK);
    assert_int_equal(losses, wanted_losses);
    assert_int_equal(diag_count_code(diag, DIAG_BSP_LOSS), wanted_losses);
    struct bytes file = encode(bsp, bsp_format_find(target));
    struct bsp *read = decode(&file);
    bytes_free(&file);
    bsp_free(bsp);
    diag_free(diag);
    return read;
}

static struct bsp *read_room(const char *target)
{
    struct bsp *made = room_of(target);
    struct bytes file = encode(made, bsp_format_find(target));
    struct bsp *read = decode(&file);
    bytes_free(&file);
    bsp_free(made);
    return read;
}

static void games_are_converted_there_and_back(void **state)
{
    (void)state;
    static const char *const targets[] = {"ja", "wolf", "warsow", "et", "quakelive", "xonotic"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct bsp *was = read_room("quake3");
        struct bsp *there = converted(read_room("quake3"), targets[i], 0);
        assert_ptr_equal(there->format->codec, bsp_format_find(targets[i])->codec);
        struct bsp *back = converted(there, "quake3", 0);
        struct bytes first = encode(was, NULL), second = encode(back, NULL);
        assert_int_equal(first.size, second.size);
        assert_memory_equal(first.data, second.data, first.size);
        bytes_free(&first);
        bytes_free(&second);
        bsp_free(was);
        bsp_free(back);
    }
}

static void flags_and_styles_that_are_lost_are_told(void **state)
{
    (void)state;
    struct bsp *bsp = read_room("ja");
    add_styles(bsp);
    bsp->shaders[0].surface_flags |= 0x200000 | 3; /* nodraw, of solid metal */
    bsp = converted(bsp, "quake3", 3);
    assert_int_equal(bsp->shaders[0].surface_flags, Q3_SURFACE_NODRAW);
    assert_int_equal(bsp->surfaces[2].light_styles[1], 0);
    bsp_free(bsp);
}

static void pages_of_another_size_are_left_out(void **state)
{
    (void)state;
    struct bsp *bsp = read_room("quake3");
    bytes_fill(&bsp->ldr.lighting, 9, 2 * bsp_page_bytes(bsp));
    bsp->surfaces[0].lightmap = 1;
    bsp = converted(bsp, "warsow", 1);
    assert_int_equal(bsp->ldr.lighting.size, 0);
    assert_int_equal(bsp->surfaces[0].lightmap, -3);
    assert_int_equal(bsp_page_bytes(bsp), 512 * 512 * 3);
    bsp_free(bsp);
}

static void a_sister_is_verified(void **state)
{
    (void)state;
    for (int i = 0; i < SISTERS; i++) {
        struct bsp *bsp = read_room(sisters[i].target);
        struct diag *diag = diag_new(NULL, NULL);
        bytes_fill(&bsp->ldr.lighting, 9, bsp_page_bytes(bsp) + 1);
        assert_int_equal(bsp_verify(bsp, "room", diag), STATUS_FAILED);
        assert_int_equal(diag_count_code(diag, DIAG_IBSP_LIST), 1);
        assert_int_equal(diag_count_code(diag, DIAG_IBSP_GRID), 0);
        diag_free(diag);
        bsp_free(bsp);
    }
}

/* Of a style that the surface has. */
static void a_page_that_is_not_there_is_told(void **state)
{
    (void)state;
    for (int has_style = 0; has_style < 2; has_style++) {
        struct bsp *bsp = read_room("ja");
        struct diag *diag = diag_new(NULL, NULL);
        bsp->surfaces[0].more_lightmap[1] = 7;
        if (has_style)
            bsp->surfaces[0].light_styles[2] = 9;
        assert_int_equal(bsp_verify(bsp, "room", diag), STATUS_OK);
        assert_int_equal(diag_count_code(diag, DIAG_IBSP_LIGHTMAP), has_style);
        diag_free(diag);
        bsp_free(bsp);
    }
}

/* The game's bits are read by their meaning. */
static void flags_of_a_file_have_a_meaning(void **state)
{
    (void)state;
    struct bsp *made = room_of("ja");
    made->shaders[0].surface_flags = 0x2000;
    made->shaders[1].contents = 0x8;
    struct bytes file = encode(made, bsp_format_find("ja"));
    struct bsp *read = decode(&file);
    assert_int_equal(bsp_shader_surface(read, 0), Q3_SURFACE_SKY);
    assert_int_equal(bsp_shader_contents(read, 1), Q3_CONTENTS_FOG);
    assert_int_equal(read->brushes[6].contents, Q3_CONTENTS_FOG);
    assert_int_equal(read->shaders[1].contents, 0x8);
    bytes_free(&file);
    bsp_free(read);
    bsp_free(made);
}

SUITE(test_rbsp)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_made_comes_back),
        cmocka_unit_test(records_have_the_sizes_of_the_container),
        cmocka_unit_test(a_vertex_has_four_coordinates_and_colours),
        cmocka_unit_test(equal_points_of_the_grid_are_stored_once),
        cmocka_unit_test(a_grid_in_another_order_is_kept),
        cmocka_unit_test(an_array_beyond_the_points_is_refused),
        cmocka_unit_test(the_array_names_65536_points),
        cmocka_unit_test(games_are_converted_there_and_back),
        cmocka_unit_test(flags_and_styles_that_are_lost_are_told),
        cmocka_unit_test(pages_of_another_size_are_left_out),
        cmocka_unit_test(a_sister_is_verified),
        cmocka_unit_test(a_page_that_is_not_there_is_told),
        cmocka_unit_test(flags_of_a_file_have_a_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
