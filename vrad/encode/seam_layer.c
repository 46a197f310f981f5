#include "vrad/encode/seam_layer.h"

#include <string.h>

#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "vrad/luxels/bounced.h"
#include "vrad/luxels/luxel_border.h"
#include "vrad/luxels/luxel_set.h"

/* Iteration ends when no step closes by more than this, of 255. */
#define MIN_GAIN 0.02

enum { SWEEPS = 12, MAX_TAPS = 4, MAX_WEIGHTS = MAX_TAPS * MAX_TAPS };

/* Minimum share of a luxel's square that it is weighted by: slivers must not take all of the
 * offset. */
#define MIN_SHARE 0.25

/* A step may remain up to the change of light within a luxel on either side, plus this share of the
 * light. */
#define PLAIN_STEP 0.2

/* Regularisation, relative to a point's compliance: where lightmaps of different scale meet, not
 * all constraints can be met. */
#define SLACK 0.05

/* Filters that games show lightmaps with, by the luxels that they take along each axis. Without a
 * border, a cubic B-spline takes luxels of other faces as well: what it shows is not known. */
enum filter { FILTER_LINEAR = 2, FILTER_CUBIC = 4 };

/* The luxels that a filter takes at a point: rows from the `first`, of the lattice of a face, on,
 * and their weights, which depend on the place between luxels. */
struct taps {
    int first;
    float u, v;
};

/* The place of a point between the luxels of a side. */
struct seam_side {
    float u, v;
};

struct constraint {
    struct seam_side sides[2];
    enum filter filter;
    int point;
    uint32_t
        rows; /* number of its first row in the layer, of side 0: as many as taps, then side 1 */
};

/* State of a constraint. */
struct multiplier {
    float now[3], target_step[3]; /* Lagrange multipliers; the step that may remain */
    float compliance; /* how far a multiplier of 1 closes the step; 0: a side lacks the layer */
};

typedef float colour[3];

/* One map of one style on both sides of the seams of a group. The arrays of colours are padded, so
 * that four numbers can be loaded anywhere. */
struct layer {
    const struct luxel_map *map;
    const struct seam_list *list;
    const int *faces, *points; /* of the group */
    size_t face_count, point_count;
    const int *local; /* number of a face of the map in the group */
    int style, slot;
    size_t *first; /* number of the first luxel of each face's lattice in the group, and one past */
    struct luxel_set set; /* the luxels on seams; all below are by their ranks */
    size_t count;         /* of these */
    float *inverse_area;  /* that weights them */
    colour *light, *offset;
    size_t constraint_count;
    struct constraint *constraints; /* one per point and filter */
    /* The first luxel of each row of the luxels around the points: the others of a row follow it.
     * Those of no weight may be others. */
    int *rows;
    struct multiplier *multipliers; /* one per constraint */
};

static inline void set_weights(enum filter filter, float x, float weight[MAX_TAPS])
{
    float y = 1 - x;
    if (filter == FILTER_LINEAR) {
        weight[0] = y;
        weight[1] = x;
        return;
    }
    weight[0] = y * y * y / 6;
    weight[1] = (3 * x * x * x - 6 * x * x + 4) / 6;
    weight[2] = (3 * y * y * y - 6 * y * y + 4) / 6;
    weight[3] = x * x * x / 6;
}

/* The weights of the luxels that a filter takes, row by row. */
static inline void tap_weights(enum filter filter, float u, float v, float out[MAX_WEIGHTS])
{
    const int taps = (int)filter;
    float across[MAX_TAPS], along[MAX_TAPS];
    set_weights(filter, u, across);
    set_weights(filter, v, along);
    for (int j = 0; j < taps; j++)
        for (int i = 0; i < taps; i++)
            out[j * taps + i] = across[i] * along[j];
}

/* The luxels that a filter takes at luxel coordinates of a face, clamped to those of the face. */
static struct taps taps_at(const struct face_light *face, enum filter filter, float s, float t)
{
    s = s<0 ? 0 : s>(float)(face->width - 1) ? (float)(face->width - 1) : s;
    t = t<0 ? 0 : t>(float)(face->height - 1) ? (float)(face->height - 1) : t;
    int i = (int)s, j = (int)t, before = face->border - (filter == FILTER_CUBIC);
    return (struct taps){(j + before) * lattice_width(face) + i + before, s - (float)i,
                         t - (float)j};
}

/* The luxel of the lattice of a face that weight i is of. */
static int tap_of(const struct face_light *face, const struct taps *taps, enum filter filter, int i)
{
    return taps->first + i / (int)filter * lattice_width(face) + i % (int)filter;
}

static bool has_layer(const struct layer *layer, const struct face_light *face)
{
    return face->count && layer->slot < face->slots && face_style_index(face, layer->style) >= 0;
}

/* The place of the direct light of a luxel of the lattice in a layer that the face has. */
static float *direct_at(const struct layer *layer, const struct face_light *face, int at)
{
    return lattice_direct(face, face_style_index(face, layer->style), layer->slot, at);
}

/* Direct and bounced light of a luxel of the lattice. */
static void luxel_light(const struct layer *layer, const struct face_light *face, int at,
                        float out[3])
{
    struct lattice_place place = lattice_place(face, at);
    const float *direct = direct_at(layer, face, at);
    float bounced[3] = {0, 0, 0};
    if (layer->style == 0 && place.in_border)
        memcpy(bounced, border_bounced(face, layer->slot) + 3 * (size_t)place.luxel,
               sizeof bounced);
    else if (layer->style == 0)
        bounced_at(face, layer->slot, place.luxel, bounced);
    for (size_t k = 0; k < 3; k++)
        out[k] = direct[k] + bounced[k];
}

/* Bilinear light at a point of a face. */
static void light_within(const struct layer *layer, const struct face_light *face, float s, float t,
                         float out[3])
{
    struct taps taps = taps_at(face, FILTER_LINEAR, s, t);
    float weight[MAX_WEIGHTS];
    tap_weights(FILTER_LINEAR, taps.u, taps.v, weight);
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < FILTER_LINEAR * FILTER_LINEAR; i++) {
        float light[3];
        if (!(weight[i] > 0))
            continue;
        luxel_light(layer, face, tap_of(face, &taps, FILTER_LINEAR, i), light);
        for (int k = 0; k < 3; k++)
            out[k] += weight[i] * light[k];
    }
}

/* A side of a constraint with the weights of its luxels. */
struct weighted_side {
    const int *row;
    int taps;
    float weight[MAX_WEIGHTS];
};

static inline struct weighted_side weighted_side(const struct layer *layer,
                                                 const struct constraint *constraint,
                                                 enum filter filter, int side)
{
    const struct seam_side *place = &constraint->sides[side];
    struct weighted_side out = {.row = layer->rows + constraint->rows + side * (int)filter,
                                .taps = (int)filter};
    tap_weights(filter, place->u, place->v, out.weight);
    return out;
}

/* The rank of a luxel of a side. */
static inline int rank_of(const struct weighted_side *side, int i)
{
    return side->row[i / side->taps] + i % side->taps;
}

static inline int taps_of(const struct weighted_side *side)
{
    return side->taps * side->taps;
}

/* The light on the edge before it is matched. */
static void edge_light(const struct layer *layer, const struct weighted_side *side, float out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < taps_of(side); i++)
        for (int k = 0; k < 3; k++)
            out[k] += side->weight[i] * layer->light[rank_of(side, i)][k];
}

/* True if nothing that the filter shows there is hidden. */
static bool is_known(const struct face_light *face, enum filter filter, float s, float t)
{
    struct taps taps = taps_at(face, filter, s, t);
    float weight[MAX_WEIGHTS];
    tap_weights(filter, taps.u, taps.v, weight);
    for (int i = 0; i < (int)filter * (int)filter; i++)
        if (weight[i] > 0 && lattice_is_hidden(face, tap_of(face, &taps, filter, i)))
            return false;
    return true;
}

/* The inverse of the area that weights a luxel of the lattice. */
static float inverse_area_of(const struct face_light *face, int at)
{
    float whole = (float)vec3_length(vec3_cross(face->axis[0], face->axis[1]));
    struct lattice_place place = lattice_place(face, at);
    if (place.in_border)
        return 1 / ((float)MIN_SHARE * whole);
    if (face->mesh) /* its luxels are similar */
        return 1 / portable_fmaxf(luxel_area(face, face->count / 2), 1);
    return 1 / portable_fmaxf(luxel_area(face, place.luxel), (float)MIN_SHARE * whole);
}

static float grey(const float rgb[3])
{
    return (rgb[0] + rgb[1] + rgb[2]) / 3;
}

static float compliance_of(const struct layer *layer, const struct weighted_side sides[2])
{
    float compliance = 0;
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < taps_of(&sides[i]); c++)
            compliance += sides[i].weight[c] * sides[i].weight[c] *
                          layer->inverse_area[rank_of(&sides[i], c)];
    return compliance;
}

/* Finds the step that may remain; compliance stays 0 if a side lacks the layer at the point. */
static void begin_constraint(struct layer *layer, size_t number)
{
    const struct constraint *constraint = &layer->constraints[number];
    const struct seam_point *point = &layer->list->points[constraint->point];
    const struct seam *seam = &layer->list->seams[point->seam];
    const struct weighted_side sides[2] = {weighted_side(layer, constraint, constraint->filter, 0),
                                           weighted_side(layer, constraint, constraint->filter, 1)};
    struct multiplier *multiplier = &layer->multipliers[number];
    float light[2][3], max = 0;
    memset(multiplier, 0, sizeof *multiplier);
    if (layer->slot && !seam->bumps)
        return;
    for (int i = 0; i < 2; i++) {
        const struct face_light *face = &layer->map->faces[seam->face[i]];
        float s = point->st[i][0], t = point->st[i][1], inner_light[3];
        if (!has_layer(layer, face) || !is_known(face, constraint->filter, s, t))
            return;
        edge_light(layer, &sides[i], light[i]);
        light_within(layer, face, s + (float)seam->inward[i].s, t + (float)seam->inward[i].t,
                     inner_light);
        max += fabsf(grey(light[i]) - grey(inner_light));
    }
    max += (float)PLAIN_STEP * portable_fminf(grey(light[0]), grey(light[1]));
    float step = fabsf(grey(light[0]) - grey(light[1]));
    for (int k = 0; k < 3; k++)
        multiplier->target_step[k] =
            step > max ? (light[0][k] - light[1][k]) * (1 - max / step) : 0;
    multiplier->compliance = compliance_of(layer, sides);
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

static inline void pull_side(const struct layer *layer, const struct weighted_side *side,
                             float sign, lanes by)
{
    for (int i = 0; i < taps_of(side); i++) {
        int luxel = rank_of(side, i);
        float share = side->weight[i] * layer->inverse_area[luxel];
        store(load(layer->offset[luxel]) + sign * share * by, layer->offset[luxel]);
    }
}

/* The current light at a point. */
static inline lanes side_light(const struct layer *layer, const struct weighted_side *side)
{
    lanes sum = {0, 0, 0, 0};
    for (int i = 0; i < taps_of(side); i++) {
        int luxel = rank_of(side, i);
        sum += side->weight[i] * (load(layer->light[luxel]) + load(layer->offset[luxel]));
    }
    return sum;
}

static inline float relax_filter(const struct layer *layer, size_t number, enum filter filter)
{
    const struct constraint *constraint = &layer->constraints[number];
    const struct weighted_side sides[2] = {weighted_side(layer, constraint, filter, 0),
                                           weighted_side(layer, constraint, filter, 1)};
    struct multiplier *multiplier = &layer->multipliers[number];
    float gain = 0, compliance = multiplier->compliance, slack = (float)SLACK * compliance;
    lanes light = side_light(layer, &sides[0]) - side_light(layer, &sides[1]);
    lanes error = light - load(multiplier->target_step), now = load(multiplier->now);
    lanes by = -(error + slack * now) / (compliance + slack);
    store(now + by, multiplier->now);
    for (int k = 0; k < 3; k++) {
        float closed = fabsf(by[k]) * compliance;
        gain = closed > gain ? closed : gain;
    }
    pull_side(layer, &sides[0], 1, by);
    pull_side(layer, &sides[1], -1, by);
    return gain;
}

/* Relaxes one constraint of the least-squares problem (dual coordinate ascent). Returns how much
 * the step closes. The filter is a constant in either call, for the compiler's sake. */
static float relax_constraint(const struct layer *layer, size_t number)
{
    return layer->constraints[number].filter == FILTER_LINEAR
               ? relax_filter(layer, number, FILTER_LINEAR)
               : relax_filter(layer, number, FILTER_CUBIC);
}

/* Calls `visit` with each seam luxel of a face that has the layer. */
typedef void visit_luxel(const struct layer *layer, const struct face_light *face, int at,
                         size_t rank, void *context);

/* The face by its number in the group. */
static void visit_face(const struct layer *layer, size_t number, visit_luxel *visit, void *context)
{
    const struct face_light *face = &layer->map->faces[layer->faces[number]];
    size_t first = layer->first[number], rank = luxel_set_rank(&layer->set, first);
    if (rank == luxel_set_rank(&layer->set, layer->first[number + 1]))
        return;
    for (int i = 0; i < lattice_count(face); i++)
        if (luxel_set_has(&layer->set, first + (size_t)i))
            visit(layer, face, i, rank++, context);
}

static void begin_luxel(const struct layer *layer, const struct face_light *face, int at,
                        size_t rank, void *context)
{
    (void)context;
    luxel_light(layer, face, at, layer->light[rank]);
    memset(layer->offset[rank], 0, sizeof layer->offset[rank]);
}

/* Ranges of one channel of the light of seam luxels. */
struct ranges {
    int channel;
    float *low, *high;
};

/* Extends the range of the luxels around a point to a light. */
static void extend_range(const struct ranges *ranges, const struct weighted_side *side, float light)
{
    for (int i = 0; i < taps_of(side); i++) {
        int luxel = rank_of(side, i);
        if (!(side->weight[i] > 0))
            continue;
        ranges->low[luxel] = light < ranges->low[luxel] ? light : ranges->low[luxel];
        ranges->high[luxel] = light > ranges->high[luxel] ? light : ranges->high[luxel];
    }
}

/* The light of a luxel keeps to the range of its own and those on the edges of both sides. */
static void end_luxel(const struct layer *layer, const struct face_light *face, int at, size_t rank,
                      void *context)
{
    const struct ranges *ranges = context;
    int k = ranges->channel;
    float offset = layer->offset[rank][k], now = layer->light[rank][k] + offset;
    float within = portable_fminf(portable_fmaxf(now, ranges->low[rank]), ranges->high[rank]);
    direct_at(layer, face, at)[k] += offset + within - now;
}

static void end_channel(const struct layer *layer, struct ranges *ranges, const bool *active)
{
    for (size_t i = 0; i < layer->count; i++)
        ranges->low[i] = ranges->high[i] = layer->light[i][ranges->channel];
    for (size_t i = 0; i < layer->constraint_count; i++) {
        const struct constraint *constraint = &layer->constraints[i];
        struct weighted_side sides[2];
        float light[2][3];
        if (!active[i])
            continue;
        for (int k = 0; k < 2; k++) {
            sides[k] = weighted_side(layer, constraint, constraint->filter, k);
            edge_light(layer, &sides[k], light[k]);
        }
        for (int k = 0; k < 4; k++)
            extend_range(ranges, &sides[k / 2], light[k % 2][ranges->channel]);
    }
    for (size_t i = 0; i < layer->face_count; i++) {
        const struct face_light *face = &layer->map->faces[layer->faces[i]];
        if (has_layer(layer, face))
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
        for (size_t i = 0; i < layer->constraint_count; i++) {
            if (!(layer->multipliers[i].compliance > 0))
                continue;
            float closed = relax_constraint(layer, i);
            gain = closed > gain ? closed : gain;
        }
    }
}

static void match_layer(struct layer *layer)
{
    size_t count = layer->constraint_count;
    bool *active = memory_alloc(count + 1);
    layer->multipliers = memory_alloc((count + 1) * sizeof *layer->multipliers);
    for (size_t i = 0; i < layer->face_count; i++)
        if (has_layer(layer, &layer->map->faces[layer->faces[i]]))
            visit_face(layer, i, begin_luxel, NULL);
    for (size_t i = 0; i < count; i++) {
        begin_constraint(layer, i);
        active[i] = layer->multipliers[i].compliance > 0;
    }
    relax(layer);
    memory_free(layer->multipliers);
    end_layer(layer, active);
    memory_free(active);
}

/* True if the cubic filter takes luxels of the two faces alone, and their light is known. */
static bool have_borders(const struct layer *layer, int point)
{
    const struct seam *seam = &layer->list->seams[layer->list->points[point].seam];
    return layer->map->faces[seam->face[0]].border_light &&
           layer->map->faces[seam->face[1]].border_light;
}

/* Returns the number of the row after those of the constraint. */
static uint32_t add_constraint(struct layer *layer, int point, enum filter filter, uint32_t rows)
{
    layer->constraints[layer->constraint_count++] =
        (struct constraint){.filter = filter, .point = point, .rows = rows};
    return rows + 2 * (uint32_t)filter;
}

static void list_constraints(struct layer *layer)
{
    size_t points = layer->point_count, bordered = 0;
    for (size_t i = 0; i < points; i++)
        bordered += have_borders(layer, layer->points[i]);
    layer->constraints = memory_alloc((points + bordered + 1) * sizeof *layer->constraints);
    layer->rows = memory_alloc((2 * FILTER_LINEAR * points + 2 * FILTER_CUBIC * bordered + 1) *
                               sizeof *layer->rows);
    uint32_t rows = 0;
    for (size_t i = 0; i < points; i++) {
        rows = add_constraint(layer, layer->points[i], FILTER_LINEAR, rows);
        if (have_borders(layer, layer->points[i]))
            rows = add_constraint(layer, layer->points[i], FILTER_CUBIC, rows);
    }
}

/* The luxels that the filter takes on a side of a constraint, and whose they are. */
static struct taps taps_of_side(const struct layer *layer, const struct constraint *constraint,
                                int side, int *face)
{
    const struct seam_point *point = &layer->list->points[constraint->point];
    *face = layer->list->seams[point->seam].face[side];
    return taps_at(&layer->map->faces[*face], constraint->filter, point->st[side][0],
                   point->st[side][1]);
}

static void add_side(struct layer *layer, const struct constraint *constraint, int side)
{
    int face;
    struct taps taps = taps_of_side(layer, constraint, side, &face);
    const int filter = (int)constraint->filter;
    float weight[MAX_WEIGHTS];
    tap_weights(constraint->filter, taps.u, taps.v, weight);
    for (int i = 0; i < filter * filter; i++) {
        int at = tap_of(&layer->map->faces[face], &taps, constraint->filter, i);
        if (weight[i] > 0)
            luxel_set_add(&layer->set, layer->first[layer->local[face]] + (size_t)at);
    }
}

static void list_luxels(struct layer *layer)
{
    const struct luxel_map *map = layer->map;
    layer->first = memory_zalloc(layer->face_count + 1, sizeof *layer->first);
    for (size_t i = 0; i < layer->face_count; i++)
        layer->first[i + 1] = layer->first[i] + (size_t)lattice_count(&map->faces[layer->faces[i]]);
    layer->set = luxel_set_new(layer->first[layer->face_count] + 1);
    for (size_t i = 0; i < 2 * layer->constraint_count; i++)
        add_side(layer, &layer->constraints[i / 2], (int)(i % 2));
    layer->count = luxel_set_rank_all(&layer->set);
}

static void weigh_luxel(const struct layer *layer, const struct face_light *face, int at,
                        size_t rank, void *context)
{
    (void)context;
    layer->inverse_area[rank] = inverse_area_of(face, at);
}

/* Rows of no weight are the row before. */
static void place_side(struct layer *layer, struct constraint *constraint, int side)
{
    int face, filter = (int)constraint->filter;
    struct taps taps = taps_of_side(layer, constraint, side, &face);
    int *out = layer->rows + constraint->rows + side * filter, rows = filter - !(taps.v > 0);
    constraint->sides[side] = (struct seam_side){taps.u, taps.v};
    for (int row = 0; row < filter; row++) {
        int from = row < rows ? row : rows - 1;
        int at = taps.first + from * lattice_width(&layer->map->faces[face]);
        out[row] = (int)luxel_set_rank(&layer->set, layer->first[layer->local[face]] + (size_t)at);
    }
}

/* Luxels of no weight may be read one past the last. */
static void allocate(struct layer *layer)
{
    size_t luxels = layer->count + 2;
    layer->light = memory_zalloc(luxels, sizeof *layer->light);
    layer->offset = memory_zalloc(luxels, sizeof *layer->offset);
    layer->inverse_area = memory_zalloc(luxels, sizeof *layer->inverse_area);
    for (size_t i = 0; i < layer->face_count; i++)
        visit_face(layer, i, weigh_luxel, NULL);
    for (size_t i = 0; i < layer->constraint_count; i++)
        for (int k = 0; k < 2; k++)
            place_side(layer, &layer->constraints[i], k);
}

static void layer_free(struct layer *layer)
{
    memory_free(layer->first);
    luxel_set_free(&layer->set);
    memory_free(layer->inverse_area);
    memory_free(layer->light);
    memory_free(layer->offset);
    memory_free(layer->constraints);
    memory_free(layer->rows);
}

static struct layer layer_of(const struct luxel_map *map, const struct seam_list *list,
                             const struct seam_groups *groups, size_t group)
{
    struct layer layer = {.map = map, .list = list, .local = groups->local};
    layer.faces = groups->faces + groups->first_face[group];
    layer.face_count = groups->first_face[group + 1] - groups->first_face[group];
    layer.points = groups->points + groups->first_point[group];
    layer.point_count = groups->first_point[group + 1] - groups->first_point[group];
    return layer;
}

size_t seam_group_match(const struct luxel_map *map, const struct seam_list *list,
                        const struct seam_groups *groups, size_t group)
{
    struct layer layer = layer_of(map, list, groups, group);
    list_constraints(&layer);
    list_luxels(&layer);
    allocate(&layer);
    bool styles[BSP_STYLE_NONE + 1] = {false};
    int slots = 1;
    for (size_t i = 0; i < layer.face_count; i++) {
        const struct face_light *face = &map->faces[layer.faces[i]];
        for (int s = 0; s < face->style_count; s++)
            styles[face->styles[s]] = true;
        slots = face->slots > slots ? face->slots : slots;
    }
    size_t count = layer.constraint_count;
    for (layer.style = 0; count && layer.style < BSP_STYLE_NONE; layer.style++)
        for (layer.slot = 0; styles[layer.style] && layer.slot < slots; layer.slot++)
            match_layer(&layer);
    layer_free(&layer);
    return count;
}
