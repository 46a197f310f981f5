#include "vrad/encode/border.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/parallel/parallel.h"
#include "vrad/encode/seam_walk.h"
#include "vrad/luxels/bounced.h"
#include "vrad/luxels/luxel_border.h"
#include "vrad/luxels/luxel_set.h"

/* --- border share --- */

/* Luxels of two faces are the same place when they are this near, in luxels. */
#define SAME_LUXEL 0.01

/* Luxels are shared within this many of a seam point, across the edge and along it: a cubic filter
 * reads so far over an edge. */
#define ACROSS 2.0
#define ALONG  1.0

enum { REACH = 2 };

/* Two luxels that are the same place, by their numbers in the map. */
struct same {
    size_t luxel[2];
};

/* Groups of luxels of one place. What is by rank has one entry for each luxel that is shared. */
struct groups {
    struct luxel_map *map;
    size_t *first; /* number of each face's first luxel in the map, and one past */
    struct same *pairs;
    struct luxel_set set;
    uint32_t count;
    uint32_t *parent;       /* by rank */
    float (*sum)[3], *area; /* by the rank of a group's root */
};

static bool is_near(double a, double b)
{
    return fabs(a - b) < SAME_LUXEL;
}

/* True if steps of a luxel lead to whole luxels, in some direction. */
static bool is_same_lattice(const struct luxel_affine *affine)
{
    struct point2 at = luxel_affine_at(affine, (struct point2){0, 0});
    bool straight = is_near(fabs(affine->across.s), 1) && is_near(affine->across.t, 0) &&
                    is_near(affine->along.s, 0) && is_near(fabs(affine->along.t), 1);
    bool crossed = is_near(affine->across.s, 0) && is_near(fabs(affine->across.t), 1) &&
                   is_near(fabs(affine->along.s), 1) && is_near(affine->along.t, 0);
    return (straight || crossed) && is_near(at.s, floor(at.s + 0.5)) &&
           is_near(at.t, floor(at.t + 0.5));
}

static bool has_luxel(const struct face_light *face, int x, int y)
{
    return x >= 0 && y >= 0 && x < face->width && y < face->height;
}

static void pair_luxels(struct groups *groups, const struct seam *seam, struct seam_end end,
                        const struct luxel_affine *affine)
{
    const struct face_light *own = &groups->map->faces[seam->face[end.side]];
    const struct face_light *other = &groups->map->faces[seam->face[!end.side]];
    int s = (int)floor(affine->from.s), t = (int)floor(affine->from.t);
    for (int y = t - REACH; y <= t + REACH + 1; y++)
        for (int x = s - REACH; x <= s + REACH + 1; x++) {
            struct point2 inward = seam->inward[end.side];
            double ds = x - affine->from.s, dt = y - affine->from.t;
            struct point2 at = luxel_affine_at(affine, (struct point2){x, y});
            int u = (int)floor(at.s + 0.5), v = (int)floor(at.t + 0.5);
            if (fabs(ds * inward.s + dt * inward.t) >= ACROSS ||
                fabs(ds * inward.t - dt * inward.s) >= ALONG || !has_luxel(own, x, y) ||
                !has_luxel(other, u, v))
                continue;
            const struct same same = {
                {groups->first[seam->face[end.side]] + (size_t)(y * own->width + x),
                 groups->first[seam->face[!end.side]] + (size_t)(v * other->width + u)}};
            arrput(groups->pairs, same);
        }
}

/* Lists luxels that two faces share. With `bumped` only those whose bumped light is the same. */
static void list_pairs(struct groups *groups, const struct seam_walk *walk, bool bumped)
{
    const struct seam_list *list = walk->list;
    for (size_t i = 0; i < arrlenu(list->points); i++) {
        const struct seam *seam = &list->seams[list->points[i].seam];
        const struct seam_end end = {(int)i, 0};
        if (!groups->map->faces[seam->face[0]].border ||
            !groups->map->faces[seam->face[1]].border || (bumped && !seam->bumps))
            continue;
        const struct luxel_affine affine = seam_unfold(walk, end);
        if (is_same_lattice(&affine))
            pair_luxels(groups, seam, end, &affine);
    }
}

static uint32_t root_of(uint32_t *parent, uint32_t rank)
{
    while (parent[rank] != rank)
        rank = parent[rank] = parent[parent[rank]];
    return rank;
}

/* Joins the luxels of each pair: the lower root leads. */
static void join_pairs(struct groups *groups)
{
    size_t pairs = arrlenu(groups->pairs);
    groups->set = luxel_set_new(groups->first[groups->map->face_count] + 1);
    for (size_t i = 0; i < 2 * pairs; i++)
        luxel_set_add(&groups->set, groups->pairs[i / 2].luxel[i % 2]);
    groups->count = luxel_set_rank_all(&groups->set);
    groups->parent = memory_alloc((groups->count + 1) * sizeof *groups->parent);
    groups->sum = memory_alloc((groups->count + 1) * sizeof *groups->sum);
    groups->area = memory_alloc((groups->count + 1) * sizeof *groups->area);
    for (uint32_t i = 0; i < groups->count; i++)
        groups->parent[i] = i;
    for (size_t i = 0; i < pairs; i++) {
        uint32_t roots[2];
        for (int k = 0; k < 2; k++)
            roots[k] =
                root_of(groups->parent, luxel_set_rank(&groups->set, groups->pairs[i].luxel[k]));
        groups->parent[roots[0] > roots[1] ? roots[0] : roots[1]] =
            roots[0] > roots[1] ? roots[1] : roots[0];
    }
}

/* Direct light of a luxel; NULL: the face lacks the style or the slot. */
static float *direct_at(const struct face_light *face, int style, int slot, int luxel)
{
    int index = slot < face->slots ? face_style_index(face, style) : -1;
    return index >= 0 ? face->direct[index] + (ptrdiff_t)3 * (slot * face->count + luxel) : NULL;
}

static void bounced_of(const struct face_light *face, int style, int slot, int luxel, float out[3])
{
    memset(out, 0, 3 * sizeof *out);
    if (style == 0 && slot < face->slots)
        bounced_at(face, slot, luxel, out);
}

/* Direct and bounced light of a luxel. */
static void light_at(const struct face_light *face, int style, int slot, int luxel, float out[3])
{
    const float *direct = direct_at(face, style, slot, luxel);
    bounced_of(face, style, slot, luxel, out);
    for (int k = 0; k < 3 && direct; k++)
        out[k] += direct[k];
}

/* A shared luxel, and what its group has. */
struct member {
    struct face_light *face;
    int luxel;
    uint32_t root;
};

typedef void visit_member(struct groups *groups, const struct member *member, int style, int slot);

static void visit_members(struct groups *groups, int style, int slot, visit_member *visit)
{
    for (int i = 0; i < groups->map->face_count; i++) {
        uint32_t rank = luxel_set_rank(&groups->set, groups->first[i]);
        if (rank == luxel_set_rank(&groups->set, groups->first[i + 1]))
            continue;
        for (int luxel = 0; luxel < groups->map->faces[i].count; luxel++)
            if (luxel_set_has(&groups->set, groups->first[i] + (size_t)luxel)) {
                struct member member = {&groups->map->faces[i], luxel,
                                        root_of(groups->parent, rank++)};
                visit(groups, &member, style, slot);
            }
    }
}

static void gather(struct groups *groups, const struct member *member, int style, int slot)
{
    float light[3], area = luxel_area(member->face, member->luxel);
    float *sum = groups->sum[member->root], *whole = &groups->area[member->root];
    if (luxel_is_hidden(member->face, member->luxel) || !(area > 0))
        return;
    light_at(member->face, style, slot, member->luxel, light);
    *whole += area;
    for (int k = 0; k < 3; k++)
        sum[k] += area * light[k];
}

static void hand_out(struct groups *groups, const struct member *member, int style, int slot)
{
    float bounced[3], area = groups->area[member->root];
    float *direct = direct_at(member->face, style, slot, member->luxel);
    if (!(area > 0) || !direct)
        return;
    bounced_of(member->face, style, slot, member->luxel, bounced);
    for (int k = 0; k < 3; k++)
        direct[k] = groups->sum[member->root][k] / area - bounced[k];
}

static void share_light(struct groups *groups, int style, int slot)
{
    memset(groups->sum, 0, groups->count * sizeof *groups->sum);
    memset(groups->area, 0, groups->count * sizeof *groups->area);
    visit_members(groups, style, slot, gather);
    visit_members(groups, style, slot, hand_out);
}

static void groups_free(struct groups *groups)
{
    arrfree(groups->pairs);
    luxel_set_free(&groups->set);
    memory_free(groups->parent);
    memory_free(groups->sum);
    memory_free(groups->area);
}

/* Shares one slot, or all that are bumped. */
static void share_slots(const struct seam_walk *walk, struct luxel_map *map, size_t *first,
                        bool bumped)
{
    struct groups groups = {.map = map, .first = first};
    bool styles[BSP_STYLE_NONE + 1] = {false};
    list_pairs(&groups, walk, bumped);
    if (arrlenu(groups.pairs)) {
        join_pairs(&groups);
        for (int i = 0; i < map->face_count; i++)
            for (int s = 0; s < map->faces[i].style_count; s++)
                styles[map->faces[i].styles[s]] = true;
        for (int style = 0; style < BSP_STYLE_NONE; style++)
            for (int slot = bumped; styles[style] && slot < (bumped ? LUXEL_SLOTS : 1); slot++)
                share_light(&groups, style, slot);
    }
    groups_free(&groups);
}

void borders_share(const struct seam_list *list, struct luxel_map *map)
{
    struct seam_walk walk;
    size_t *first = memory_zalloc((size_t)map->face_count + 1, sizeof *first);
    for (int i = 0; i < map->face_count; i++)
        first[i + 1] = first[i] + (size_t)map->faces[i].count;
    seam_walk_init(map, list, &walk);
    share_slots(&walk, map, first, false);
    share_slots(&walk, map, first, true);
    seam_walk_free(&walk);
    memory_free(first);
}

/* --- border --- */

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
