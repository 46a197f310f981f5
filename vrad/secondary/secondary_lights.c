#include "vrad/secondary/secondary_lanes.h"

#include <float.h>
#include <string.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"

SIMD_TABLES(secondary_lane_ops)

enum { SIDE_LUXELS = 4 };

/* The clamp, relative to the mean radiosity of the map. */
#define CLAMP 2.5

/* Up to so many of its half diagonals a light is near. */
#define NEAR_DIAGONALS 3.0

/* Squares with a higher gain than this, of 255, at the near distance are subdivided. */
#define LIGHT_TO_CUT 4.0

/* A light whose gain straight ahead is below this, of 255, gets no shadow rays. */
#define MIN_LIGHT 0.05

/* Direct radiosity of a luxel; returns the mean of its channels. */
static double leaving(const struct face_light *face, int luxel, double out[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        out[k] = (double)face->direct[0][3 * luxel + k] * (double)face->reflectivity[k];
        sum += out[k];
    }
    return sum / 3;
}

static bool is_lit(const struct face_light *face)
{
    return face->width > 0 && face->style_count > 0;
}

static double mean_brightness(const struct luxel_map *map)
{
    double sum = 0, area = 0, colour[3];
    for (int f = 0; f < map->face_count; f++) {
        const struct face_light *face = &map->faces[f];
        for (int i = 0; is_lit(face) && i < face->count; i++) {
            sum += (double)luxel_area(face, i) * leaving(face, i, colour);
            area += (double)luxel_area(face, i);
        }
    }
    return area > 0 ? sum / area : 0;
}

/* A square of luxels, clipped to the face. */
struct square {
    int face, column, row, side;
    double reach; /* squared, of the square that it is a part of; 0: it is undivided */
};

/* Sums over the luxels of a square. */
struct square_sum {
    struct vec3 center, normal; /* weighted by brightness */
    double power[3];            /* radiosity above the clamp, times area */
    double brightness;          /* mean of power */
};

/* The squared distance below which a square gets no shadow rays. */
static double near_of(const struct face_light *face, int side)
{
    double across = vec3_dot(face->axis[0], face->axis[0]);
    double along = vec3_dot(face->axis[1], face->axis[1]);
    return NEAR_DIAGONALS * NEAR_DIAGONALS * (across + along) * (side * side / 4.0);
}

/* Radiosity above the clamp, times area. */
static double power_of(const struct face_light *face, const struct square *square, double clamp)
{
    double power = 0, colour[3];
    for (int t = square->row; t < square->row + square->side && t < face->height; t++) {
        for (int s = square->column; s < square->column + square->side && s < face->width; s++) {
            int luxel = t * face->width + s;
            power += portable_fmax(leaving(face, luxel, colour) - clamp, 0) *
                     (double)luxel_area(face, luxel);
        }
    }
    return power;
}

static void add_luxel(struct secondary_lights *secondary, const struct face_light *face, int i,
                      double clamp, struct square_sum *sum)
{
    struct luxel room;
    const struct luxel *luxel = luxel_of(face, i, &room);
    size_t number =
        secondary->radiosity->first[face - secondary->radiosity->map->faces] + (size_t)i;
    if (!secondary_is_marked(secondary, number))
        return;
    struct secondary_luxel *found = secondary_luxel_at(secondary, number);
    double colour[3], level = leaving(face, i, colour);
    found->light = (int)arrlen(secondary->lights);
    double share = 1 - clamp / level, weight = share * level * (double)luxel->area;
    for (int k = 0; k < 3; k++) {
        found->residual[k] = (float)(share * colour[k]);
        sum->power[k] += share * colour[k] * (double)luxel->area;
        sum->normal.e[k] += weight * (double)luxel_normal(face, luxel)[k];
    }
    sum->center = vec3_mad(sum->center, vec3_from_floats(luxel->position), weight);
    sum->brightness += weight;
}

static struct secondary_lanes *lanes_for_next(struct secondary_lights *secondary)
{
    const struct secondary_lanes none = {.strength = {0}};
    if (arrlen(secondary->lights) % SECONDARY_LANES == 0)
        arrput(secondary->lanes, none);
    return &arrlast(secondary->lanes);
}

static struct secondary_face *face_for_next(struct secondary_lights *secondary, int number)
{
    int first = (int)arrlen(secondary->lights);
    const struct secondary_face none = {.face = number,
                                        .first = first,
                                        .end = first,
                                        .mins = {FLT_MAX, FLT_MAX, FLT_MAX},
                                        .maxs = {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    if (!arrlen(secondary->faces) || arrlast(secondary->faces).face != number)
        arrput(secondary->faces, none);
    return &arrlast(secondary->faces);
}

static void add_light(struct secondary_lights *secondary, int number,
                      const struct secondary_light *light)
{
    struct secondary_lanes *lanes = lanes_for_next(secondary);
    struct secondary_face *face = face_for_next(secondary, number);
    size_t lane = arrlenu(secondary->lights) % SECONDARY_LANES;
    float radius = sqrtf(light->reach);
    lanes->strength[lane] = light->strength;
    lanes->near[lane] = light->near;
    lanes->reach[lane] = light->reach;
    for (int k = 0; k < 3; k++) {
        lanes->center[k][lane] = light->center[k];
        lanes->normal[k][lane] = light->normal[k];
        face->mins[k] = portable_fminf(face->mins[k], light->center[k] - radius);
        face->maxs[k] = portable_fmaxf(face->maxs[k], light->center[k] + radius);
    }
    face->end++;
    arrput(secondary->lights, *light);
}

static void find_in_square(struct secondary_lights *secondary, const struct square *square,
                           double clamp)
{
    const struct face_light *face = &secondary->radiosity->map->faces[square->face];
    struct square_sum sum = {.brightness = 0};
    int right = square->column + square->side, below = square->row + square->side;
    for (int t = square->row; t < below && t < face->height; t++)
        for (int s = square->column; s < right && s < face->width; s++)
            add_luxel(secondary, face, t * face->width + s, clamp, &sum);
    if (!(sum.brightness > 0))
        return;
    double reach = square->reach > 0 ? square->reach : sum.brightness / (MIN_LIGHT * PI);
    struct vec3 normal = face->mesh ? vec3_normalize(sum.normal) : face->normal;
    struct secondary_light light = {.strength = (float)(sum.brightness / PI),
                                    .near = (float)near_of(face, square->side),
                                    .reach = (float)reach};
    for (int k = 0; k < 3; k++) {
        light.center[k] = (float)(sum.center.e[k] / sum.brightness);
        light.normal[k] = (float)normal.e[k];
        light.power[k] = (float)(sum.power[k] / PI);
        for (int j = 0; j < 2; j++)
            light.half_side[j][k] = (float)(face->axis[j].e[k] * square->side / 2.0);
    }
    add_light(secondary, square->face, &light);
}

/* Subdivides bright squares. The parts keep the reach of the whole, since far away they add up. */
static void cut_square(struct secondary_lights *secondary, struct square square, double clamp)
{
    const struct face_light *face = &secondary->radiosity->map->faces[square.face];
    struct square pending[SIDE_LUXELS * SIDE_LUXELS] = {square};
    double reach = power_of(face, &square, clamp) / (MIN_LIGHT * PI);
    int count = 1;
    while (count > 0) {
        struct square now = pending[--count];
        double max = LIGHT_TO_CUT * PI * near_of(face, now.side);
        if (now.side == 1 || power_of(face, &now, clamp) <= max) {
            find_in_square(secondary, &now, clamp);
            continue;
        }
        int half = now.side / 2;
        for (int i = 0; i < 4; i++)
            pending[count++] = (struct square){now.face, now.column + i % 2 * half,
                                               now.row + i / 2 * half, half, reach};
    }
}

static void mark_luxels(struct secondary_lights *secondary, double clamp)
{
    const struct luxel_map *map = secondary->radiosity->map;
    double colour[3];
    secondary->marks = luxel_set_new(radiosity_count(secondary->radiosity));
    for (int f = 0; f < map->face_count; f++) {
        const struct face_light *face = &map->faces[f];
        for (int i = 0; is_lit(face) && i < face->count; i++) {
            size_t number = secondary->radiosity->first[f] + (size_t)i;
            if (!radiosity_is_split(secondary->radiosity, number) &&
                leaving(face, i, colour) > clamp && luxel_area(face, i) > 0)
                luxel_set_add(&secondary->marks, number);
        }
    }
    uint32_t count = luxel_set_rank_all(&secondary->marks);
    secondary->luxels = memory_zalloc((size_t)count + 1, sizeof *secondary->luxels);
}

static bool has_marks(const struct secondary_lights *secondary, int face)
{
    const size_t *first = secondary->radiosity->first + face;
    return luxel_set_rank(&secondary->marks, first[0]) <
           luxel_set_rank(&secondary->marks, first[1]);
}

static const int *clusters_of(const struct secondary_lights *secondary,
                              const struct secondary_face *face)
{
    return secondary->radiosity->map->faces[face->face].clusters;
}

/* The faces with lights, by cluster. Those of cluster c are from first[c] to first[c + 1] - 1 in
 * `faces`; those in no cluster, which are seen from all, after the last. */
struct cluster_faces {
    int clusters;
    size_t *first; /* clusters + 2 of them */
    int *faces;
};

/* Counts the faces of each cluster; or, once counted, stores them. */
static void list_faces(const struct secondary_lights *secondary, struct cluster_faces *out)
{
    for (size_t i = 0; i < arrlenu(secondary->faces); i++) {
        const int *clusters = clusters_of(secondary, &secondary->faces[i]);
        ptrdiff_t count = arrlen(clusters);
        for (ptrdiff_t k = 0; k < (count ? count : 1); k++) {
            int cluster = count ? clusters[k] : out->clusters;
            if (cluster < 0 || (count && cluster >= out->clusters))
                continue;
            if (out->faces)
                out->faces[out->first[cluster]] = (int)i;
            out->first[cluster]++;
        }
    }
}

static struct cluster_faces cluster_faces_make(const struct secondary_lights *secondary,
                                               int clusters)
{
    size_t count = (size_t)clusters + 1, sum = 0;
    struct cluster_faces out = {clusters, memory_zalloc(count + 1, sizeof *out.first), NULL};
    list_faces(secondary, &out);
    for (size_t c = 0; c < count; c++) {
        size_t faces = out.first[c];
        out.first[c] = sum;
        sum += faces;
    }
    out.faces = memory_alloc((sum + 1) * sizeof *out.faces);
    list_faces(secondary, &out); /* moves each start to the end, the next start */
    memmove(out.first + 1, out.first, count * sizeof *out.first);
    out.first[0] = 0;
    return out;
}

static void mark_faces(const struct cluster_faces *from, int cluster, uint64_t *marks)
{
    for (size_t i = from->first[cluster]; i < from->first[cluster + 1]; i++)
        marks[from->faces[i] / 64] |= (uint64_t)1 << from->faces[i] % 64;
}

/* Looks only at the clusters that each one sees: large maps see little of themselves. */
static void find_visible(struct secondary_lights *secondary)
{
    const struct scene *scene = secondary->radiosity->scene;
    size_t words = secondary_words(secondary), bytes = ((size_t)scene->clusters + 7) / 8;
    if (!scene->clusters || !words)
        return;
    unsigned char *row = memory_alloc(bytes);
    struct cluster_faces faces = cluster_faces_make(secondary, scene->clusters);
    secondary->visible = memory_zalloc((size_t)scene->clusters * words, sizeof *secondary->visible);
    for (int c = 0; c < scene->clusters; c++) {
        uint64_t *visible = secondary->visible + (size_t)c * words;
        bsp_vis_row(scene->bsp, c, false, row);
        for (size_t i = 0; i < bytes; i++)
            for (unsigned left = row[i]; left; left &= left - 1) {
                int cluster = (int)(8 * i) + __builtin_ctz(left);
                if (cluster < scene->clusters)
                    mark_faces(&faces, cluster, visible);
            }
        mark_faces(&faces, scene->clusters, visible);
    }
    memory_free(faces.first);
    memory_free(faces.faces);
    memory_free(row);
}

void secondary_lights_find(const struct radiosity *radiosity, struct secondary_lights *out)
{
    const struct luxel_map *map = radiosity->map;
    double clamp = CLAMP * mean_brightness(map);
    *out = (struct secondary_lights){.radiosity = radiosity,
                                     .work = secondary_lane_ops_of(simd_best())};
    if (!(clamp > 0))
        return;
    mark_luxels(out, clamp);
    for (int f = 0; f < map->face_count; f++) {
        const struct face_light *face = &map->faces[f];
        bool has_lights = is_lit(face) && has_marks(out, f);
        for (int row = 0; has_lights && row < face->height; row += SIDE_LUXELS)
            for (int column = 0; column < face->width; column += SIDE_LUXELS)
                cut_square(out, (struct square){f, column, row, SIDE_LUXELS, 0}, clamp);
    }
    find_visible(out);
}

void secondary_lights_free(struct secondary_lights *secondary)
{
    arrfree(secondary->lights);
    arrfree(secondary->faces);
    memory_free(secondary->visible);
    arrfree(secondary->lanes);
    memory_free(secondary->luxels);
    luxel_set_free(&secondary->marks);
    *secondary = (struct secondary_lights){0};
}
