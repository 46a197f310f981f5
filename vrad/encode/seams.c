#include "vrad/encode/seams.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "vrad/encode/seam_pairs.h"
#include "vrad/luxels/bounced.h"

/* Iteration ends when no step closes by more than this, of 255. */
#define MIN_GAIN 0.02

enum { SWEEPS = 12, CORNERS = 4 };

/* Minimum share of a luxel's square that it is weighted by: slivers must not take all of the
 * offset. */
#define MIN_SHARE 0.25

/* A step may remain up to the change of light within a luxel on either side, plus this share of the
 * light. */
#define PLAIN_STEP 0.2

/* Regularisation, relative to a point's compliance: where lightmaps of different scale meet, not
 * all constraints can be met. */
#define SLACK 0.05

/* The luxels of a face that lie on seams. */
struct face_seams {
    int *slots;  /* one per luxel: 1 + its index in `luxels`; 0: not on a seam; NULL: no seams */
    int *luxels; /* count */
    int count;
    int first;                        /* index of its first luxel among those of all faces */
    const float *direct;              /* of the current layer; NULL: the face lacks it */
    const struct face_light *bounced; /* the face, if the layer has bounced light */
};

/* A luxel on a seam: its light, its offset, and the range of its light, which covers its own and
 * that on the edges of both sides. The fourth number is unused. */
struct seam_luxel {
    float light[4], offset[4];
    float low[3], high[3];
};

/* Bilinear interpolation: four luxels and their weights. */
struct bilinear {
    int luxel[CORNERS];
    float weight[CORNERS];
};

/* One side of a point. */
struct seam_side {
    int luxel[CORNERS];
    float weight[CORNERS];
    float share[CORNERS]; /* weight, divided by the area of the luxel */
};

struct constraint {
    struct seam_side sides[2];
    float compliance;                    /* how far a multiplier of 1 closes the step */
    float multiplier[4], target_step[4]; /* Lagrange multipliers; the step that may remain */
    bool active;                         /* both sides have the layer */
};

/* One map of one style on both sides of the seams. */
struct layer {
    const struct luxel_map *map;
    const struct seam_list *list;
    int style, slot;
    struct face_seams *face_seams; /* one per face */
    struct seam_luxel *luxels_on_seams;
    struct constraint *constraints; /* one per point */
};

static struct bilinear bilinear_at(const struct face_light *face, float s, float t)
{
    s = s<0 ? 0 : s>(float)(face->width - 1) ? (float)(face->width - 1) : s;
    t = t<0 ? 0 : t>(float)(face->height - 1) ? (float)(face->height - 1) : t;
    int i = (int)s, j = (int)t;
    float u = s - (float)i, v = t - (float)j;
    int right = i + 1 < face->width ? 1 : 0, below = j + 1 < face->height ? face->width : 0;
    int at = j * face->width + i;
    return (struct bilinear){{at, at + right, at + below, at + right + below},
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
static void luxel_light(const struct layer *layer, const struct face_seams *seams, int luxel,
                        float out[3])
{
    float bounced[3] = {0, 0, 0};
    if (seams->bounced)
        bounced_at(seams->bounced, layer->slot, luxel, bounced);
    for (size_t k = 0; k < 3; k++)
        out[k] = seams->direct[3 * (size_t)luxel + k] + bounced[k];
}

static void bilinear_light(const struct layer *layer, const struct face_seams *seams,
                           const struct bilinear *bilinear, float out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < CORNERS; i++) {
        float light[3];
        luxel_light(layer, seams, bilinear->luxel[i], light);
        for (int k = 0; k < 3; k++)
            out[k] += bilinear->weight[i] * light[k];
    }
}

/* Extends the range of the luxels around a point to a light. */
static void extend_range(const struct layer *layer, const struct seam_side *seam_side,
                         const float light[3])
{
    for (int i = 0; i < CORNERS; i++) {
        struct seam_luxel *luxel = &layer->luxels_on_seams[seam_side->luxel[i]];
        for (int k = 0; k < 3 && seam_side->weight[i] > 0; k++) {
            luxel->low[k] = light[k] < luxel->low[k] ? light[k] : luxel->low[k];
            luxel->high[k] = light[k] > luxel->high[k] ? light[k] : luxel->high[k];
        }
    }
}

static bool is_known(const struct face_light *face, const struct bilinear *bilinear)
{
    for (int i = 0; i < CORNERS; i++)
        if (bilinear->weight[i] > 0 && luxel_is_hidden(face, bilinear->luxel[i]))
            return false;
    return true;
}

/* The inverse of the area that weights a luxel. */
static float inverse_area_of(const struct face_light *face, int luxel)
{
    float whole = (float)vec3_length(vec3_cross(face->axis[0], face->axis[1]));
    if (face->kept)
        return 0;
    if (face->mesh) /* its luxels are similar */
        return 1 / fmaxf(luxel_area(face, face->count / 2), 1);
    return 1 / fmaxf(luxel_area(face, luxel), (float)MIN_SHARE * whole);
}

static float grey(const float rgb[3])
{
    return (rgb[0] + rgb[1] + rgb[2]) / 3;
}

/* Returns true if both sides have the layer at the point; finds the step that may remain. */
static bool begin_constraint(const struct layer *layer, size_t number)
{
    const struct seam_point *point = &layer->list->points[number];
    const struct seam *seam = &layer->list->seams[point->seam];
    struct constraint *constraint = &layer->constraints[number];
    float light[2][3], max = 0;
    memset(constraint->multiplier, 0, sizeof constraint->multiplier);
    if (layer->slot && !seam->bumps)
        return false;
    for (int i = 0; i < 2; i++) {
        const struct face_light *face = &layer->map->faces[seam->face[i]];
        const struct face_seams *seams = &layer->face_seams[seam->face[i]];
        if (!seams->direct)
            return false;
        float s = point->st[i][0], t = point->st[i][1], inner_light[3];
        struct bilinear edge = bilinear_at(face, s, t);
        struct bilinear inner =
            bilinear_at(face, s + (float)seam->inward[i].s, t + (float)seam->inward[i].t);
        if (!is_known(face, &edge))
            return false;
        bilinear_light(layer, seams, &edge, light[i]);
        bilinear_light(layer, seams, &inner, inner_light);
        max += fabsf(grey(light[i]) - grey(inner_light));
    }
    max += (float)PLAIN_STEP * fminf(grey(light[0]), grey(light[1]));
    float step = fabsf(grey(light[0]) - grey(light[1]));
    for (int k = 0; k < 3; k++)
        constraint->target_step[k] =
            step > max ? (light[0][k] - light[1][k]) * (1 - max / step) : 0;
    for (int i = 0; i < 4; i++)
        extend_range(layer, &constraint->sides[i / 2], light[i % 2]);
    return true;
}

/* Red, green, blue and an unused lane. */
typedef float lanes __attribute__((vector_size(16)));

static inline lanes load(const float from[4])
{
    lanes all;
    memcpy(&all, from, sizeof all);
    return all;
}

static inline void pull_side(struct seam_luxel *luxels_on_seams, const struct seam_side *seam_side,
                             float sign, lanes by)
{
    for (int i = 0; i < CORNERS; i++) {
        float *offset = luxels_on_seams[seam_side->luxel[i]].offset;
        lanes now = load(offset) + sign * seam_side->share[i] * by;
        memcpy(offset, &now, sizeof now);
    }
}

/* The current light at a point. */
static inline lanes side_light(const struct seam_luxel *luxels_on_seams,
                               const struct seam_side *seam_side)
{
    lanes sum = {0, 0, 0, 0};
    for (int i = 0; i < CORNERS; i++) {
        const struct seam_luxel *luxel = &luxels_on_seams[seam_side->luxel[i]];
        sum += seam_side->weight[i] * (load(luxel->light) + load(luxel->offset));
    }
    return sum;
}

/* Relaxes one constraint of the least-squares problem (dual coordinate ascent). Returns how much
 * the step closes. */
static float relax_constraint(struct seam_luxel *luxels_on_seams, struct constraint *constraint)
{
    float gain = 0, compliance = constraint->compliance, slack = (float)SLACK * compliance;
    lanes light = side_light(luxels_on_seams, &constraint->sides[0]) -
                  side_light(luxels_on_seams, &constraint->sides[1]);
    lanes error = light - load(constraint->target_step), multiplier = load(constraint->multiplier);
    lanes by = -(error + slack * multiplier) / (compliance + slack);
    multiplier += by;
    memcpy(constraint->multiplier, &multiplier, sizeof multiplier);
    for (int k = 0; k < 4; k++) {
        float closed = fabsf(by[k]) * compliance;
        gain = closed > gain ? closed : gain;
    }
    pull_side(luxels_on_seams, &constraint->sides[0], 1, by);
    pull_side(luxels_on_seams, &constraint->sides[1], -1, by);
    return gain;
}

static void begin_face(const struct layer *layer, int number)
{
    const struct face_light *face = &layer->map->faces[number];
    struct face_seams *seams = &layer->face_seams[number];
    int index = layer->slot < face->slots ? style_index(face, layer->style) : -1;
    size_t first = 3 * (size_t)layer->slot * (size_t)face->count;
    bool bounced = layer->style == 0 && bounced_any(face);
    seams->direct = index >= 0 && face->count ? face->direct[index] + first : NULL;
    seams->bounced = bounced ? face : NULL;
    for (int i = 0; i < seams->count && seams->direct; i++) {
        struct seam_luxel *luxel = &layer->luxels_on_seams[seams->first + i];
        memset(luxel, 0, sizeof *luxel);
        luxel_light(layer, seams, seams->luxels[i], luxel->light);
        memcpy(luxel->low, luxel->light, sizeof luxel->low);
        memcpy(luxel->high, luxel->light, sizeof luxel->high);
    }
}

static void end_face(const struct layer *layer, int number)
{
    const struct face_light *face = &layer->map->faces[number];
    const struct face_seams *seams = &layer->face_seams[number];
    if (!seams->direct || face->kept)
        return;
    float *light = face->direct[style_index(face, layer->style)];
    light += 3 * (size_t)layer->slot * (size_t)face->count;
    for (int i = 0; i < seams->count; i++) {
        const struct seam_luxel *luxel = &layer->luxels_on_seams[seams->first + i];
        for (int k = 0; k < 3; k++) {
            float now = luxel->light[k] + luxel->offset[k];
            float within = fminf(fmaxf(now, luxel->low[k]), luxel->high[k]);
            light[3 * seams->luxels[i] + k] += luxel->offset[k] + within - now;
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
        layer->constraints[i].active =
            begin_constraint(layer, i) && layer->constraints[i].compliance > 0;
    for (int sweep = 0; sweep < SWEEPS && gain > (float)MIN_GAIN; sweep++) {
        gain = 0;
        for (size_t i = 0; i < count; i++) {
            if (!layer->constraints[i].active)
                continue;
            float closed = relax_constraint(layer->luxels_on_seams, &layer->constraints[i]);
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

/* Adds the luxels around a point of a seam. */
static void add_luxels(const struct luxel_map *map, int number, const float st[2],
                       struct arena *arena, struct face_seams *seams, struct member **members)
{
    const struct face_light *face = &map->faces[number];
    struct bilinear bilinear = bilinear_at(face, st[0], st[1]);
    if (!seams->slots)
        seams->slots = ARENA_ARRAY(arena, int, (size_t)face->count);
    for (int i = 0; i < CORNERS; i++) {
        if (seams->slots[bilinear.luxel[i]])
            continue;
        seams->slots[bilinear.luxel[i]] = ++seams->count;
        arrput(*members, ((struct member){number, bilinear.luxel[i]}));
    }
}

static void list_luxels(struct layer *layer, struct arena *arena)
{
    const struct luxel_map *map = layer->map;
    const struct seam_list *list = layer->list;
    struct member *members = NULL;
    int luxels_on_seams = 0;
    layer->face_seams = ARENA_ARRAY(arena, struct face_seams, (size_t)map->face_count + 1);
    for (size_t i = 0; i < arrlenu(list->points); i++) {
        const struct seam *seam = &list->seams[list->points[i].seam];
        for (int k = 0; k < 2; k++)
            add_luxels(map, seam->face[k], list->points[i].st[k], arena,
                       &layer->face_seams[seam->face[k]], &members);
    }
    for (int i = 0; i < map->face_count; i++) {
        struct face_seams *seams = &layer->face_seams[i];
        seams->first = luxels_on_seams;
        luxels_on_seams += seams->count;
        if (seams->count)
            seams->luxels = ARENA_ARRAY(arena, int, (size_t)seams->count);
    }
    for (ptrdiff_t i = 0; i < arrlen(members); i++) {
        const struct face_seams *seams = &layer->face_seams[members[i].face];
        seams->luxels[seams->slots[members[i].luxel] - 1] = members[i].luxel;
    }
    arrfree(members);
    layer->luxels_on_seams = ARENA_ARRAY(arena, struct seam_luxel, (size_t)luxels_on_seams + 1);
}

static void list_constraints(struct layer *layer, struct arena *arena)
{
    size_t count = arrlenu(layer->list->points);
    layer->constraints = ARENA_ARRAY(arena, struct constraint, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct seam_point *point = &layer->list->points[i];
        struct constraint *constraint = &layer->constraints[i];
        for (int k = 0; k < 2; k++) {
            int number = layer->list->seams[point->seam].face[k];
            const struct face_light *face = &layer->map->faces[number];
            const struct face_seams *seams = &layer->face_seams[number];
            struct bilinear bilinear = bilinear_at(face, point->st[k][0], point->st[k][1]);
            for (int c = 0; c < CORNERS; c++) {
                float inverse_area = inverse_area_of(face, bilinear.luxel[c]),
                      weight = bilinear.weight[c];
                constraint->sides[k].luxel[c] = seams->first + seams->slots[bilinear.luxel[c]] - 1;
                constraint->sides[k].weight[c] = weight;
                constraint->sides[k].share[c] = weight * inverse_area;
                constraint->compliance += weight * weight * inverse_area;
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
    list_constraints(&layer, &arena);
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
