#include "vrad/bounce/bounce_solve.h"

#include "common/core/memory.h"
#include "common/parallel/parallel.h"

enum { NARROW_LUXELS = 4 };

/* Light, of 255, that a ray to hot spots is worth where it is only carried on. */
#define WORTH_A_RAY 1

bool bounce_is_narrow(const struct face_light *light)
{
    return light->width <= NARROW_LUXELS || light->height <= NARROW_LUXELS;
}

struct laying {
    struct bounce_webs *webs;
    double spacing;
    bool inset;
};

static void lay_face(void *context, size_t face, int thread)
{
    (void)thread;
    const struct laying *laying = context;
    const struct bounce_webs *webs = laying->webs;
    const struct face_light *light = &webs->radiosity->map->faces[face];
    struct bounce_web *web = &webs->of_face[face];
    if (light->width <= 0 || light->kept)
        return;
    if (laying->inset)
        lattice_build_inset(light, laying->spacing, &web->lattice);
    else
        lattice_build(light, laying->spacing, &web->lattice);
}

void bounce_webs_lay(const struct env *env, struct radiosity *radiosity,
                     const struct hot_spots *hot, const struct hot_view *views, double spacing,
                     bool inset, struct bounce_webs *out)
{
    size_t faces = (size_t)radiosity->map->face_count;
    *out = (struct bounce_webs){.radiosity = radiosity,
                                .hot = hot,
                                .views = views,
                                .of_face = memory_zalloc(faces + 1, sizeof *out->of_face)};
    struct laying laying = {out, spacing, inset};
    parallel_for(env->threads, faces, lay_face, &laying);
    for (size_t i = 0; i < faces; i++)
        out->points += lattice_points(&out->of_face[i].lattice);
}

static void cast_points(const struct bounce_webs *webs, int face, struct bounce_web *web)
{
    const struct face_light *light = &webs->radiosity->map->faces[face];
    struct hot_cells spots;
    int total = lattice_points(&web->lattice);
    double finer = (double)GATHER_PARTS / webs->table->rays; /* as the rays of a small map are */
    hot_cells_open(&webs->views[face], face, &spots);
    for (int first = 0; first < total; first += GATHER_POINTS) {
        struct gather_point points[GATHER_POINTS];
        int count = total - first < GATHER_POINTS ? total - first : GATHER_POINTS;
        for (int i = 0; i < count; i++) {
            int luxel = lattice_luxel(light, &web->lattice, first + i);
            points[i] = gather_point_at(webs->radiosity, face, luxel, &webs->views[face]);
            points[i].slots = 1;
            points[i].min = fmax(points[i].min, WORTH_A_RAY) * finer;
            web->hot_rays += gather_hot(&points[i], hot_cells_at(&spots, luxel),
                                        web->hot + 3 * (size_t)(first + i));
        }
        gather_look(webs->radiosity, webs->table, points, count,
                    web->seen + (size_t)first * (size_t)webs->table->rays);
    }
    hot_cells_free(&spots);
}

static void cast_face(void *context, size_t face, int thread)
{
    (void)thread;
    const struct bounce_webs *webs = context;
    struct bounce_web *web = &webs->of_face[face];
    size_t points = (size_t)lattice_points(&web->lattice);
    if (!points)
        return;
    web->seen = memory_alloc(points * (size_t)webs->table->rays * sizeof *web->seen);
    web->hot = memory_zalloc(points * 3, sizeof *web->hot);
    cast_points(webs, (int)face, web);
}

void bounce_webs_cast(const struct env *env, struct bounce_webs *webs,
                      const struct gather_table *table)
{
    webs->table = table;
    parallel_for(env->threads, (size_t)webs->radiosity->map->face_count, cast_face, webs);
}

void bounce_webs_free(struct bounce_webs *webs)
{
    for (int i = 0; i < webs->radiosity->map->face_count; i++) {
        struct bounce_web *web = &webs->of_face[i];
        memory_free(web->seen);
        memory_free(web->hot);
    }
    memory_free(webs->of_face);
    *webs = (struct bounce_webs){0};
}
