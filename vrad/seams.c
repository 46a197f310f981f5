#include "vrad/seams.h"

#include "common/core/array.h"
#include "common/core/memory.h"
#include "vrad/seam_pairs.h"

/* No sweep is worth while that closes no step by this much, of 255. */
#define LEAST_GAIN 0.02

enum { SWEEPS = 12, CORNERS = 4 };

/* Of a luxel's square counts at least this share: slivers must not take all of a change. */
#define LEAST_SHARE 0.25

/* Light may step by what it changes within a luxel on either side, and by this share of it. */
#define PLAIN_STEP 0.2

/* How much a point may miss: of its own stiffness. Where lightmaps of different scale meet not all
 * can agree. */
#define SLACK 0.05

/* What happens to the luxels of a face that lie on seams. */
struct change {
    int *place;        /* one a luxel: 1 + its place in the arrays below; 0: not on a seam */
    int *luxels;       /* count */
    float *by;         /* 3 a luxel; NULL: no seams, or kept */
    float *low, *high; /* the light stays within its own and that on the edges, of both sides */
    int count;
    const float *direct, *bounced; /* of the layer at work; direct NULL: it has none */
};

/* One map of one style on either side of a seam. */
struct layer {
    const struct luxel_map *map;
    const struct seam_list *list;
    int style, slot;
    struct change *changes; /* one a face */
    float (*pull)[3];       /* one a point: how far it has drawn its luxels (times their areas) */
    float (*aim)[3];        /* the step that is to stay */
    unsigned char *on;      /* whether both sides have the layer */
};

/* The four luxels around a place and their weights. */
struct spot {
    int luxel[CORNERS];
    float weight[CORNERS];
};

static struct spot spot_at(const struct face_light *face, float s, float t)
{
    s = s < 0 ? 0 : s > (float)(face->width - 1) ? (float)(face->width - 1) : s;
    t = t < 0 ? 0 : t > (float)(face->height - 1) ? (float)(face->height - 1) : t;
    int i = (int)s, j = (int)t;
    float u = s - (float)i, v = t - (float)j;
    int right = i + 1 < face->width ? 1 : 0, below = j + 1 < face->height ? face->width : 0;
    int at = j * face->width + i;
    return (struct spot){{at, at + right, at + below, at + right + below},
                         {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v}};
}

static int style_index(const struct face_light *face, int style)
{
    for (int i = 0; i < face->style_count; i++)
        if (face->styles[i] == style)
            return i;
    return -1;
}

static const struct change *change_of(const struct layer *layer, const struct face_light *face)
{
    return &layer->changes[face - layer->map->faces];
}

/* Direct and bounced light of a luxel as it is so far. */
static void luxel_light(const struct layer *layer, const struct face_light *face, int luxel,
                        float out[3])
{
    const struct change *change = change_of(layer, face);
    size_t at = 3 * (size_t)luxel;
    int place = change->place ? change->place[luxel] : 0;
    for (size_t k = 0; k < 3; k++) {
        out[k] = change->direct[at + k] + (change->bounced ? change->bounced[at + k] : 0);
        if (place)
            out[k] += change->by[3 * (size_t)(place - 1) + k];
    }
}

static void spot_light(const struct layer *layer, const struct face_light *face,
                       const struct spot *spot, float out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < CORNERS; i++) {
        float light[3];
        luxel_light(layer, face, spot->luxel[i], light);
        for (int k = 0; k < 3; k++)
            out[k] += spot->weight[i] * light[k];
    }
}

/* Widens the range of the luxels around a place to a light. */
static void allow(const struct layer *layer, const struct face_light *face, const struct spot *spot,
                  const float light[3])
{
    const struct change *change = change_of(layer, face);
    for (int i = 0; i < CORNERS && change->by; i++) {
        size_t place = (size_t)(change->place[spot->luxel[i]] - 1);
        float *low = change->low + 3 * place, *high = change->high + 3 * place;
        for (int k = 0; k < 3 && spot->weight[i] > 0; k++) {
            low[k] = fminf(low[k], light[k]);
            high[k] = fmaxf(high[k], light[k]);
        }
    }
}

static bool is_known(const struct face_light *face, const struct spot *spot)
{
    for (int i = 0; i < CORNERS; i++)
        if (spot->weight[i] > 0 && face->luxels[spot->luxel[i]].hidden)
            return false;
    return true;
}

/* One over the area that a luxel counts for. */
static float give_of(const struct face_light *face, int luxel)
{
    float whole = (float)vec3_length(vec3_cross(face->axis[0], face->axis[1]));
    if (face->kept)
        return 0;
    if (face->mesh) /* its luxels are about alike */
        return 1 / fmaxf(face->luxels[face->count / 2].area, 1);
    return 1 / fmaxf(face->luxels[luxel].area, (float)LEAST_SHARE * whole);
}

static float grey(const float rgb[3])
{
    return (rgb[0] + rgb[1] + rgb[2]) / 3;
}

/* Whether both sides have the layer at the point; finds what step is to stay there. */
static bool begin_point(const struct layer *layer, const struct seam_point *point, float aim[3])
{
    const struct seam *seam = &layer->list->seams[point->seam];
    const struct face_light *faces[2];
    struct spot edges[2];
    float light[2][3], most = 0;
    if (layer->slot && !seam->bumps)
        return false;
    for (int i = 0; i < 2; i++) {
        const struct face_light *face = faces[i] = &layer->map->faces[seam->face[i]];
        if (!change_of(layer, face)->direct)
            return false;
        float s = point->st[i][0], t = point->st[i][1], inner_light[3];
        edges[i] = spot_at(face, s, t);
        struct spot inner =
            spot_at(face, s + (float)seam->inward[i].s, t + (float)seam->inward[i].t);
        if (!is_known(face, &edges[i]))
            return false;
        spot_light(layer, face, &edges[i], light[i]);
        spot_light(layer, face, &inner, inner_light);
        most += fabsf(grey(light[i]) - grey(inner_light));
    }
    most += (float)PLAIN_STEP * fminf(grey(light[0]), grey(light[1]));
    float step = fabsf(grey(light[0]) - grey(light[1]));
    for (int k = 0; k < 3; k++)
        aim[k] = step > most ? (light[0][k] - light[1][k]) * (1 - most / step) : 0;
    for (int i = 0; i < CORNERS; i++)
        allow(layer, faces[i / 2], &edges[i / 2], light[i % 2]);
    return true;
}

static void draw(const struct layer *layer, const struct face_light *face, const struct spot *spot,
                 float sign, const float by[3])
{
    const struct change *change = change_of(layer, face);
    for (int i = 0; i < CORNERS && change->by; i++) {
        int place = change->place[spot->luxel[i]] - 1;
        float share = sign * spot->weight[i] * give_of(face, spot->luxel[i]);
        for (int k = 0; k < 3; k++)
            change->by[3 * place + k] += share * by[k];
    }
}

/* Draws both sides of a point together, as its share in the least squares (dual coordinate
 * ascent). Returns how much that closes the step. */
static float relax_point(const struct layer *layer, size_t number)
{
    const struct seam_point *point = &layer->list->points[number];
    const struct seam *seam = &layer->list->seams[point->seam];
    const struct face_light *faces[2];
    struct spot spots[2];
    float light[2][3], stiff = 0;
    for (int i = 0; i < 2; i++) {
        faces[i] = &layer->map->faces[seam->face[i]];
        spots[i] = spot_at(faces[i], point->st[i][0], point->st[i][1]);
        spot_light(layer, faces[i], &spots[i], light[i]);
        for (int k = 0; k < CORNERS; k++)
            stiff += spots[i].weight[k] * spots[i].weight[k] * give_of(faces[i], spots[i].luxel[k]);
    }
    if (!(stiff > 0))
        return 0;
    float by[3], gain = 0;
    for (int k = 0; k < 3; k++) {
        float miss = light[0][k] - light[1][k] - layer->aim[number][k];
        float slack = (float)SLACK * stiff;
        by[k] = -(miss + slack * layer->pull[number][k]) / (stiff + slack);
        layer->pull[number][k] += by[k];
        gain = fmaxf(gain, fabsf(by[k]) * stiff);
    }
    draw(layer, faces[0], &spots[0], 1, by);
    draw(layer, faces[1], &spots[1], -1, by);
    return gain;
}

static void begin_face(const struct layer *layer, int number)
{
    const struct face_light *face = &layer->map->faces[number];
    struct change *change = &layer->changes[number];
    int index = layer->slot < face->slots ? style_index(face, layer->style) : -1;
    size_t first = 3 * (size_t)layer->slot * (size_t)face->count;
    bool bounced = layer->style == 0 && face->indirect;
    change->direct = index >= 0 && face->count ? face->direct[index] + first : NULL;
    change->bounced = bounced ? face->indirect + first : NULL;
    if (!change->direct || !change->by)
        return;
    memset(change->by, 0, 3 * (size_t)change->count * sizeof *change->by);
    for (int i = 0; i < change->count; i++) {
        luxel_light(layer, face, change->luxels[i], change->low + (size_t)i * 3);
        memcpy(change->high + (size_t)i * 3, change->low + (size_t)i * 3, 3 * sizeof(float));
    }
}

static void end_face(const struct layer *layer, struct face_light *face)
{
    const struct change *change = change_of(layer, face);
    if (!change->direct || !change->by)
        return;
    float *light = face->direct[style_index(face, layer->style)];
    light += 3 * (size_t)layer->slot * (size_t)face->count;
    for (int i = 0; i < change->count; i++) {
        float now[3];
        luxel_light(layer, face, change->luxels[i], now);
        for (int k = 0; k < 3; k++) {
            float within = fminf(fmaxf(now[k], change->low[3 * i + k]), change->high[3 * i + k]);
            light[3 * change->luxels[i] + k] += change->by[3 * i + k] + within - now[k];
        }
    }
}

static void match_layer(const struct layer *layer)
{
    size_t count = arrlenu(layer->list->points);
    float gain = 1;
    for (int i = 0; i < layer->map->face_count; i++)
        begin_face(layer, i);
    memset(layer->pull, 0, count * sizeof *layer->pull);
    for (size_t i = 0; i < count; i++)
        layer->on[i] = begin_point(layer, &layer->list->points[i], layer->aim[i]);
    for (int sweep = 0; sweep < SWEEPS && gain > (float)LEAST_GAIN; sweep++) {
        gain = 0;
        for (size_t i = 0; i < count; i++)
            if (layer->on[i])
                gain = fmaxf(gain, relax_point(layer, i));
    }
    for (int i = 0; i < layer->map->face_count; i++)
        end_face(layer, &layer->map->faces[i]);
}

/* Gives the luxels around a point of a seam their places. */
static void add_luxels(const struct face_light *face, const float st[2], struct arena *arena,
                       struct change *change)
{
    struct spot spot = spot_at(face, st[0], st[1]);
    if (!change->place)
        change->place = ARENA_ARRAY(arena, int, (size_t)face->count);
    for (int i = 0; i < CORNERS; i++)
        if (!change->place[spot.luxel[i]])
            change->place[spot.luxel[i]] = ++change->count;
}

static struct change *allocate_changes(const struct luxel_map *map, const struct seam_list *list,
                                       struct arena *arena)
{
    struct change *changes = ARENA_ARRAY(arena, struct change, (size_t)map->face_count + 1);
    for (size_t i = 0; i < arrlenu(list->points); i++) {
        const struct seam *seam = &list->seams[list->points[i].seam];
        for (int k = 0; k < 2; k++)
            if (!map->faces[seam->face[k]].kept)
                add_luxels(&map->faces[seam->face[k]], list->points[i].st[k], arena,
                           &changes[seam->face[k]]);
    }
    for (int i = 0; i < map->face_count; i++) {
        struct change *change = &changes[i];
        size_t floats = 3 * (size_t)change->count;
        if (!change->count)
            continue;
        change->luxels = ARENA_ARRAY(arena, int, (size_t)change->count);
        for (int k = 0; k < map->faces[i].count; k++)
            if (change->place[k])
                change->luxels[change->place[k] - 1] = k;
        change->by = ARENA_ARRAY(arena, float, 3 * floats);
        change->low = change->by + floats;
        change->high = change->low + floats;
    }
    return changes;
}

void seams_match(const struct env *env, struct luxel_map *map)
{
    struct seam_list list;
    struct arena arena = {0};
    seam_list_build(env, map, &list);
    size_t count = arrlenu(list.points);
    struct layer layer = {.map = map, .list = &list};
    layer.changes = allocate_changes(map, &list, &arena);
    layer.pull = arena_alloc(&arena, count + 1, 3 * sizeof(float));
    layer.aim = arena_alloc(&arena, count + 1, 3 * sizeof(float));
    layer.on = ARENA_ARRAY(&arena, unsigned char, count + 1);
    bool styles[BSP_STYLE_NONE + 1] = {false};
    int slots = 1;
    for (int i = 0; i < map->face_count; i++) {
        for (int s = 0; s < map->faces[i].style_count; s++)
            styles[map->faces[i].styles[s]] = true;
        slots = map->faces[i].slots > slots ? map->faces[i].slots : slots;
    }
    for (layer.style = 0; count && layer.style < BSP_STYLE_NONE; layer.style++)
        for (layer.slot = 0; styles[layer.style] && layer.slot < slots; layer.slot++)
            match_layer(&layer);
    progress_count(env->progress, "seam points", (int64_t)count);
    arena_free(&arena);
    seam_list_free(&list);
}
