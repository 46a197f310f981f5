/* Lighting of detail props, against closed forms and the reference tools. */
#include "tests/support/suite.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/lumps/detail_props.h"
#include "common/bsp/worldlight.h"
#include "common/core/strings.h"
#include "common/diag/codes/prop_lumps.def"
#include "tests/support/model_files.h"
#include "tests/support/near.h"
#include "tests/support/room_bsp.h"
#include "tests/support/vrad/on_ranks.h"
#include "vrad/luxels/colour.h"

#define REFERENCE SHARED_DIR "/corpus/refs/detail.bsp"
#define GAME      SHARED_DIR "/corpus/generated/game"
#define MORE      SHARED_DIR "/corpus/refs/game_extra"

/* Of the lights, at distance 1. */
#define INTENSITY 200e4

static const char light_entities[] =
    "{\n\"classname\" \"light\"\n\"origin\" \"128 256 200\"\n"
    "\"_light\" \"255 255 255 200\"\n\"_quadratic_attn\" \"1\"\n}\n"
    "{\n\"classname\" \"light\"\n\"origin\" \"384 256 200\"\n\"style\" \"5\"\n"
    "\"_light\" \"255 255 255 200\"\n\"_lightHDR\" \"255 255 255 400\"\n"
    "\"_quadratic_attn\" \"1\"\n}\n";

struct fixture {
    struct bsp *bsp;
    struct diag *diag;
    struct env env;
    struct vrad_options options;
    struct detail_props props;   /* before, then after */
    struct detail_light *lights; /* of the lump for LDR, or HDR */
    int ranks;                   /* that light it; 0: no others */
};

/* A room of 512 x 512 x 256 without reflections, with a wall in the middle up to z = 240. */
static void begin(struct fixture *f)
{
    *f = (struct fixture){.bsp = room_new(vec3(512, 512, 256), 0, NULL),
                          .diag = diag_new(NULL, NULL),
                          .options = vrad_defaults};
    f->env = (struct env){.diag = f->diag, .threads = 2, .fs = fs_memory_new()};
    f->options.bounce = 0;
    room_add_box(f->bsp, vec3(250, 0, 0), vec3(262, 512, 256));
    arrput(f->bsp->areas, (struct bsp_area){0}); /* without it other ranks refuse the file */
    const struct detail_sprite sprite = {{-8, 24}, {8, 0}, {0, 0}, {1, 1}};
    arrput(f->props.sprites, sprite);
}

static void end(struct fixture *f)
{
    arrfree(f->lights);
    detail_props_free(&f->props);
    fs_memory_free(f->env.fs);
    bsp_free(f->bsp);
    diag_free(f->diag);
}

static struct detail_object *put_object(struct fixture *f, struct vec3 origin)
{
    struct detail_object object = {.leaf = 1, .type = DETAIL_CROSS, .scale = 1};
    for (int k = 0; k < 3; k++)
        object.origin[k] = (float)origin.e[k];
    arrput(f->props.objects, object);
    return &arrlast(f->props.objects);
}

static const struct bsp_game_lump *find(const struct fixture *f, uint32_t id)
{
    for (size_t i = 0; i < arrlenu(f->bsp->game_lumps); i++)
        if (f->bsp->game_lumps[i].id == id)
            return &f->bsp->game_lumps[i];
    return NULL;
}

static void run(struct fixture *f, const char *entities)
{
    static const char *const folders[] = {"game"};
    const struct assets_options look_up = {.search_paths = folders, .search_path_count = 1};
    struct assets *assets;
    assert_int_equal(f->env.fs->ops->write(f->env.fs, "game/x", "x", 1), 0);
    if (!find(f, DETAIL_PROPS_ID)) {
        struct bsp_game_lump lump = {.id = DETAIL_PROPS_ID, .version = DETAIL_PROPS_VERSION};
        struct record_range_error range_error;
        assert_true(detail_props_encode(&f->props, ORDER_LITTLE, &lump.data, &range_error));
        arrput(f->bsp->game_lumps, lump);
    }
    room_set_entities(f->bsp, entities);
    assert_int_equal(assets_open(&f->env, &look_up, &assets), STATUS_OK);
    assert_int_equal(vrad_run_on_ranks(f->ranks, &f->env, &f->options, assets, f->bsp), STATUS_OK);
    assets_free(assets);
}

/* Reads the lumps; a missing light lump counts as empty. */
static void read_back(struct fixture *f, bool hdr)
{
    const struct bsp_game_lump *props = find(f, DETAIL_PROPS_ID);
    const struct bsp_game_lump *lump = find(f, hdr ? DETAIL_LIGHT_HDR_ID : DETAIL_LIGHT_ID);
    detail_props_free(&f->props);
    arrfree(f->lights);
    assert_int_equal(
        detail_props_decode(&props->data, props->version, ORDER_LITTLE, NULL, f->diag, &f->props),
        STATUS_OK);
    if (lump)
        assert_int_equal(detail_light_decode(&lump->data, lump->version, ORDER_LITTLE, NULL,
                                             f->diag, &f->lights),
                         STATUS_OK);
    detail_props_check(&f->props, arrlenu(f->bsp->leaves), arrlenu(f->lights), NULL, f->diag);
    assert_int_equal(diag_count_code(f->diag, DIAG_DETAIL_PROPS), 0);
}

static double green(struct bsp_colour colour)
{
    float rgb[3];
    colour_decode(colour, rgb);
    return (double)rgb[1];
}

static double direct_at(double across, double up)
{
    double square = across * across + up * up;
    return INTENSITY * up / (square * sqrt(square));
}

static void props_have_the_light_of_the_entity(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    put_object(&f, vec3(64, 256, 0));
    struct detail_object *sprite = put_object(&f, vec3(64, 256, 0));
    sprite->type = DETAIL_SPRITE;
    sprite->scale = 2; /* its middle is at 24 */
    put_object(&f, vec3(128, 256, 100))->angles[0] = 180;
    run(&f, light_entities);
    read_back(&f, false);
    double low = direct_at(64, 199), middle = direct_at(64, 176);
    assert_near(green(f.props.objects[0].light), low, low * 0.005);
    assert_near(green(f.props.objects[1].light), middle, middle * 0.005);
    assert_near(green(f.props.objects[2].light), 0, 1e-6);
    assert_int_equal(f.props.objects[0].light_count, 0);
    assert_int_equal(arrlen(f.lights), 0);
    end(&f);
}

/* The hull reaches from -8 to 24 along x and from 0 to 96 upwards; the prop is rotated by 90
 * degrees. A missing model is lit at its origin. */
static void models_are_lit_in_the_middle_of_their_hull(void **state)
{
    static const float hull[] = {-8, -4, 0, 24, 4, 96};
    const double sides[3] = {1, 1, 1};
    struct model_files files = model_files_box(48, MDL_STATIC_PROP, sides);
    struct fixture f;
    (void)state;
    begin(&f);
    for (size_t i = 0; i < 6; i++) {
        uint32_t bits;
        memcpy(&bits, &hull[i], sizeof bits);
        model_files_put(&files.mdl, 104 + 4 * i, bits);
    }
    assert_int_equal(
        f.env.fs->ops->write(f.env.fs, "game/models/twig.mdl", files.mdl.data, files.mdl.size), 0);
    model_files_free(&files);
    arrput(f.props.models, str_copy("models/twig.mdl"));
    arrput(f.props.models, str_copy("models/none.mdl"));
    for (int i = 0; i < 2; i++) {
        struct detail_object *object = put_object(&f, vec3(64, 256, 0));
        object->type = DETAIL_MODEL;
        object->model = i;
        object->angles[1] = 90;
    }
    run(&f, light_entities);
    read_back(&f, false);
    /* 64 units beside the light, and 8 the other way. */
    double want[] = {direct_at(sqrt(64 * 64 + 8 * 8), 200 - 48), direct_at(64, 199)};
    for (int i = 0; i < 2; i++)
        assert_near(green(f.props.objects[i].light), want[i], want[i] * 0.005);
    end(&f);
}

/* Light of a style is not in the record, but at half in the lump. */
static void expect_entries(int ranks)
{
    struct fixture f;
    begin(&f);
    f.ranks = ranks;
    put_object(&f, vec3(64, 256, 0));
    put_object(&f, vec3(384, 256, 0));
    put_object(&f, vec3(448, 256, 0));
    for (int i = 0; i < 100; i++) /* more than one rank's work, without entries */
        put_object(&f, vec3(64, 200 + i, 0));
    f.options.ldr = f.options.hdr = true;
    run(&f, light_entities);
    for (int hdr = 0; hdr < 2; hdr++) {
        read_back(&f, hdr);
        assert_int_equal(arrlen(f.lights), 2);
        for (uint32_t i = 0; i < 2; i++) {
            double want = direct_at(i ? 64 : 0, 199) * (hdr ? 1 : 0.5);
            assert_int_equal(f.props.objects[i + 1].light_count, 1);
            assert_int_equal(f.props.objects[i + 1].first_light, i);
            assert_int_equal(f.lights[i].style, 5);
            assert_near(green(f.lights[i].light), want, want * 0.005);
            assert_near(green(f.props.objects[i + 1].light), 0, 1e-6);
        }
    }
    end(&f);
}

static void styles_have_entries(void **state)
{
    (void)state;
    expect_entries(0);
    expect_entries(3);
}

/* The records serve LDR and HDR: the entries of one run stay when the other set is lit later, also
 * for props that only one of them lights. */
static void a_later_run_keeps_the_other_light(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    put_object(&f, vec3(64, 256, 0));
    put_object(&f, vec3(448, 256, 0));
    f.options.ldr = true;
    run(&f, light_entities);
    assert_non_null(find(&f, DETAIL_LIGHT_ID));
    assert_null(find(&f, DETAIL_LIGHT_HDR_ID));
    f.options.ldr = false;
    f.options.hdr = true;
    run(&f, "{\n\"classname\" \"light\"\n\"origin\" \"128 256 200\"\n\"style\" \"7\"\n"
            "\"_light\" \"255 255 255 200\"\n\"_quadratic_attn\" \"1\"\n}\n");
    read_back(&f, false);
    assert_int_equal(arrlen(f.lights), 2);
    assert_int_equal(f.lights[0].style, 7);
    assert_near(green(f.lights[0].light), 0, 1e-6);
    assert_int_equal(f.lights[1].style, 5);
    assert_near(green(f.lights[1].light), direct_at(64, 199) / 2, 0.1);
    read_back(&f, true);
    assert_int_equal(arrlen(f.lights), 2);
    assert_near(green(f.lights[0].light), direct_at(64, 199) / 2, 0.1);
    assert_near(green(f.lights[1].light), 0, 1e-6);
    end(&f);
}

/* Half of a prop's surroundings is the floor. */
static void props_gather_bounced_light(void **state)
{
    static const int open[6] = {[ROOM_CEILING] = SURFACE_SKY | SURFACE_SKY2D};
    struct fixture f;
    (void)state;
    begin(&f);
    bsp_free(f.bsp);
    f.bsp = room_new(vec3(2048, 2048, 64), 0, open);
    put_object(&f, vec3(1024, 1024, 60));
    run(&f, "{\n\"classname\" \"light_environment\"\n\"_light\" \"0 0 0 0\"\n"
            "\"_ambient\" \"255 255 255 100\"\n}\n");
    read_back(&f, false);
    assert_near(green(f.props.objects[0].light), 50, 1.5);
    end(&f);
}

/* In the light of a lamp, and in the shadow of a wall that only bounced light reaches, near to the
 * floor and to walls: the light of paths, on average and at each prop. The paths are few: with 64
 * times as many, which takes minutes, the bias is .004 and the worst .09. */
static void light_is_that_of_paths(void **state)
{
    double light[2][24], sum = 0, worst = 0;
    (void)state;
    for (int reference = 0; reference < 2; reference++) {
        struct fixture f;
        begin(&f);
        f.options.bounce = 100;
        f.options.physical = true;
        f.options.reference = reference;
        for (int k = 0; k < 3; k++)
            f.bsp->texdata[0].reflectivity[k] = 0.6f;
        room_add_box(f.bsp, vec3(40, 100, 0), vec3(200, 108, 180));
        for (int i = 0; i < 24; i++) {
            struct detail_object *object = put_object(&f, vec3(20 + 9 * i, i % 2 ? 60 : 300, 0));
            object->type = i % 3 ? DETAIL_SPRITE : DETAIL_CROSS;
        }
        run(&f, light_entities);
        read_back(&f, false);
        for (int i = 0; i < 24; i++)
            light[reference][i] = green(f.props.objects[i].light);
        end(&f);
    }
    for (int i = 0; i < 24; i++) {
        double miss = log2(light[0][i] / light[1][i]);
        assert_true(light[1][i] > 1);
        sum += miss;
        worst = fmax(worst, fabs(miss));
    }
    print_message("bias %.4f, worst %.4f\n", sum / 24, worst);
    assert_true(fabs(sum / 24) < 0.02);
    assert_true(worst < 0.3);
}

static void options_choose(void **state)
{
    (void)state;
    for (int only = 0; only < 2; only++) {
        struct fixture f;
        begin(&f);
        put_object(&f, vec3(64, 256, 0));
        f.options.props.no_detail = !only;
        f.options.props.only_detail = only;
        run(&f, light_entities);
        read_back(&f, false);
        double want = only ? direct_at(64, 199) : 0;
        assert_near(green(f.props.objects[0].light), want, 0.2);
        assert_int_equal(f.bsp->ldr.lighting.size > 0, !only);
        assert_int_equal(arrlen(f.bsp->ldr.worldlights) > 0, !only);
        assert_true(arrlen(f.bsp->ldr.ambient) > 0);
        end(&f);
    }
}

/* ---- the reference map ---- */

struct comparison {
    double n, x, y, xx, yy, xy;
};

static void compare(struct comparison *c, struct bsp_colour reference, struct bsp_colour ours)
{
    double x = log2(green(reference) + 0.5), y = log2(green(ours) + 0.5);
    c->n++;
    c->x += x;
    c->y += y;
    c->xx += x * x;
    c->yy += y * y;
    c->xy += x * y;
}

static void expect_alike(const struct comparison *c, const char *what, double min, double max_bias)
{
    double covariance = c->xy - c->x * c->y / c->n;
    double variances = (c->xx - c->x * c->x / c->n) * (c->yy - c->y * c->y / c->n);
    double correlation = covariance / sqrt(variances), bias = (c->y - c->x) / c->n;
    print_message("%s: %.0f props, correlation %.4f, bias %.3f\n", what, c->n, correlation, bias);
    assert_true(correlation >= min);
    assert_true(fabs(bias) < max_bias);
}

static void light_is_that_of_the_reference(void **state)
{
    struct fixture f = {.diag = diag_new(NULL, NULL), .options = vrad_defaults};
    static const char *const more[] = {MORE};
    const struct assets_options look_up = {
        .game = GAME, .search_paths = more, .search_path_count = 1};
    struct assets *assets;
    (void)state;
    if (access(REFERENCE, R_OK) != 0) {
        print_message("skipped: %s is not here\n", REFERENCE);
        diag_free(f.diag);
        skip();
    }
    f.env = (struct env){.diag = f.diag, .fs = fs_disk(), .threads = 2};
    assert_int_equal(bsp_read_file(&f.env, REFERENCE, &f.bsp), STATUS_OK);
    struct fixture reference = {.bsp = f.bsp, .diag = f.diag};
    read_back(&reference, true);
    assert_int_equal(assets_open(&f.env, &look_up, &assets), STATUS_OK);
    f.options.ldr = f.options.hdr = true;
    assert_int_equal(vrad_run(&f.env, &f.options, NULL, assets, f.bsp), STATUS_OK);
    assets_free(assets);
    read_back(&f, true);
    struct comparison sprites = {0}, models = {0}, others = {0}, styles = {0};
    assert_int_equal(arrlen(f.props.objects), 1432);
    for (ptrdiff_t i = 0; i < arrlen(f.props.objects); i++) {
        const struct detail_object *a = &reference.props.objects[i], *b = &f.props.objects[i];
        bool sprite = b->type == DETAIL_SPRITE;
        compare(sprite                    ? &sprites
                : b->type == DETAIL_MODEL ? &models
                                          : &others,
                a->light, b->light);
        assert_int_equal(a->light_count, 1);
        if (b->light_count == 1 && sprite)
            compare(&styles, reference.lights[a->first_light].light,
                    f.lights[b->first_light].light);
    }
    /* The bias is the reference's: it traces from the very origin of props that are not lit higher
     * up, sees the ground as black, and has half of the light in shadow. Ours is that of paths. */
    expect_alike(&models, "models", 0.995, 0.07);
    expect_alike(&sprites, "sprites", 0.99, 0.09);
    expect_alike(&others, "others", 0.97, 0.15);
    expect_alike(&styles, "light of a style", 0.99, 0.15);
    assert_true(styles.n > 1000);
    arrfree(reference.lights);
    detail_props_free(&reference.props);
    arrfree(f.lights);
    detail_props_free(&f.props);
    bsp_free(f.bsp);
    diag_free(f.diag);
}

SUITE(test_vrad_detail)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(props_have_the_light_of_the_entity),
        cmocka_unit_test(models_are_lit_in_the_middle_of_their_hull),
        cmocka_unit_test(styles_have_entries),
        cmocka_unit_test(a_later_run_keeps_the_other_light),
        cmocka_unit_test(props_gather_bounced_light),
        cmocka_unit_test(light_is_that_of_paths),
        cmocka_unit_test(options_choose),
        cmocka_unit_test(light_is_that_of_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
