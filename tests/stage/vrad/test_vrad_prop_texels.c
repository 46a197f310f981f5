/* Texel lighting of static props. */
#include "tests/support/suite.h"

#include "common/diag/codes/prop_lightmaps.def"
#include "tests/support/textured_box.h"
#include "tests/support/vrad/prop_room.h"
#include "vrad/luxels/sample_options.h"
#include "vrad/props/ppl.h"
#include "vrad/scene/prop_scene_options.h"

/* Props cast shadows of their render meshes. */
static const struct prop_scene_options with_triangles = {.triangles = true};

enum { WIDTH = 48, HEIGHT = 32, HALF = 16 };

static const double halves[3] = {HALF, HALF, HALF};

static void put_textured(struct fixture *f, const char *name, const struct box_atlas *atlas)
{
    struct model_files files = textured_box_files(halves, atlas);
    put_file(f, name, ".mdl", &files.mdl);
    put_file(f, name, ".vvd", &files.vvd);
    put_file(f, name, ".dx90.vtx", &files.vtx);
    model_files_free(&files);
}

static struct static_prop *put_lit(struct fixture *f, const char *name, struct vec3 origin)
{
    struct static_prop *prop = put_prop(f, name, origin);
    prop->solid = STATIC_PROP_NOT_SOLID;
    prop->lightmap_resolution[0] = WIDTH;
    prop->lightmap_resolution[1] = HEIGHT;
    return prop;
}

/* In the record layout with lightmap resolutions. */
static void light_wide(struct fixture *f, const char *entities)
{
    struct bytes data = {0};
    struct record_range_error range_error;
    assert_true(
        static_props_encode(&f->props, STATIC_PROP_SDK2013, ORDER_LITTLE, &data, &range_error));
    put_game_lump(f, STATIC_PROPS_ID, 10, data);
    static_props_free(&f->props);
    f->props = (struct static_props){0};
    light(f, entities);
}

static void read_image(struct fixture *f, const char *name, struct bytes *file,
                       struct ppl_image *out)
{
    struct ppl ppl;
    assert_true(unpack(f, name, file));
    assert_true(ppl_decode(file, &ppl));
    assert_int_equal(ppl.checksum, BOX_CHECKSUM);
    assert_int_equal(arrlen(ppl.images), 1);
    *out = *ppl_finest(&ppl);
    ppl_free(&ppl);
}

static int green(const struct ppl_image *image, int x, int y)
{
    return image->pixels[3 * (y * image->width + x) + 1];
}

/* The position on a side at the middle of texel x or y of its own cell, or nearest to it. */
static double share_at(const struct box_atlas *atlas, int side, int axis, int texel)
{
    double zero[2] = {0, 0}, uv[2];
    textured_box_uv(atlas, side, zero, uv);
    double at = (texel + 0.5) / (axis ? HEIGHT : WIDTH);
    return fmin(fmax((at - uv[axis]) / atlas->size[axis], 0), 1);
}

/* The light on a side of a box in the air, by its orientation. */
static double direct_on(struct vec3 middle, int side, const double at[2])
{
    struct vec3 p = vec3_add(middle, textured_box_point(side, at, halves));
    struct vec3 normal = vec3(0, 0, 0);
    normal.e[side / 2] = side & 1 ? 1 : -1;
    struct vec3 way = vec3_sub(vec3(256, 256, LIGHT_Z), p);
    double distance = vec3_length(way);
    return INTENSITY * vec3_dot(way, normal) / (distance * distance * distance);
}

/* Texels of a side are 12 x 12, those at its border half covered. Whether hulls or triangles cast
 * shadows: no texel lies in the shadow of its own side. */
static void texels_have_the_light_of_the_entity(void **state)
{
    const struct vec3 middle = vec3(150, 230, 64);
    (void)state;
    for (int triangles = 0; triangles < 2; triangles++) {
        struct fixture f;
        struct bytes file;
        struct ppl_image image;
        int lit = 0;
        begin(&f);
        if (triangles)
            f.options.prop_scene = &with_triangles;
        put_textured(&f, "box", &box_atlas);
        struct static_prop *prop = put_lit(&f, "box", middle);
        prop->flags = STATIC_PROP_NO_VERTEX_LIGHTING;
        prop->solid = triangles ? STATIC_PROP_SOLID_MODEL : STATIC_PROP_NOT_SOLID;
        light_wide(&f, light_entity);
        assert_int_equal(diag_entries(f.diag), 0);
        assert_false(unpack(&f, "sp_0.vhv", &file));
        read_image(&f, "texelslighting_0.ppl", &file, &image);
        assert_int_equal(image.width, WIDTH);
        assert_int_equal(image.height, HEIGHT);
        for (int i = 0; i < TEXTURED_SIDES * 12 * 12; i++) {
            int side = i / 144, x = 16 * (side % 3) + 2 + i % 12;
            int y = 16 * (side / 3) + 2 + i % 144 / 12;
            const double at[2] = {share_at(&box_atlas, side, 0, x),
                                  share_at(&box_atlas, side, 1, y)};
            double want = direct_on(middle, side, at);
            expect_stored(green(&image, x, y), want);
            lit += want > 0;
        }
        assert_int_equal(lit, 3 * 144); /* the top and the two sides that face the light */
        bytes_free(&file);
        end(&f);
    }
}

/* Gaps between sides have the light of the nearest side, so that bilinear filtering meets no
 * black. */
static void gaps_have_the_light_of_their_neighbours(void **state)
{
    struct fixture f;
    struct bytes file;
    struct ppl_image image;
    (void)state;
    begin(&f);
    put_textured(&f, "box", &box_atlas);
    put_lit(&f, "box", vec3(256, 256, 32));
    light_wide(&f, light_entity);
    read_image(&f, "texelslighting_0.ppl", &file, &image);
    int up = 5; /* the cell at the lower right */
    for (int y = 16; y < HEIGHT; y++)
        for (int x = 33; x < WIDTH - 1; x++) {
            const double at[2] = {share_at(&box_atlas, up, 0, x), share_at(&box_atlas, up, 1, y)};
            double want = direct_on(vec3(256, 256, 32), up, at);
            /* Rings take means: close enough in the first ones. */
            if (y > 16 && y < HEIGHT - 1)
                assert_in_range(green(&image, x, y) + 2, stored(want), stored(want) + 4);
            assert_true(green(&image, x, y) > 0);
        }
    bytes_free(&file);
    end(&f);
}

/* The shadow of a block ends at 0.6 of the seventh texel of the top side; the texel has a third of
 * the light, or all or nothing without supersampling. */
static void edges_of_shadows_are_soft(void **state)
{
    const struct vec3 middle = vec3(234, 256, 64);
    const double low = 145, edge = 218 + 6.6 * 2 * (double)HALF / 12;
    const double x = 256 + (edge - 256) * (LIGHT_Z - low) / (LIGHT_Z - 80);
    (void)state;
    for (int extra = 0; extra < 2; extra++) {
        struct fixture f;
        struct bytes file;
        struct ppl_image image;
        begin(&f);
        const struct sample_options samples = {.no_extra = !extra};
        f.options.samples = &samples;
        put_textured(&f, "box", &box_atlas);
        put_model(&f, "block", MDL_STATIC_PROP, 40, 0);
        put_hull(&f, "block", 40, 5);
        put_lit(&f, "box", middle);
        put_prop(&f, "block", vec3(x - 40, 256, low + 5));
        light_wide(&f, light_entity);
        read_image(&f, "texelslighting_0.ppl", &file, &image);
        for (int i = 3; i < 10; i++) {
            const double at[2] = {share_at(&box_atlas, 5, 0, 34 + i),
                                  share_at(&box_atlas, 5, 1, 24)};
            double lit = i < 6 ? 0 : i > 6 ? 1 : extra ? 1 / 3.0 : 0;
            double want = stored(lit * direct_on(middle, 5, at));
            assert_in_range(green(&image, 34 + i, 24) + 2, (int)want, (int)want + 4);
        }
        bytes_free(&file);
        end(&f);
    }
}

/* Coordinates in repetitions of the image, and rotated props. */
static void coordinates_wrap(void **state)
{
    struct fixture f;
    struct bytes files[2];
    struct ppl_image images[2];
    struct box_atlas far_away = box_atlas;
    (void)state;
    far_away.start[0] += 3;
    far_away.start[1] -= 2;
    begin(&f);
    put_textured(&f, "box", &box_atlas);
    put_textured(&f, "far", &far_away);
    for (int i = 0; i < 2; i++)
        put_lit(&f, i ? "far" : "box", vec3(300, 300, 64))->angles[1] = 30;
    light_wide(&f, light_entity);
    read_image(&f, "texelslighting_0.ppl", &files[0], &images[0]);
    read_image(&f, "texelslighting_1.ppl", &files[1], &images[1]);
    for (int i = 0; i < 3 * WIDTH * HEIGHT; i++)
        assert_in_range(images[1].pixels[i] + 1, images[0].pixels[i], images[0].pixels[i] + 2);
    assert_int_equal(diag_entries(f.diag), 0);
    bytes_free(&files[0]);
    bytes_free(&files[1]);
    end(&f);
}

/* The lower half of a box that is sunk into the floor has the light of the visible part. */
static void covered_texels_take_light_from_above(void **state)
{
    struct fixture f;
    struct bytes file;
    struct ppl_image image;
    const struct vec3 middle = vec3(150, 256, 4);
    (void)state;
    begin(&f);
    put_textured(&f, "box", &box_atlas);
    put_lit(&f, "box", middle);
    light_wide(&f, light_entity);
    read_image(&f, "texelslighting_0.ppl", &file, &image);
    int side = 1; /* it looks along +x; its second axis goes up */
    double top = direct_on(middle, side, (const double[]){0.5, 1});
    for (int y = 2; y < 14; y++) {
        double z = 4 + (double)HALF * (2 * share_at(&box_atlas, side, 1, y) - 1);
        double want = direct_on(middle, side, (const double[]){0.5, fmax((z + 12) / 32, 0.375)});
        if (z < 0) /* that of the floor's height, more or less */
            assert_in_range(green(&image, 24, y), stored(0.8 * want), stored(top));
        else
            assert_in_range(green(&image, 24, y), stored(0.9 * want), stored(1.1 * top));
    }
    bytes_free(&file);
    end(&f);
}

/* A white room with uniform light: a E / (1 - a) also on texels, without noise. */
static void texels_gather_bounced_light(void **state)
{
    struct fixture f;
    struct bytes file;
    struct ppl_image image;
    static const int open[6] = {[ROOM_CEILING] = SURFACE_SKY | SURFACE_SKY2D};
    (void)state;
    begin(&f);
    bsp_free(f.bsp);
    f.bsp = room_new(vec3(512, 512, 256), 0, open);
    put_textured(&f, "box", &box_atlas);
    put_lit(&f, "box", vec3(256, 256, 240 - 1));
    light_wide(&f, "{\n\"classname\" \"light_environment\"\n\"_light\" \"0 0 0 0\"\n"
                   "\"_ambient\" \"255 255 255 100\"\n}\n");
    read_image(&f, "texelslighting_0.ppl", &file, &image);
    for (int i = 0; i < 144; i++) { /* up: only sky */
        expect_stored(green(&image, 34 + i % 12, 18 + i / 12), 100);
        assert_true(green(&image, 34 + i % 12, 2 + i / 12) < stored(60)); /* along y */
    }
    bytes_free(&file);
    end(&f);
}

/* The same image for each LOD, stored once. */
static void every_lod_has_the_image(void **state)
{
    struct fixture f;
    struct bytes file;
    struct ppl ppl;
    struct model_files files = textured_box_files(halves, &box_atlas);
    (void)state;
    begin(&f);
    model_files_put(&files.vvd, 12, 3);
    put_file(&f, "box", ".mdl", &files.mdl);
    put_file(&f, "box", ".vvd", &files.vvd);
    put_file(&f, "box", ".dx90.vtx", &files.vtx);
    model_files_free(&files);
    put_lit(&f, "box", vec3(256, 256, 64));
    light_wide(&f, light_entity);
    assert_true(unpack(&f, "texelslighting_0.ppl", &file));
    assert_true(ppl_decode(&file, &ppl));
    assert_int_equal(arrlen(ppl.images), 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(ppl.images[i].lod, i);
        assert_ptr_equal(ppl.images[i].pixels, ppl.images[0].pixels);
    }
    assert_true(file.size < 2 * 3 * WIDTH * HEIGHT);
    ppl_free(&ppl);
    bytes_free(&file);
    end(&f);
}

/* One name for both sets of light, used for HDR. Files of props without texel lighting are
 * removed. */
static void hdr_light_takes_the_name(void **state)
{
    static const char both[] =
        "{\n\"classname\" \"light\"\n\"origin\" \"256 256 200\"\n\"_light\" \"255 255 255 200\"\n"
        "\"_lightHDR\" \"255 255 255 50\"\n\"_quadratic_attn\" \"1\"\n}\n";
    static const struct {
        bool ldr, hdr;
        double share;
    } cases[] = {{true, false, 1}, {false, true, 0.25}, {true, true, 0.25}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        struct bytes file;
        struct ppl_image image;
        struct pakfile pakfile = {0};
        const double at[2] = {share_at(&box_atlas, 5, 0, 40), share_at(&box_atlas, 5, 1, 24)};
        begin(&f);
        f.options.ldr = cases[i].ldr;
        f.options.hdr = cases[i].hdr;
        put_textured(&f, "box", &box_atlas);
        put_lit(&f, "box", vec3(200, 256, 64));
        put_lit(&f, "box", vec3(300, 256, 64))->flags = STATIC_PROP_NO_TEXEL_LIGHTING;
        pakfile_put(&pakfile, "texelslighting_1.ppl", "x", 1);
        pakfile_put(&pakfile, "texelslighting_x.ppl", "x", 1);
        assert_int_equal(pakfile_encode(&pakfile, ZIP_STORED, NULL, f.diag, &f.bsp->pakfile),
                         STATUS_OK);
        pakfile_free(&pakfile);
        light_wide(&f, both);
        read_image(&f, "texelslighting_0.ppl", &file, &image);
        expect_stored(green(&image, 40, 24), cases[i].share * direct_on(vec3(200, 256, 64), 5, at));
        bytes_free(&file);
        assert_false(unpack(&f, "texelslighting_1.ppl", &file));
        assert_true(unpack(&f, "texelslighting_x.ppl", &file));
        bytes_free(&file);
        end(&f);
    }
}

/* In a room with bounces, a box on the floor with so many texels that indirect light is gathered at
 * few of them: it equals that of a smaller image, whose texels are means of 4 x 4. */
static void many_texels_have_the_light_of_few(void **state)
{
    struct fixture f;
    struct bytes files[2];
    struct ppl_image images[2];
    double sum = 0;
    (void)state;
    begin(&f);
    bsp_free(f.bsp);
    f.bsp = room_new(vec3(512, 512, 256), 0.6, NULL);
    f.options.bounce = 100;
    put_textured(&f, "box", &box_atlas);
    for (int i = 0; i < 2; i++) {
        struct static_prop *prop = put_lit(&f, "box", vec3(180, 256, HALF));
        prop->lightmap_resolution[0] *= i ? 4 : 1;
        prop->lightmap_resolution[1] *= i ? 4 : 1;
    }
    light_wide(&f, light_entity);
    read_image(&f, "texelslighting_0.ppl", &files[0], &images[0]);
    read_image(&f, "texelslighting_1.ppl", &files[1], &images[1]);
    for (int side = 1; side < TEXTURED_SIDES; side++) {
        for (int i = 0; i < 10 * 10; i++) {
            int x = 16 * (side % 3) + 3 + i % 10, y = 16 * (side / 3) + 3 + i / 10, all = 0;
            for (int k = 0; k < 16; k++)
                all += green(&images[1], 4 * x + k % 4, 4 * y + k / 4);
            if (side == 4) /* it lies on the floor */
                continue;
            double off = all / 16.0 - green(&images[0], x, y);
            assert_near(off, 0, 4);
            sum += off;
        }
    }
    assert_near(sum / 400, 0, 0.5);
    for (int i = 0; i < 2; i++)
        bytes_free(&files[i]);
    end(&f);
}

static void invalid_texture_layouts_are_reported(void **state)
{
    struct fixture f;
    struct bytes file;
    struct box_atlas stacked = box_atlas;
    (void)state;
    stacked.stacked = true;
    begin(&f);
    put_textured(&f, "stacked", &stacked);
    put_textured(&f, "box", &box_atlas);
    put_model(&f, "flat", MDL_STATIC_PROP, 8, 0);
    for (int i = 0; i < 2; i++) { /* each is reported once */
        put_lit(&f, "stacked", vec3(100, 100 + 64 * i, 64));
        put_lit(&f, "flat", vec3(200, 100 + 64 * i, 64));
        put_lit(&f, "box", vec3(300, 100 + 64 * i, 64))->lightmap_resolution[i] = 2049;
    }
    light_wide(&f, light_entity);
    assert_int_equal(diag_count_code(f.diag, DIAG_PROP_TEXELS_SHARED), 1);
    assert_int_equal(diag_count_code(f.diag, DIAG_PROP_TEXELS_FLAT), 1);
    assert_int_equal(diag_count_code(f.diag, DIAG_PROP_TEXELS_SIZE), 1);
    assert_int_equal(diag_entries(f.diag), 3);
    assert_non_null(strstr(diag_entry(f.diag, 0)->message, "100 %"));
    assert_true(unpack(&f, "texelslighting_0.ppl", &file));
    bytes_free(&file);
    for (int i = 1; i < 3; i++) { /* these have vertex lighting only */
        char name[32];
        snprintf(name, sizeof name, "texelslighting_%d.ppl", i);
        assert_false(unpack(&f, name, &file));
        snprintf(name, sizeof name, "sp_%d.vhv", i);
        assert_true(unpack(&f, name, &file));
        bytes_free(&file);
    }
    end(&f);
}

static void normals_can_be_shown(void **state)
{
    struct fixture f;
    struct bytes file;
    struct ppl_image image;
    (void)state;
    begin(&f);
    f.options.props.lighting = false;
    f.options.props.normals = true;
    put_textured(&f, "box", &box_atlas);
    put_lit(&f, "box", vec3(256, 256, 64));
    light_wide(&f, light_entity);
    read_image(&f, "texelslighting_0.ppl", &file, &image);
    const unsigned char *up = image.pixels + 3 * (24 * WIDTH + 40), want[3] = {127, 127, 255};
    assert_memory_equal(up, want, 3);
    bytes_free(&file);
    end(&f);
}

/* A field of boxes in a room with bounces, some of them sunk: the same bytes. */
static void threads_and_ranks_do_not_matter(void **state)
{
    static const int threads[] = {1, 2, 7, 1, 2}, ranks[] = {0, 0, 0, 5, 3};
    struct bytes first = {0};
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct fixture f;
        begin(&f);
        f.env.threads = threads[i];
        f.ranks = ranks[i];
        f.options.bounce = 3;
        f.options.prop_scene = &with_triangles;
        for (int k = 0; k < 3; k++)
            f.bsp->texdata[0].reflectivity[k] = 0.5f;
        put_textured(&f, "box", &box_atlas);
        for (int k = 0; k < 5; k++) {
            struct static_prop *prop =
                put_lit(&f, "box", vec3(40 + 90 * k, 40 + k * 77 % 400, k * 31 % 90));
            prop->angles[1] = (float)(k * 17);
            prop->lightmap_resolution[0] = k == 4 ? 192 : 24 + 10 * k;
            prop->lightmap_resolution[1] = k == 4 ? 192 : HEIGHT;
        }
        light_wide(&f, light_entity);
        expect_same_pakfile(&f, &first);
        end(&f);
    }
    bytes_free(&first);
}

SUITE(test_vrad_prop_texels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texels_have_the_light_of_the_entity),
        cmocka_unit_test(gaps_have_the_light_of_their_neighbours),
        cmocka_unit_test(edges_of_shadows_are_soft),
        cmocka_unit_test(coordinates_wrap),
        cmocka_unit_test(covered_texels_take_light_from_above),
        cmocka_unit_test(texels_gather_bounced_light),
        cmocka_unit_test(every_lod_has_the_image),
        cmocka_unit_test(hdr_light_takes_the_name),
        cmocka_unit_test(many_texels_have_the_light_of_few),
        cmocka_unit_test(invalid_texture_layouts_are_reported),
        cmocka_unit_test(normals_can_be_shown),
        cmocka_unit_test(threads_and_ranks_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
