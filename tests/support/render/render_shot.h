/* A picture of a map in memory, and assertions about its pixels. */
#ifndef TESTS_RENDER_SHOT_H
#define TESTS_RENDER_SHOT_H

#include "common/core/memory.h"
#include "render/render.h"
#include "tests/support/near.h"

enum { PICTURE = 65, MIDDLE = PICTURE / 2 };

struct shot {
    struct bsp *bsp;
    struct diag *diag;
    struct env env;
    struct assets *assets;
    struct render_options options;
    struct render *render;
    unsigned char *pixels;
};

static inline struct shot shot_of(struct bsp *bsp)
{
    struct shot shot = {.bsp = bsp, .diag = diag_new(NULL, NULL), .options = render_defaults};
    shot.env = (struct env){.diag = shot.diag, .threads = 1, .fs = fs_memory_new()};
    shot.options.width = shot.options.height = PICTURE;
    shot.options.samples = 1;
    return shot;
}

static inline void prepare(struct shot *shot)
{
    static const char *const paths[] = {"mod"};
    const struct assets_options look_up = {.search_paths = paths, .search_path_count = 1};
    assert_int_equal(shot->env.fs->ops->write(shot->env.fs, "mod/readme", "", 0), 0);
    assert_int_equal(assets_open(&shot->env, &look_up, &shot->assets), STATUS_OK);
    assert_int_equal(
        render_open(&shot->env, shot->assets, shot->bsp, &shot->options, &shot->render), STATUS_OK);
}

static inline void draw(struct shot *shot, const char *from)
{
    struct scene_view view;
    assert_true(scene_view_read(from, &view));
    memory_free(shot->pixels);
    shot->pixels = render_draw(shot->render, &view);
}

static const unsigned char *pixel(const struct shot *shot, int x, int y)
{
    return shot->pixels + 3 * (y * shot->options.width + x);
}

static inline void shot_free(struct shot *shot)
{
    memory_free(shot->pixels);
    render_close(shot->render);
    assets_free(shot->assets);
    fs_memory_free(shot->env.fs);
    diag_free(shot->diag);
    bsp_free(shot->bsp);
}

/* The byte of a linear light value. */
static inline int shown(double light)
{
    return (int)floor(255 * pow(light, 1 / 2.2) + 0.5);
}

static inline void assert_pixel(const struct shot *shot, int x, int y, double r, double g, double b)
{
    const double light[3] = {r, g, b};
    for (int k = 0; k < 3; k++)
        assert_near(pixel(shot, x, y)[k], shown(light[k]), 1);
}

#endif
