#include "vrad/encode/border.h"

#include <string.h>

#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/parallel/parallel.h"
#include "vrad/encode/seam_walk.h"
#include "vrad/luxels/bounced.h"
#include "vrad/luxels/luxel_border.h"

/* Of a luxel that is larger than those of the face it reaches into: points along a side. */
enum { MAX_POINTS = 4 };

/* A luxel may be this much larger before one point does not stand for all of it. */
#define SAME_SIZE 1.2

/* Light that is continued beyond the edge changes at most by this factor in a luxel. */
#define MAX_CHANGE 2.0f

struct job {
    struct seam_walk walk;
    struct luxel_map *map;
};

/* Light of one luxel of a border, of one map: direct and bounced. */
struct light_pair {
    float direct[3], bounced[3];
};

bool borders_any(const struct luxel_map *map)
{
    for (int i = 0; i < map->face_count; i++)
        if (map->faces[i].border && map->faces[i].count)
            return true;
    return false;
}

/* Adds the light of a luxel of a face: none, if it lacks the style. */
static void add_luxel(const struct face_light *face, int style, int slot, int luxel, float weight,
                      struct light_pair *sum)
{
    int index = face_style_index(face, style);
    float bounced[3] = {0, 0, 0};
    if (index < 0)
        return;
    const float *direct = face->direct[index] + (ptrdiff_t)3 * (slot * face->count + luxel);
    if (style == 0)
        bounced_at(face, slot, luxel, bounced);
    for (int k = 0; k < 3; k++) {
        sum->direct[k] += weight * direct[k];
        sum->bounced[k] += weight * bounced[k];
    }
}

/* The luxels around a point, and their weights, whose sum is `total`. */
struct blend {
    int luxel[4];
    float weight[4], total;
};

/* Bilinear interpolation without luxels that are hidden. */
static struct blend blend_at(const struct face_light *face, struct point2 at)
{
    double s = portable_fmin(portable_fmax(at.s, 0), face->width - 1);
    double t = portable_fmin(portable_fmax(at.t, 0), face->height - 1);
    int i = (int)(s + 1e-4), j = (int)(t + 1e-4); /* a rounding error must not ask for a fifth */
    float u = (float)portable_fmax(s - i, 0), v = (float)portable_fmax(t - j, 0);
    struct blend blend = {0};
    for (int c = 0; c < 4; c++) {
        int x = i + c % 2, y = j + c / 2;
        float weight = (c % 2 ? u : 1 - u) * (c / 2 ? v : 1 - v);
        if (!(weight > 1e-4f) || x >= face->width || y >= face->height)
            continue;
        blend.luxel[c] = y * face->width + x;
        blend.weight[c] = luxel_is_hidden(face, blend.luxel[c]) ? 0 : weight;
        blend.total += blend.weight[c];
    }
    return blend;
}

/* Points of the square of a border luxel from which its light is taken. */
struct sources {
    struct seam_place places[MAX_POINTS * MAX_POINTS];
    int count;
    bool bumps;
};

/* Side of the luxels of one face relative to those of another. */
static double relative_size(const struct face_light *face, const struct face_light *other)
{
    return other->square > 0 ? sqrt(face->square / other->square) : 1;
}

static bool is_usable(const struct job *job, const struct seam_place *place)
{
    const struct face_light *face = &job->map->faces[place->face];
    return face->count && !face->mesh && face->style_count && blend_at(face, place->at).total > 0;
}

/* Finds where the surface goes on at a luxel of the lattice that is in the border. */
static struct sources find_sources(const struct job *job, int face, struct point2 at)
{
    const struct face_light *own = &job->map->faces[face];
    struct sources sources = {.bumps = own->slots > 1};
    struct seam_place place;
    int points = 1;
    if (seam_walk_to(&job->walk, face, at, &place) && place.face != face) {
        double size = relative_size(own, &job->map->faces[place.face]);
        points = size > SAME_SIZE ? (int)portable_fmin(ceil(size), MAX_POINTS) : 1;
    }
    for (int i = 0; i < points * points; i++) {
        struct point2 point = {at.s + (i % points + 0.5) / points - 0.5,
                               at.t + (i / points + 0.5) / points - 0.5};
        if (!seam_walk_to(&job->walk, face, point, &place) || !is_usable(job, &place))
            continue;
        if (place.face != face)
            sources.bumps = sources.bumps && place.bumps && job->map->faces[place.face].slots > 1;
        sources.places[sources.count++] = place;
    }
    return sources;
}

static void take_sources(const struct job *job, const struct sources *sources, int style, int slot,
                         struct light_pair *out)
{
    float share = 1 / (float)sources->count;
    memset(out, 0, sizeof *out);
    for (int i = 0; i < sources->count; i++) {
        const struct seam_place *place = &sources->places[i];
        const struct face_light *face = &job->map->faces[place->face];
        const struct blend blend = blend_at(face, place->at);
        for (int c = 0; c < 4; c++)
            if (blend.weight[c] > 0)
                add_luxel(face, style, slot, blend.luxel[c], share * blend.weight[c] / blend.total,
                          out);
    }
}

/* Continues from `near`, with `inner` a luxel farther in. */
static float continued(float near, float inner)
{
    float change = near - inner;
    return portable_fmaxf(near / MAX_CHANGE, portable_fminf(near + change, near * MAX_CHANGE));
}

/* The light of the face itself, continued to a luxel of its lattice. False: the luxel beside it is
 * hidden. */
static bool take_own(const struct face_light *face, int at, int style, int slot,
                     struct light_pair *out)
{
    int width = lattice_width(face), near = lattice_nearest(face, at);
    int x = at % width - face->border, y = at / width - face->border;
    int inner_x = 2 * (near % face->width) - x, inner_y = 2 * (near / face->width) - y;
    struct light_pair inner = {0};
    memset(out, 0, sizeof *out);
    if (luxel_is_hidden(face, near))
        return false;
    add_luxel(face, style, slot, near, 1, out);
    if (inner_x < 0 || inner_x >= face->width || inner_y < 0 || inner_y >= face->height)
        return true;
    int luxel = inner_y * face->width + inner_x;
    if (luxel_is_hidden(face, luxel))
        return true;
    add_luxel(face, style, slot, luxel, 1, &inner);
    for (int k = 0; k < 3; k++) {
        out->direct[k] = continued(out->direct[k], inner.direct[k]);
        out->bounced[k] = continued(out->bounced[k], inner.bounced[k]);
    }
    return true;
}

static void put_light(struct face_light *face, int luxel, int style, int slot,
                      const struct light_pair *light)
{
    memcpy(border_direct(face, style, slot) + (ptrdiff_t)3 * luxel, light->direct,
           sizeof light->direct);
    if (style == 0)
        memcpy(border_bounced(face, slot) + (ptrdiff_t)3 * luxel, light->bounced,
               sizeof light->bounced);
}

static void fill_luxel(const struct job *job, int number, int at)
{
    struct face_light *face = &job->map->faces[number];
    const struct lattice_place place = lattice_place(face, at);
    const int width = lattice_width(face);
    const struct point2 point = {at % width - face->border, at / width - face->border};
    const struct sources sources = find_sources(job, number, point);
    for (int style = 0; style < face->style_count; style++)
        for (int slot = 0; slot < face->slots; slot++) {
            struct light_pair light;
            if (sources.count && (!slot || sources.bumps))
                take_sources(job, &sources, face->styles[style], slot, &light);
            else if (!take_own(face, at, face->styles[style], slot, &light))
                face->border_light->hidden[place.luxel] = 1;
            put_light(face, place.luxel, style, slot, &light);
        }
}

static void fill_face(void *context, size_t index, int thread)
{
    const struct job *job = context;
    struct face_light *face = &job->map->faces[index];
    (void)thread;
    if (!face->border || !face->style_count)
        return;
    border_light_new(face);
    for (int at = 0; at < lattice_count(face); at++)
        if (lattice_place(face, at).in_border)
            fill_luxel(job, (int)index, at);
}

void borders_fill(const struct env *env, const struct seam_list *list, struct luxel_map *map)
{
    struct job job = {.map = map};
    seam_walk_init(map, list, &job.walk);
    parallel_for_until(env->stop, env->threads, (size_t)map->face_count, fill_face, &job);
    seam_walk_free(&job.walk);
}
