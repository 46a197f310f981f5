#include "vrad/encode/seams.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "vrad/encode/seam_pairs.h"
#include "vrad/luxels/bounced.h"
#include "vrad/luxels/luxel_set.h"

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

/* Bilinear interpolation: four luxels and their weights, which depend on the place between them. */
struct bilinear {
    int luxel[CORNERS];
    float u, v;
    float weight[CORNERS];
};

/* One side of a point: the seam luxels around it, row by row: the second of a row follows the
 * first. Those of no weight may be others. */
struct seam_side {
    int row[2];
    float u, v;
};

struct constraint {
    struct seam_side sides[2];
};

/* State of a constraint. */
struct multiplier {
    float now[3], target_step[3]; /* Lagrange multipliers; the step that may remain */
    float compliance; /* how far a multiplier of 1 closes the step; 0: a side lacks the layer */
};

typedef float colour[3];

/* One map of one style on both sides of the seams. The arrays of colours are padded, so that four
 * numbers can be loaded anywhere. */
struct layer {
    const struct luxel_map *map;
    const struct seam_list *list;
    int style, slot;
    size_t *first;        /* number of each face's first luxel in the map, and one past */
    struct luxel_set set; /* the luxels on seams; all below are by their ranks */
    size_t count;         /* of these */
    float *inverse_area;  /* that weights them */
    colour *light, *offset;
    struct constraint *constraints; /* one per point */
    struct multiplier *multipliers; /* one per point */
};

static inline void set_weights(float u, float v, float weight[CORNERS])
{
    weight[0] = (1 - u) * (1 - v);
    weight[1] = u * (1 - v);
    weight[2] = (1 - u) * v;
    weight[3] = u * v;
}

static struct bilinear bilinear_at(const struct face_light *face, float s, float t)
{
    s = s<0 ? 0 : s>(float)(face->width - 1) ? (float)(face->width - 1) : s;
    t = t<0 ? 0 : t>(float)(face->height - 1) ? (float)(face->height - 1) : t;
    int i = (int)s, j = (int)t;
    float u = s - (float)i, v = t - (float)j;
    int right = i + 1 < face->width ? 1 : 0, below = j + 1 < face->height ? face->width : 0;
    int at = j * face->width + i;
    struct bilinear out = {{at, at + right, at + below, at + right + below}, u, v, {0}};
    set_weights(u, v, out.weight);
    return out;
}

static int style_index(const struct face_light *face, int style)
{
    for (int i = 0; i < face->style_count; i++)
        if (face->styles[i] == style)
            return i;
    return -1;
}

/* Direct light of a layer; NULL: the face lacks it. */
static float *direct_of(const struct layer *layer, const struct face_light *face)
{
    int index = layer->slot < face->slots ? style_index(face, layer->style) : -1;
    return index >= 0 && face->count
               ? face->direct[index] + 3 * (size_t)layer->slot * (size_t)face->count
               : NULL;
}

/* Direct and bounced light of a luxel. */
static void luxel_light(const struct layer *layer, const struct face_light *face,
                        const float *direct, int luxel, float out[3])
{
    float bounced[3] = {0, 0, 0};
    if (layer->style == 0 && bounced_any(face))
        bounced_at(face, layer->slot, luxel, bounced);
    for (size_t k = 0; k < 3; k++)
        out[k] = direct[3 * (size_t)luxel + k] + bounced[k];
}

static void bilinear_light(const struct layer *layer, const struct face_light *face,
                           const float *direct, const struct bilinear *bilinear, float out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < CORNERS; i++) {
        float light[3];
        luxel_light(layer, face, direct, bilinear->luxel[i], light);
        for (int k = 0; k < 3; k++)
            out[k] += bilinear->weight[i] * light[k];
    }
}

/* The light on the edge before it is matched. */
static void edge_light(const struct layer *layer, const struct seam_side *side, float out[3])
{
    float weight[CORNERS];
    set_weights(side->u, side->v, weight);
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < CORNERS; i++)
        for (int k = 0; k < 3; k++)
            out[k] += weight[i] * layer->light[side->row[i / 2] + i % 2][k];
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
        return 1 / portable_fmaxf(luxel_area(face, face->count / 2), 1);
    return 1 / portable_fmaxf(luxel_area(face, luxel), (float)MIN_SHARE * whole);
}

static float grey(const float rgb[3])
{
    return (rgb[0] + rgb[1] + rgb[2]) / 3;
}

static float compliance_of(const struct layer *layer, const struct constraint *constraint)
{
    float compliance = 0;
    for (int i = 0; i < 2; i++) {
        const struct seam_side *side = &constraint->sides[i];
        float weight[CORNERS];
        set_weights(side->u, side->v, weight);
        for (int c = 0; c < CORNERS; c++)
            compliance += weight[c] * weight[c] * layer->inverse_area[side->row[c / 2] + c % 2];
    }
    return compliance;
}

/* Finds the step that may remain; compliance stays 0 if a side lacks the layer at the point. */
static void begin_constraint(struct layer *layer, size_t number)
{
    const struct seam_point *point = &layer->list->points[number];
    const struct seam *seam = &layer->list->seams[point->seam];
    const struct constraint *constraint = &layer->constraints[number];
    struct multiplier *multiplier = &layer->multipliers[number];
    float light[2][3], max = 0;
    memset(multiplier, 0, sizeof *multiplier);
    if (layer->slot && !seam->bumps)
        return;
    for (int i = 0; i < 2; i++) {
        const struct face_light *face = &layer->map->faces[seam->face[i]];
        const float *direct = direct_of(layer, face);
        if (!direct)
            return;
        float s = point->st[i][0], t = point->st[i][1], inner_light[3];
        struct bilinear edge = bilinear_at(face, s, t);
        struct bilinear inner =
            bilinear_at(face, s + (float)seam->inward[i].s, t + (float)seam->inward[i].t);
        if (!is_known(face, &edge))
            return;
        edge_light(layer, &constraint->sides[i], light[i]);
        bilinear_light(layer, face, direct, &inner, inner_light);
        max += fabsf(grey(light[i]) - grey(inner_light));
    }
    max += (float)PLAIN_STEP * portable_fminf(grey(light[0]), grey(light[1]));
    float step = fabsf(grey(light[0]) - grey(light[1]));
    for (int k = 0; k < 3; k++)
        multiplier->target_step[k] =
            step > max ? (light[0][k] - light[1][k]) * (1 - max / step) : 0;
    multiplier->compliance = compliance_of(layer, constraint);
}

/* Red, green, blue and an unused lane. */
typedef float lanes __attribute__((vector_size(16)));

static inline lanes load(const float from[3])
{
    lanes all;
    memcpy(&all, from, sizeof all);
    return all;
}

static inline void store(lanes all, float to[3])
{
    memcpy(to, &all, sizeof(colour));
}

static inline void pull_side(const struct layer *layer, const struct seam_side *side, float sign,
                             lanes by)
{
    float weight[CORNERS];
    set_weights(side->u, side->v, weight);
    for (int i = 0; i < CORNERS; i++) {
        int luxel = side->row[i / 2] + i % 2;
        float share = weight[i] * layer->inverse_area[luxel];
        store(load(layer->offset[luxel]) + sign * share * by, layer->offset[luxel]);
    }
}

/* The current light at a point. */
static inline lanes side_light(const struct layer *layer, const struct seam_side *side)
{
    lanes sum = {0, 0, 0, 0};
    float weight[CORNERS];
    set_weights(side->u, side->v, weight);
    for (int i = 0; i < CORNERS; i++) {
        int luxel = side->row[i / 2] + i % 2;
        sum += weight[i] * (load(layer->light[luxel]) + load(layer->offset[luxel]));
    }
    return sum;
}

/* Relaxes one constraint of the least-squares problem (dual coordinate ascent). Returns how much
 * the step closes. */
static float relax_constraint(const struct layer *layer, size_t number)
{
    const struct constraint *constraint = &layer->constraints[number];
    struct multiplier *multiplier = &layer->multipliers[number];
    float gain = 0, compliance = multiplier->compliance, slack = (float)SLACK * compliance;
    lanes light =
        side_light(layer, &constraint->sides[0]) - side_light(layer, &constraint->sides[1]);
    lanes error = light - load(multiplier->target_step), now = load(multiplier->now);
    lanes by = -(error + slack * now) / (compliance + slack);
    store(now + by, multiplier->now);
    for (int k = 0; k < 3; k++) {
        float closed = fabsf(by[k]) * compliance;
        gain = closed > gain ? closed : gain;
    }
    pull_side(layer, &constraint->sides[0], 1, by);
    pull_side(layer, &constraint->sides[1], -1, by);
    return gain;
}

/* Calls `visit` with each seam luxel of a face. */
typedef void visit_luxel(const struct layer *layer, int face, int luxel, size_t rank,
                         void *context);

static void visit_face(const struct layer *layer, int face, visit_luxel *visit, void *context)
{
    size_t first = layer->first[face], rank = luxel_set_rank(&layer->set, first);
    if (rank == luxel_set_rank(&layer->set, layer->first[face + 1]))
        return;
    for (int i = 0; i < layer->map->faces[face].count; i++)
        if (luxel_set_has(&layer->set, first + (size_t)i))
            visit(layer, face, i, rank++, context);
}

static void begin_luxel(const struct layer *layer, int face, int luxel, size_t rank, void *direct)
{
    luxel_light(layer, &layer->map->faces[face], direct, luxel, layer->light[rank]);
    memset(layer->offset[rank], 0, sizeof layer->offset[rank]);
}

/* Ranges of one channel of the light of seam luxels. */
struct ranges {
    int channel;
    float *low, *high;
    float *direct; /* of a face */
};

/* Extends the range of the luxels around a point to a light. */
static void extend_range(const struct ranges *ranges, const struct seam_side *side, float light)
{
    float weight[CORNERS];
    set_weights(side->u, side->v, weight);
    for (int i = 0; i < CORNERS; i++) {
        int luxel = side->row[i / 2] + i % 2;
        if (!(weight[i] > 0))
            continue;
        ranges->low[luxel] = light < ranges->low[luxel] ? light : ranges->low[luxel];
        ranges->high[luxel] = light > ranges->high[luxel] ? light : ranges->high[luxel];
    }
}

/* The light of a luxel keeps to the range of its own and those on the edges of both sides. */
static void end_luxel(const struct layer *layer, int face, int luxel, size_t rank, void *context)
{
    const struct ranges *ranges = context;
    int k = ranges->channel;
    float offset = layer->offset[rank][k], now = layer->light[rank][k] + offset;
    float within = portable_fminf(portable_fmaxf(now, ranges->low[rank]), ranges->high[rank]);
    (void)face;
    ranges->direct[3 * luxel + k] += offset + within - now;
}

static void end_channel(const struct layer *layer, struct ranges *ranges, const bool *active)
{
    for (size_t i = 0; i < layer->count; i++)
        ranges->low[i] = ranges->high[i] = layer->light[i][ranges->channel];
    for (size_t i = 0; i < arrlenu(layer->list->points); i++) {
        float light[2][3];
        for (int k = 0; k < 2 && active[i]; k++)
            edge_light(layer, &layer->constraints[i].sides[k], light[k]);
        for (int k = 0; k < 4 && active[i]; k++)
            extend_range(ranges, &layer->constraints[i].sides[k / 2],
                         light[k % 2][ranges->channel]);
    }
    for (int i = 0; i < layer->map->face_count; i++) {
        const struct face_light *face = &layer->map->faces[i];
        ranges->direct = direct_of(layer, face);
        if (ranges->direct && !face->kept)
            visit_face(layer, i, end_luxel, ranges);
    }
}

/* Channel by channel, so that the ranges take little room. */
static void end_layer(const struct layer *layer, const bool *active)
{
    struct ranges ranges = {.low = memory_alloc((layer->count + 1) * sizeof(float)),
                            .high = memory_alloc((layer->count + 1) * sizeof(float))};
    for (ranges.channel = 0; ranges.channel < 3; ranges.channel++)
        end_channel(layer, &ranges, active);
    memory_free(ranges.low);
    memory_free(ranges.high);
}

static void relax(const struct layer *layer)
{
    float gain = 1;
    for (int sweep = 0; sweep < SWEEPS && gain > (float)MIN_GAIN; sweep++) {
        gain = 0;
        for (size_t i = 0; i < arrlenu(layer->list->points); i++) {
            if (!(layer->multipliers[i].compliance > 0))
                continue;
            float closed = relax_constraint(layer, i);
            gain = closed > gain ? closed : gain;
        }
    }
}

static void match_layer(struct layer *layer)
{
    size_t count = arrlenu(layer->list->points);
    bool *active = memory_alloc(count + 1);
    layer->multipliers = memory_alloc((count + 1) * sizeof *layer->multipliers);
    for (int i = 0; i < layer->map->face_count; i++) {
        float *direct = direct_of(layer, &layer->map->faces[i]);
        if (direct)
            visit_face(layer, i, begin_luxel, direct);
    }
    for (size_t i = 0; i < count; i++) {
        begin_constraint(layer, i);
        active[i] = layer->multipliers[i].compliance > 0;
    }
    relax(layer);
    memory_free(layer->multipliers);
    end_layer(layer, active);
    memory_free(active);
}

static void list_luxels(struct layer *layer)
{
    const struct luxel_map *map = layer->map;
    const struct seam_list *list = layer->list;
    layer->first = memory_zalloc((size_t)map->face_count + 1, sizeof *layer->first);
    for (int i = 0; i < map->face_count; i++)
        layer->first[i + 1] = layer->first[i] + (size_t)map->faces[i].count;
    layer->set = luxel_set_new(layer->first[map->face_count] + 1);
    for (size_t i = 0; i < arrlenu(list->points); i++) {
        for (int k = 0; k < 2; k++) {
            int face = list->seams[list->points[i].seam].face[k];
            const float *st = list->points[i].st[k];
            struct bilinear bilinear = bilinear_at(&map->faces[face], st[0], st[1]);
            for (int c = 0; c < CORNERS; c++)
                if (bilinear.weight[c] > 0)
                    luxel_set_add(&layer->set, layer->first[face] + (size_t)bilinear.luxel[c]);
        }
    }
    layer->count = luxel_set_rank_all(&layer->set);
}

static void weigh_luxel(const struct layer *layer, int face, int luxel, size_t rank, void *context)
{
    (void)context;
    layer->inverse_area[rank] = inverse_area_of(&layer->map->faces[face], luxel);
}

static struct seam_side side_of(const struct layer *layer, const struct seam_point *point, int k)
{
    int face = layer->list->seams[point->seam].face[k];
    struct bilinear at = bilinear_at(&layer->map->faces[face], point->st[k][0], point->st[k][1]);
    struct seam_side side = {.u = at.u, .v = at.v};
    for (int row = 0; row < 2; row++) {
        int luxel = at.luxel[row && at.v > 0 ? 2 : 0];
        side.row[row] = (int)luxel_set_rank(&layer->set, layer->first[face] + (size_t)luxel);
    }
    return side;
}

/* Luxels of no weight may be read one past the last. */
static void allocate(struct layer *layer)
{
    size_t luxels = layer->count + 2, points = arrlenu(layer->list->points);
    layer->light = memory_zalloc(luxels, sizeof *layer->light);
    layer->offset = memory_zalloc(luxels, sizeof *layer->offset);
    layer->inverse_area = memory_zalloc(luxels, sizeof *layer->inverse_area);
    layer->constraints = memory_alloc((points + 1) * sizeof *layer->constraints);
    for (int i = 0; i < layer->map->face_count; i++)
        visit_face(layer, i, weigh_luxel, NULL);
    for (size_t i = 0; i < points; i++)
        for (int k = 0; k < 2; k++)
            layer->constraints[i].sides[k] = side_of(layer, &layer->list->points[i], k);
}

static void layer_free(struct layer *layer)
{
    memory_free(layer->first);
    luxel_set_free(&layer->set);
    memory_free(layer->inverse_area);
    memory_free(layer->light);
    memory_free(layer->offset);
    memory_free(layer->constraints);
}

void seams_match(const struct env *env, const struct seam_list *list, struct luxel_map *map)
{
    size_t count = arrlenu(list->points);
    struct layer layer = {.map = map, .list = list};
    list_luxels(&layer);
    allocate(&layer);
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
    layer_free(&layer);
}
