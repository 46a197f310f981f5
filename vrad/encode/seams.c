#include "vrad/encode/seams.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "vrad/encode/seam_pairs.h"

/* No sweep is worth while that closes no step by this much, of 255. */
#define MIN_GAIN 0.02

enum { SWEEPS = 12, CORNERS = 4 };

/* Of a luxel's square counts at least this share: slivers must not take all of a change. */
#define MIN_SHARE 0.25

/* Light may step by what it changes within a luxel on either side, and by this share of it. */
#define PLAIN_STEP 0.2

/* How much a point may miss: of its own stiffness. Where lightmaps of different scale meet not all
 * can agree. */
#define SLACK 0.05

/* What happens to the luxels of a face that lie on seams. */
struct change {
    int *place;  /* one a luxel: 1 + its place in `luxels`; 0: not on a seam; NULL: no seams */
    int *luxels; /* count */
    int count;
    int first;                     /* the number of its first place among those of all faces */
    const float *direct, *bounced; /* of the layer at work; direct NULL: it has none */
};

/* A luxel on a seam: its light, how that changes, and that it stays within its own and that on the
 * edges, of both sides. The fourth is not used. */
struct place {
    float light[4], by[4];
    float low[3], high[3];
};

/* The four luxels around a place and their weights. */
struct spot {
    int luxel[CORNERS];
    float weight[CORNERS];
};

/* One side of a point. */
struct grip {
    int place[CORNERS];
    float weight[CORNERS];
    float share[CORNERS]; /* weight, over the area that the luxel counts for */
};

struct pair {
    struct grip grips[2];
    float stiff;           /* how far a pull of 1 draws the sides together */
    float pull[4], aim[4]; /* how far it has drawn its luxels; the step that is to stay */
    bool on;               /* whether both sides have the layer */
};

/* One map of one style on either side of a seam. */
struct layer {
    const struct luxel_map *map;
    const struct seam_list *list;
    int style, slot;
    struct change *changes; /* one a face */
    struct place *places;
    struct pair *pairs; /* one a point */
};

static struct spot spot_at(const struct face_light *face, float s, float t)
{
    s = s<0 ? 0 : s>(float)(face->width - 1) ? (float)(face->width - 1) : s;
    t = t<0 ? 0 : t>(float)(face->height - 1) ? (float)(face->height - 1) : t;
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

/* Direct and bounced light of a luxel. */
static void luxel_light(const struct change *change, int luxel, float out[3])
{
    size_t at = 3 * (size_t)luxel;
    for (size_t k = 0; k < 3; k++)
        out[k] = change->direct[at + k] + (change->bounced ? change->bounced[at + k] : 0);
}

static void spot_light(const struct change *change, const struct spot *spot, float out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < CORNERS; i++) {
        float light[3];
        luxel_light(change, spot->luxel[i], light);
        for (int k = 0; k < 3; k++)
            out[k] += spot->weight[i] * light[k];
    }
}

/* Widens the range of the luxels around a place to a light. */
static void allow(const struct layer *layer, const struct grip *grip, const float light[3])
{
    for (int i = 0; i < CORNERS; i++) {
        struct place *place = &layer->places[grip->place[i]];
        for (int k = 0; k < 3 && grip->weight[i] > 0; k++) {
            place->low[k] = light[k] < place->low[k] ? light[k] : place->low[k];
            place->high[k] = light[k] > place->high[k] ? light[k] : place->high[k];
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
    return 1 / fmaxf(face->luxels[luxel].area, (float)MIN_SHARE * whole);
}

static float grey(const float rgb[3])
{
    return (rgb[0] + rgb[1] + rgb[2]) / 3;
}

/* Whether both sides have the layer at the point; finds what step is to stay there. */
static bool begin_point(const struct layer *layer, size_t number)
{
    const struct seam_point *point = &layer->list->points[number];
    const struct seam *seam = &layer->list->seams[point->seam];
    struct pair *pair = &layer->pairs[number];
    float light[2][3], max = 0;
    memset(pair->pull, 0, sizeof pair->pull);
    if (layer->slot && !seam->bumps)
        return false;
    for (int i = 0; i < 2; i++) {
        const struct face_light *face = &layer->map->faces[seam->face[i]];
        const struct change *change = &layer->changes[seam->face[i]];
        if (!change->direct)
            return false;
        float s = point->st[i][0], t = point->st[i][1], inner_light[3];
        struct spot edge = spot_at(face, s, t);
        struct spot inner =
            spot_at(face, s + (float)seam->inward[i].s, t + (float)seam->inward[i].t);
        if (!is_known(face, &edge))
            return false;
        spot_light(change, &edge, light[i]);
        spot_light(change, &inner, inner_light);
        max += fabsf(grey(light[i]) - grey(inner_light));
    }
    max += (float)PLAIN_STEP * fminf(grey(light[0]), grey(light[1]));
    float step = fabsf(grey(light[0]) - grey(light[1]));
    for (int k = 0; k < 3; k++)
        pair->aim[k] = step > max ? (light[0][k] - light[1][k]) * (1 - max / step) : 0;
    for (int i = 0; i < 4; i++)
        allow(layer, &pair->grips[i / 2], light[i % 2]);
    return true;
}

/* Red, green, blue and one that is not used, side by side. */
typedef float lanes __attribute__((vector_size(16)));

static inline lanes load(const float from[4])
{
    lanes all;
    memcpy(&all, from, sizeof all);
    return all;
}

static inline void draw(struct place *places, const struct grip *grip, float sign, lanes by)
{
    for (int i = 0; i < CORNERS; i++) {
        float *change = places[grip->place[i]].by;
        lanes now = load(change) + sign * grip->share[i] * by;
        memcpy(change, &now, sizeof now);
    }
}

/* Light at a point, as it is so far. */
static inline lanes grip_light(const struct place *places, const struct grip *grip)
{
    lanes sum = {0, 0, 0, 0};
    for (int i = 0; i < CORNERS; i++) {
        const struct place *place = &places[grip->place[i]];
        sum += grip->weight[i] * (load(place->light) + load(place->by));
    }
    return sum;
}

/* Draws both sides of a point together, as its share in the least squares (dual coordinate
 * ascent). Returns how much that closes the step. */
static float relax_point(struct place *places, struct pair *pair)
{
    float gain = 0, stiff = pair->stiff, slack = (float)SLACK * stiff;
    lanes light = grip_light(places, &pair->grips[0]) - grip_light(places, &pair->grips[1]);
    lanes miss = light - load(pair->aim), pull = load(pair->pull);
    lanes by = -(miss + slack * pull) / (stiff + slack);
    pull += by;
    memcpy(pair->pull, &pull, sizeof pull);
    for (int k = 0; k < 4; k++) {
        float closed = fabsf(by[k]) * stiff;
        gain = closed > gain ? closed : gain;
    }
    draw(places, &pair->grips[0], 1, by);
    draw(places, &pair->grips[1], -1, by);
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
    for (int i = 0; i < change->count && change->direct; i++) {
        struct place *place = &layer->places[change->first + i];
        memset(place, 0, sizeof *place);
        luxel_light(change, change->luxels[i], place->light);
        memcpy(place->low, place->light, sizeof place->low);
        memcpy(place->high, place->light, sizeof place->high);
    }
}

static void end_face(const struct layer *layer, int number)
{
    const struct face_light *face = &layer->map->faces[number];
    const struct change *change = &layer->changes[number];
    if (!change->direct || face->kept)
        return;
    float *light = face->direct[style_index(face, layer->style)];
    light += 3 * (size_t)layer->slot * (size_t)face->count;
    for (int i = 0; i < change->count; i++) {
        const struct place *place = &layer->places[change->first + i];
        for (int k = 0; k < 3; k++) {
            float now = place->light[k] + place->by[k];
            float within = fminf(fmaxf(now, place->low[k]), place->high[k]);
            light[3 * change->luxels[i] + k] += place->by[k] + within - now;
        }
    }
}

static void match_layer(const struct layer *layer)
{
    size_t count = arrlenu(layer->list->points);
    float gain = 1;
    for (int i = 0; i < layer->map->face_count; i++)
        begin_face(layer, i);
    for (size_t i = 0; i < count; i++)
        layer->pairs[i].on = begin_point(layer, i) && layer->pairs[i].stiff > 0;
    for (int sweep = 0; sweep < SWEEPS && gain > (float)MIN_GAIN; sweep++) {
        gain = 0;
        for (size_t i = 0; i < count; i++) {
            if (!layer->pairs[i].on)
                continue;
            float closed = relax_point(layer->places, &layer->pairs[i]);
            gain = closed > gain ? closed : gain;
        }
    }
    for (int i = 0; i < layer->map->face_count; i++)
        end_face(layer, i);
}

/* A luxel on a seam. */
struct member {
    int face, luxel;
};

/* Gives the luxels around a point of a seam their places. */
static void add_luxels(const struct luxel_map *map, int number, const float st[2],
                       struct arena *arena, struct change *change, struct member **members)
{
    const struct face_light *face = &map->faces[number];
    struct spot spot = spot_at(face, st[0], st[1]);
    if (!change->place)
        change->place = ARENA_ARRAY(arena, int, (size_t)face->count);
    for (int i = 0; i < CORNERS; i++) {
        if (change->place[spot.luxel[i]])
            continue;
        change->place[spot.luxel[i]] = ++change->count;
        arrput(*members, ((struct member){number, spot.luxel[i]}));
    }
}

static void list_luxels(struct layer *layer, struct arena *arena)
{
    const struct luxel_map *map = layer->map;
    const struct seam_list *list = layer->list;
    struct member *members = NULL;
    int places = 0;
    layer->changes = ARENA_ARRAY(arena, struct change, (size_t)map->face_count + 1);
    for (size_t i = 0; i < arrlenu(list->points); i++) {
        const struct seam *seam = &list->seams[list->points[i].seam];
        for (int k = 0; k < 2; k++)
            add_luxels(map, seam->face[k], list->points[i].st[k], arena,
                       &layer->changes[seam->face[k]], &members);
    }
    for (int i = 0; i < map->face_count; i++) {
        struct change *change = &layer->changes[i];
        change->first = places;
        places += change->count;
        if (change->count)
            change->luxels = ARENA_ARRAY(arena, int, (size_t)change->count);
    }
    for (ptrdiff_t i = 0; i < arrlen(members); i++) {
        const struct change *change = &layer->changes[members[i].face];
        change->luxels[change->place[members[i].luxel] - 1] = members[i].luxel;
    }
    arrfree(members);
    layer->places = ARENA_ARRAY(arena, struct place, (size_t)places + 1);
}

static void list_pairs(struct layer *layer, struct arena *arena)
{
    size_t count = arrlenu(layer->list->points);
    layer->pairs = ARENA_ARRAY(arena, struct pair, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct seam_point *point = &layer->list->points[i];
        struct pair *pair = &layer->pairs[i];
        for (int k = 0; k < 2; k++) {
            int number = layer->list->seams[point->seam].face[k];
            const struct face_light *face = &layer->map->faces[number];
            const struct change *change = &layer->changes[number];
            struct spot spot = spot_at(face, point->st[k][0], point->st[k][1]);
            for (int c = 0; c < CORNERS; c++) {
                float give = give_of(face, spot.luxel[c]), weight = spot.weight[c];
                pair->grips[k].place[c] = change->first + change->place[spot.luxel[c]] - 1;
                pair->grips[k].weight[c] = weight;
                pair->grips[k].share[c] = weight * give;
                pair->stiff += weight * weight * give;
            }
        }
    }
}

void seams_match(const struct env *env, const struct seam_list *list, struct luxel_map *map)
{
    struct arena arena = {0};
    size_t count = arrlenu(list->points);
    struct layer layer = {.map = map, .list = list};
    list_luxels(&layer, &arena);
    list_pairs(&layer, &arena);
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
    progress_count(env->progress, "seam constraints", (int64_t)count);
    arena_free(&arena);
}
