#include "render/pictures/cube.h"

#include "common/assets/textures/vtf_cube.h"
#include "common/core/portable_math.h"
#include "render/shade/trace_path.h"

#define WHITE 255.0F

enum { SKY_SAMPLES = 4 /* along each side of a pixel */ };

/* Faces are mirror images of views, so that these axes are left-handed. */
static struct camera camera_of_face(struct vec3 eye, int face, int side)
{
    struct vtf_cube_axes axes = vtf_cube_axes(face);
    return (struct camera){
        .place = {.axes = {axes.ahead, vec3_neg(axes.right), vec3_neg(axes.down)}, .origin = eye},
        .scale = 2.0 / side,
        .middle = {side / 2.0, side / 2.0},
    };
}

void render_cube(const struct render *render, const struct render_options *options, int side,
                 struct vec3 eye, float (*const faces[RENDER_CUBE_FACES])[4])
{
    struct render_options square = *options;
    square.width = square.height = side;
    for (int i = 0; i < RENDER_CUBE_FACES; i++) {
        struct camera camera = camera_of_face(eye, i, side);
        render_light(render, &square, &camera, faces[i]);
    }
}

static void draw_sky_pixel(const struct render *render, const struct camera *camera, int x, int y,
                           float out[4])
{
    const struct map_scene *scene = &render->scene;
    bool soft = scene_is_hdr(scene);
    float sum[3] = {0};
    for (int i = 0; i < SKY_SAMPLES * SKY_SAMPLES; i++) {
        struct vec3 origin, direction;
        float sky[3];
        camera_ray(camera, x + (i % SKY_SAMPLES + 0.5) / (double)SKY_SAMPLES,
                   y + (i / SKY_SAMPLES + 0.5) / (double)SKY_SAMPLES, &origin, &direction);
        render_sky_at(scene, direction, camera->scale / (double)SKY_SAMPLES, sky);
        for (int k = 0; k < 3; k++)
            sum[k] += soft ? sky[k] : portable_fminf(sky[k], WHITE);
    }
    for (int k = 0; k < 3; k++)
        out[k] = sum[k] / (WHITE * (float)(SKY_SAMPLES * SKY_SAMPLES));
    out[3] = 1;
}

void render_sky_cube(const struct render *render, int side,
                     float (*const faces[RENDER_CUBE_FACES])[4])
{
    for (int face = 0; face < RENDER_CUBE_FACES; face++) {
        struct camera camera = camera_of_face(vec3(0, 0, 0), face, side);
        for (int i = 0; i < side * side; i++)
            draw_sky_pixel(render, &camera, i % side, i / side, faces[face][i]);
    }
}
