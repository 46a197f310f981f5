/* Our lighting against the reference tools' on the same maps. Their own error is a few per cent,
 * and more at shadow edges; ours is smaller, so that the bounds here are theirs. */
#include "tests/support/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/face_records.h"
#include "common/core/array.h"
#include "vrad/luxels/colour.h"
#include "vrad/luxels/luxel.h"
#include "vrad/vrad.h"

#define REFS SHARED_DIR "/corpus/refs/"
#define GAME SHARED_DIR "/corpus/generated/game"

struct run {
    struct diag *diag;
    struct env env;
    struct bsp *reference, *ours;
    struct entity_view *entities;
    struct scene scene;
    struct luxel_map map; /* the positions of the luxels */
};

/* False, with a line printed, when the corpus is not there. */
static bool light_again(struct run *run, const char *path, const char *rad)
{
    if (access(path, R_OK) != 0) {
        print_message("skipped: %s is not here\n", path);
        return false;
    }
    const struct assets_options look_up = {.game = GAME};
    struct vrad_options options = vrad_defaults;
    struct assets *assets;
    options.ldr = options.hdr = true;
    options.map_rad = rad;
    *run = (struct run){.diag = diag_new(NULL, NULL)};
    run->env = (struct env){.diag = run->diag, .fs = fs_disk(), .threads = 2};
    assert_int_equal(bsp_read_file(&run->env, path, &run->reference), STATUS_OK);
    assert_int_equal(bsp_read_file(&run->env, path, &run->ours), STATUS_OK);
    assert_int_equal(assets_open(&run->env, &look_up, &assets), STATUS_OK);
    assert_int_equal(vrad_run(&run->env, &options, NULL, assets, run->ours), STATUS_OK);
    assets_free(assets);
    const char *text = run->reference->entities;
    assert_int_equal(entity_view_parse(text, arrlenu(text), "entities", run->diag, &run->entities),
                     STATUS_OK);
    assert_int_equal(scene_build(&run->env, run->reference, run->entities, true,
                                 &(struct scene_extras){NULL, NULL}, &run->scene),
                     STATUS_OK);
    assert_int_equal(luxel_map_build(&run->env, &run->scene, 45, &run->map), STATUS_OK);
    return true;
}

static void end(struct run *run)
{
    luxel_map_free(&run->map);
    scene_free(&run->scene);
    entity_view_free(run->entities);
    bsp_free(run->reference);
    bsp_free(run->ours);
    diag_free(run->diag);
}

struct comparison {
    float *errors;              /* stb_ds array: relative */
    double n, x, y, xx, yy, xy; /* sums of the logarithms */
};

static float luminance(const struct bytes *lighting, size_t at)
{
    const unsigned char *p = lighting->data + at;
    float rgb[3];
    assert_true(at + 4 <= lighting->size);
    colour_decode((struct bsp_colour){p[0], p[1], p[2], (int8_t)p[3]}, rgb);
    return 0.2126f * rgb[0] + 0.7152f * rgb[1] + 0.0722f * rgb[2];
}

static void compare_luxel(struct comparison *c, float reference, float ours)
{
    double x = log2((double)reference + 0.5), y = log2((double)ours + 0.5);
    arrput(c->errors, fabsf(ours - reference) / fmaxf(reference, 0.5f));
    c->n++;
    c->x += x;
    c->y += y;
    c->xx += x * x;
    c->yy += y * y;
    c->xy += x * y;
}

/* The reference leaves luxels inside solids black, and luxels off their face are undefined. */
static bool counts(const struct face_light *face, int luxel)
{
    double whole = vec3_length(vec3_cross(face->axis[0], face->axis[1]));
    return !face->luxels[luxel].near_occluders && (double)face->luxels[luxel].area > 0.49 * whole;
}

/* Style 0: the flat map, or the bump maps. */
static void compare_faces(struct comparison *c, const struct run *run, bool hdr, bool bumps)
{
    const struct bytes *lighting_a =
        hdr ? &run->reference->hdr.lighting : &run->reference->ldr.lighting;
    const struct bytes *lighting_b = hdr ? &run->ours->hdr.lighting : &run->ours->ldr.lighting;
    for (int i = 0; i < run->map.face_count; i++) {
        const struct face_light *face = &run->map.faces[i];
        const struct bsp_face *a = &(hdr ? run->reference->faces_hdr : run->reference->faces)[i];
        const struct bsp_face *b = &(hdr ? run->ours->faces_hdr : run->ours->faces)[i];
        assert_int_equal(a->light_offset < 0, face->count == 0);
        assert_int_equal(b->light_offset < 0, face->count == 0);
        if (!face->count)
            continue;
        assert_int_equal(a->styles[0], 0);
        assert_int_equal(b->styles[0], 0);
        for (int slot = bumps; slot < (bumps ? face->slots : 1); slot++)
            for (int k = 0; k < face->count; k++) {
                int at = 4 * (slot * face->count + k);
                if (counts(face, k))
                    compare_luxel(c, luminance(lighting_a, (size_t)(a->light_offset + at)),
                                  luminance(lighting_b, (size_t)(b->light_offset + at)));
            }
    }
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void expect_alike(struct comparison *c, const char *what)
{
    double covariance = c->xy - c->x * c->y / c->n;
    double variances = (c->xx - c->x * c->x / c->n) * (c->yy - c->y * c->y / c->n);
    double correlation = covariance / sqrt(variances);
    qsort(c->errors, arrlenu(c->errors), sizeof *c->errors, by_size);
    double median = (double)c->errors[arrlen(c->errors) / 2];
    print_message("%s: %.0f luxels, correlation %.4f, median error %.4f\n", what, c->n, correlation,
                  median);
    assert_true(correlation >= 0.98);
    assert_true(median <= 0.05);
    arrfree(c->errors);
}

static void expect_alike_maps(const struct run *run, bool bumps)
{
    struct comparison ldr = {0}, hdr = {0};
    compare_faces(&ldr, run, false, bumps);
    compare_faces(&hdr, run, true, bumps);
    expect_alike(&ldr, bumps ? "LDR bump maps" : "LDR flat maps");
    expect_alike(&hdr, bumps ? "HDR bump maps" : "HDR flat maps");
}

/* Point and spot lights with all kinds of falloff, sun, sky, styles, bump maps, several lightmap
 * scales. */
static void rooms_with_local_lights(void **state)
{
    struct run run;
    (void)state;
    if (!light_again(&run, REFS "plain.bsp", NULL))
        skip();
    expect_alike_maps(&run, false);
    expect_alike_maps(&run, true);
    assert_int_equal(arrlen(run.ours->vertex_normal_indices),
                     arrlen(run.reference->vertex_normal_indices));
    for (ptrdiff_t i = 0; i < arrlen(run.ours->vertex_normal_indices); i++) {
        const float *a = run.reference->vertex_normals[run.reference->vertex_normal_indices[i]].p;
        const float *b = run.ours->vertex_normals[run.ours->vertex_normal_indices[i]].p;
        for (int k = 0; k < 3; k++)
            assert_true(fabsf(a[k] - b[k]) < 1e-5f);
    }
    end(&run);
}

static void surface_lights(void **state)
{
    struct run run;
    (void)state;
    if (!light_again(&run, REFS "texlight.bsp", REFS "texlight.rad"))
        skip();
    expect_alike_maps(&run, false);
    end(&run);
}

SUITE(test_vrad_refs)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rooms_with_local_lights),
        cmocka_unit_test(surface_lights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
