#include "view/pack/page_light.h"

#include <math.h>

#include "common/bsp/flags.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/parallel/parallel.h"

enum {
    COLOUR_BYTES = 4,
    /* The exponents of RGB9_E5, for mantissas of which 255 is white. */
    MIN_EXPONENT = -24,
    MAX_EXPONENT = 7,
};

static void store_colour(struct bsp_colour colour, unsigned char *to)
{
    if (colour.exponent < MIN_EXPONENT)
        return;
    to[0] = colour.r;
    to[1] = colour.g;
    to[2] = colour.b;
    int exponent = colour.exponent < MAX_EXPONENT ? colour.exponent : MAX_EXPONENT;
    to[3] = (unsigned char)(exponent - MIN_EXPONENT);
}

void light_atlas_pack(const struct light_atlas *atlas, struct view_data *data)
{
    struct bytes pages = {0};
    size_t side = (size_t)atlas->side, size = COLOUR_BYTES * side * side * (size_t)atlas->pages;
    bytes_fill(&pages, 0, size);
    for (size_t i = 0; i < arrlenu(atlas->blocks); i++) {
        const struct light_block *block = &atlas->blocks[i];
        const struct bsp_colour *from = &atlas->luxels[block->luxels];
        for (int y = 0; y < block->height * block->style_count; y++) {
            size_t row = side * (size_t)block->page + (size_t)(block->y + y);
            unsigned char *to = pages.data + COLOUR_BYTES * (side * row + (size_t)block->x);
            for (int x = 0; x < block->width; x++)
                store_colour(*from++, to + COLOUR_BYTES * x);
        }
    }
    json_t *light = json_object();
    json_object_set_new(light, "side", json_integer(atlas->side));
    json_object_set_new(light, "pages", json_integer(atlas->pages));
    json_object_set_new(data->head, "light", light);
    view_data_stream(data, "luxels", &pages, COLOUR_BYTES);
    bytes_free(&pages);
}

#define FARTHEST 1e6f

struct vec3 spot_position(const struct map_scene *scene, uint32_t triangle, const double weights[3])
{
    size_t count;
    const float *corners =
        trace_positions(scene->mesh.trace, TRACE_FACE, &count) + 9 * (size_t)triangle;
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < 3; i++)
        sum = vec3_mad(sum, vec3_from_floats(corners + 3 * i), weights[i]);
    return sum;
}

static struct surface_hit hit_of(const struct map_scene *scene, const struct spot *spot,
                                 double inside)
{
    struct surface_hit hit = surface_hit_of(scene, spot->triangle);
    double weights[3];
    for (int i = 0; i < 3; i++) {
        hit.weights[i] = spot->weights[i];
        weights[i] = spot->weights[i] + inside * (1.0 / 3 - spot->weights[i]);
    }
    hit.point = spot_position(scene, spot->triangle, weights);
    if (spot->back)
        hit.normal = vec3_neg(hit.normal);
    return hit;
}

void spot_light(const struct map_scene *scene, const struct spot *spot, double inside, float out[3])
{
    struct surface_hit hit = hit_of(scene, spot, inside);
    scene_light_at(scene, &hit, out);
}

/* A ray out of a closed model meets the back of its surface. */
static bool meets_back(const struct map_scene *scene, struct vec3 point, struct vec3 way)
{
    const struct mesh *mesh = &scene->mesh;
    const struct trace_ray ray = {
        .origin = {(float)point.x, (float)point.y, (float)point.z},
        .direction = {(float)way.x, (float)way.y, (float)way.z},
        .far = FARTHEST,
    };
    struct trace_hit hit = trace_closest(mesh->trace, TRACE_FACE | TRACE_SKY, &ray);
    if (hit.distance < 0 || hit.class != TRACE_FACE)
        return false;
    const struct triangle *triangle = &mesh->triangles[hit.triangle];
    return !mesh->surfaces[triangle->surface].two_sided &&
           vec3_dot(vec3_from_floats(triangle->normal), way) > 0;
}

/* Returns whether nobody sees the spot: it is within a solid, or within a closed model. */
static bool spot_is_hidden(const struct map_scene *scene, const struct spot *spot, double inside)
{
    struct surface_hit hit = hit_of(scene, spot, inside);
    struct vec3 above = vec3_add(hit.point, hit.normal);
    int leaf = bsp_leaf_at(scene->bsp, 0, above);
    if (leaf >= 0 && leaf < arrlen(scene->bsp->leaves) &&
        scene->bsp->leaves[leaf].contents & CONTENTS_SOLID)
        return true;
    return hit.surface->lit_by == LIT_BY_AMBIENT_AND_LIGHTS && meets_back(scene, above, hit.normal);
}

/* Units from luxel to luxel: before it is known what is between them, where all of them are within
 * solids, and at least. */
#define COARSEST   32.0
#define ALL_HIDDEN 16.0
#define FINEST     8.0
/* In bytes of the picture: what is off by more is looked at closer. */
#define TOO_FAR 6.0f
/* Of a luxel: so far from the edge is its light looked up. */
#define INSIDE 0.1

enum {
    MAX_START = 16,
    MAX_PARTS = 128,
    MAX_LUXELS = 1 << 22, /* of all blocks; further triangles are lit at their corners */
    AT_ONCE = 2048,       /* triangles */
};

struct cell {
    float rgb[3];
    bool hidden;
};

/* The light of a triangle at the corners of `parts` parts per side. */
struct grid {
    int parts;
    struct cell *cells; /* rows of parts + 1, of which the first parts + 1 - row are used */
};

/* The answer for a triangle and one of its sides. */
struct answer {
    int side;           /* of its block; 0: none */
    float (*luxels)[3]; /* from memory_alloc */
};

struct light_job {
    const struct map_scene *scene;
    const struct spot *spots; /* weights are not used */
    struct answer *answers;
};

static struct cell *cell_at(const struct grid *grid, int u, int v)
{
    return &grid->cells[v * (grid->parts + 1) + u];
}

static void compute_cell(const struct map_scene *scene, const struct spot *of,
                         const struct grid *grid, int u, int v)
{
    struct cell *cell = cell_at(grid, u, v);
    double parts = grid->parts;
    struct spot spot = *of;
    spot.weights[0] = (grid->parts - u - v) / parts;
    spot.weights[1] = u / parts;
    spot.weights[2] = v / parts;
    spot_light(scene, &spot, INSIDE / parts, cell->rgb);
    cell->hidden = spot_is_hidden(scene, &spot, INSIDE / parts);
}

static struct grid grid_new(int parts)
{
    size_t side = (size_t)parts + 1;
    return (struct grid){parts, memory_zalloc(side * side, sizeof(struct cell))};
}

static struct grid first_grid(const struct map_scene *scene, const struct spot *spot, int parts)
{
    struct grid grid = grid_new(parts);
    for (int v = 0; v <= parts; v++)
        for (int u = 0; u + v <= parts; u++)
            compute_cell(scene, spot, &grid, u, v);
    return grid;
}

/* The same with twice the parts. */
static struct grid finer_grid(const struct map_scene *scene, const struct spot *spot,
                              const struct grid *from)
{
    struct grid grid = grid_new(2 * from->parts);
    for (int v = 0; v <= grid.parts; v++)
        for (int u = 0; u + v <= grid.parts; u++) {
            if (u % 2 || v % 2)
                compute_cell(scene, spot, &grid, u, v);
            else
                *cell_at(&grid, u, v) = *cell_at(from, u / 2, v / 2);
        }
    return grid;
}

/* --- what nobody sees --- */

/* The neighbours of a corner of a grid of triangles. */
static const int neighbours[6][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {-1, 1}};

/* Sets a cell to the mean of its neighbours that are seen. Returns false when none is. */
static bool fill_cell(const struct grid *from, const struct grid *to, int u, int v)
{
    float sum[3] = {0};
    int count = 0;
    for (int i = 0; i < 6; i++) {
        int x = u + neighbours[i][0], y = v + neighbours[i][1];
        if (x < 0 || y < 0 || x + y > from->parts || cell_at(from, x, y)->hidden)
            continue;
        for (int k = 0; k < 3; k++)
            sum[k] += cell_at(from, x, y)->rgb[k];
        count++;
    }
    struct cell *cell = cell_at(to, u, v);
    for (int k = 0; k < 3 && count; k++)
        cell->rgb[k] = sum[k] / (float)count;
    cell->hidden = count == 0;
    return count > 0;
}

/* Light is spread into what is within solids, where it would darken what is seen beside it. */
static void fill_hidden(struct grid *grid)
{
    size_t side = (size_t)grid->parts + 1;
    struct grid before = grid_new(grid->parts);
    for (bool changed = true; changed;) {
        changed = false;
        memcpy(before.cells, grid->cells, side * side * sizeof *grid->cells);
        for (int v = 0; v <= grid->parts; v++)
            for (int u = 0; u + v <= grid->parts; u++)
                if (cell_at(&before, u, v)->hidden)
                    changed = fill_cell(&before, grid, u, v) || changed;
    }
    memory_free(before.cells);
}

/* --- how fine --- */

static float shown(float light)
{
    double share = portable_fmin(portable_fmax((double)light / 255, 0), 4);
    return (float)(255 * portable_pow(share, 1 / 2.2));
}

/* Returns whether a cell is not what the two beside it make of it. */
static bool is_off(const struct grid *grid, const int at[2], const int way[2])
{
    const struct cell *cell = cell_at(grid, at[0], at[1]),
                      *one = cell_at(grid, at[0] - way[0], at[1] - way[1]),
                      *other = cell_at(grid, at[0] + way[0], at[1] + way[1]);
    if (cell->hidden || one->hidden || other->hidden)
        return !cell->hidden;
    for (int k = 0; k < 3; k++) {
        float mean = (one->rgb[k] + other->rgb[k]) / 2;
        if (fabsf(shown(cell->rgb[k]) - shown(mean)) > TOO_FAR)
            return true;
    }
    return false;
}

/* Returns whether a grid tells more than one of half its parts. */
static bool tells_more(const struct grid *grid)
{
    for (int v = 0; v <= grid->parts; v++)
        for (int u = 0; u + v <= grid->parts; u++) {
            const int at[2] = {u, v}, way[2] = {u % 2, u % 2 && v % 2 ? -1 : v % 2};
            if ((u % 2 || v % 2) && is_off(grid, at, way))
                return true;
        }
    return false;
}

static double longest_side(const struct map_scene *scene, uint32_t triangle)
{
    static const double corners[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    struct vec3 at[3];
    double longest = 0;
    for (int i = 0; i < 3; i++)
        at[i] = spot_position(scene, triangle, corners[i]);
    for (int i = 0; i < 3; i++)
        longest = portable_fmax(longest, vec3_distance(at[i], at[(i + 1) % 3]));
    return longest;
}

static int count_hidden(const struct grid *grid)
{
    int count = 0;
    for (int v = 0; v <= grid->parts; v++)
        for (int u = 0; u + v <= grid->parts; u++)
            count += cell_at(grid, u, v)->hidden;
    return count;
}

static bool is_all_hidden(const struct grid *grid)
{
    return count_hidden(grid) == (grid->parts + 1) * (grid->parts + 2) / 2;
}

/* Returns whether a grid is worth more than one of half its parts. Takes what is hidden in it from
 * what is seen. */
static bool is_better(const struct grid *grid, double spacing)
{
    struct grid filled = grid_new(grid->parts);
    size_t side = (size_t)grid->parts + 1;
    memcpy(filled.cells, grid->cells, side * side * sizeof *grid->cells);
    fill_hidden(&filled);
    bool more = is_all_hidden(grid) ? spacing > ALL_HIDDEN : tells_more(&filled);
    memory_free(filled.cells);
    return more;
}

/* Doubles the parts for as long as that is worth it. Returns whether anything was hidden. */
static bool find_grid(const struct map_scene *scene, const struct spot *spot, struct grid *out)
{
    double size = longest_side(scene, spot->triangle);
    int parts = (int)portable_fmin(portable_fmax(ceil(size / COARSEST), 1), MAX_START);
    struct grid grid = first_grid(scene, spot, parts);
    while (size / grid.parts > FINEST && 2 * grid.parts <= MAX_PARTS) {
        struct grid finer = finer_grid(scene, spot, &grid);
        bool more = is_better(&finer, size / finer.parts);
        memory_free(more ? grid.cells : finer.cells);
        if (!more)
            break;
        grid = finer;
    }
    bool hidden = count_hidden(&grid) > 0;
    fill_hidden(&grid);
    *out = grid;
    return hidden;
}

/* --- blocks --- */

/* Beyond the third side the light goes on as it comes there, for the luxels that the card
 * interpolates between. */
static void extend(const struct grid *grid, float (*luxels)[3])
{
    int side = grid->parts + 1;
    for (int v = 1; v < side; v++)
        for (int u = side - v; u < side; u++)
            for (int k = 0; k < 3; k++) {
                float left = luxels[v * side + u - 1][k], above = luxels[(v - 1) * side + u][k];
                float corner = luxels[(v - 1) * side + u - 1][k];
                bool is_next = u == side - v;
                luxels[v * side + u][k] = is_next ? portable_fmaxf(left + above - corner, 0) : left;
            }
}

static void answer_spot(void *context, size_t index, int thread)
{
    const struct light_job *job = context;
    struct answer *answer = &job->answers[index];
    struct grid grid;
    (void)thread;
    bool hidden = find_grid(job->scene, &job->spots[index], &grid);
    size_t side = (size_t)grid.parts + 1;
    answer->side = grid.parts > 1 || hidden ? grid.parts + 1 : 0;
    if (answer->side) {
        answer->luxels = memory_alloc(side * side * sizeof *answer->luxels);
        for (size_t i = 0; i < side * side; i++)
            memcpy(answer->luxels[i], grid.cells[i].rgb, sizeof grid.cells[i].rgb);
        extend(&grid, answer->luxels);
    }
    memory_free(grid.cells);
}

bool computed_light_has_back(const struct surface *surface)
{
    return surface->lit_by == LIT_BY_AMBIENT && surface->two_sided && !surface->paired;
}

static struct spot *list_spots(const struct mesh *mesh)
{
    struct spot *spots = NULL;
    for (size_t i = 0; i < arrlenu(mesh->triangles); i++) {
        const struct surface *surface = &mesh->surfaces[mesh->triangles[i].surface];
        struct spot spot = {.triangle = (uint32_t)i};
        if (surface->lit_by != LIT_BY_AMBIENT && surface->lit_by != LIT_BY_AMBIENT_AND_LIGHTS)
            continue;
        arrput(spots, spot);
        spot.back = true;
        if (computed_light_has_back(surface))
            arrput(spots, spot);
    }
    return spots;
}

/* In the order of the triangles, as long as there is room. */
static void take_answers(const struct light_job *job, size_t count, size_t *room,
                         struct light_atlas *atlas, struct computed_light *out)
{
    for (size_t i = 0; i < count; i++) {
        struct answer *answer = &job->answers[i];
        size_t luxels = (size_t)answer->side * (size_t)answer->side;
        if (answer->side && luxels <= *room) {
            *room -= luxels;
            out->block_of[job->spots[i].triangle][job->spots[i].back] = light_atlas_add(
                atlas, answer->side, answer->side, (const float(*)[3])answer->luxels);
        }
        memory_free(answer->luxels);
    }
}

void computed_light_add(const struct map_scene *scene, struct light_atlas *atlas,
                        struct computed_light *out)
{
    size_t triangles = arrlenu(scene->mesh.triangles), room = MAX_LUXELS;
    struct spot *spots = list_spots(&scene->mesh);
    out->block_of = memory_alloc((triangles + 1) * sizeof *out->block_of);
    for (size_t i = 0; i < triangles; i++)
        out->block_of[i][0] = out->block_of[i][1] = -1;
    for (size_t i = 0; i < arrlenu(spots) && room > 0; i += AT_ONCE) {
        size_t count = arrlenu(spots) - i < AT_ONCE ? arrlenu(spots) - i : AT_ONCE;
        struct light_job job = {scene, spots + i, memory_zalloc(count, sizeof *job.answers)};
        parallel_for(scene->env->threads, count, answer_spot, &job);
        take_answers(&job, count, &room, atlas, out);
        memory_free(job.answers);
    }
    arrfree(spots);
}

void computed_light_free(struct computed_light *computed)
{
    memory_free(computed->block_of);
}
