/* Importance sampling of the irradiance of a point. With light L, angle t to the normal, and the
 * hemisphere projected onto the unit disk D, where cos t dw = dA,
 *
 *   E / pi = 1/pi * integral over D of L dA = mean of L(x) w(x) for x of a density q on D,
 *   w = 1 / (pi q),
 *
 * which is right for any q that is above 0 on D. Here q is constant in each cell c of a grid on the
 * square around D. With the share p(c) of the cell, P the sum of all, and 4 / CELLS its area,
 *
 *   q = p(c) / P * CELLS / 4,   p(c) = a g(c) / G + (1 - a) / N:
 *
 * a mixture of what the guide knows, g with the sum G, and of all N cells of the disk alike. That
 * is Hesterberg's defensive mixture (1995): a light that the guide does not know costs samples, but
 * w stays below 4 N / (pi CELLS (1 - a)), at most 3.6, however wrong the guide is. g is what known
 * places give: a place of power f at the distance d gives f cos t / d^2.
 *
 * Running sums of floats move the border of a cell by (SIDE + SIDE) 2^-24 of P at most, 4e-6, while
 * w is that of the cell as it was meant: a cell that has only its share of all, (1 - a) / N, gets
 * up to 1.1 % more or fewer samples than w says. */
#include "vrad/bounce/guided_rays.h"

#include <string.h>

#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "vrad/scene/hemisphere.h"

/* Directions by cells of the square around the unit disk, onto which the hemisphere is projected:
 * there the cosine-weighted density is uniform. */
enum { SIDE = 32, CELLS = SIDE * SIDE };

/* Fraction of the rays that the guide aims; the others go everywhere. */
#define AIMED 0.7f

/* Fraction of the hemisphere up to which it is worth while to aim: rays in all directions, which
 * have equal weights, find what is larger. */
#define MAX_FILLED 0.25f

/* Hits, of equal weight, with which the guide aims half of that; of many it knows where the light
 * is, of few only some of it. Fewer than the second are spread wider. */
#define FEW_HITS  16.0f
#define MANY_HITS 64.0f

/* Distance up to which a point of the guide sees much the same, in units. */
#define SAME_VIEW 48.0f

/* Nearer places count as being at this distance, in units. */
#define NEAREST 24.0f

/* Hits that determine the density of a point, about. */
enum { MAX_HITS = 256 };

/* The probabilities of the cells, which need not sum up to 1, and running sums of them: within each
 * row, and of the rows. */
struct density {
    float cell[CELLS], up_to[CELLS];
    float rows_up_to[SIDE];
    float sum, squares; /* of the weights of hits: what they are worth as evidence */
};

/* Cells of each row to either side of the middle that reach into the disk, from the middle row on:
 * those of column i of row j with i^2 + j^2 < (SIDE / 2)^2. */
static const int reach_of_row[SIDE / 2] = {16, 16, 16, 16, 16, 16, 15, 15,
                                           14, 14, 13, 12, 11, 10, 8,  6};

static int reach_of(int row)
{
    return reach_of_row[row < SIDE / 2 ? SIDE / 2 - 1 - row : row - SIDE / 2];
}

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Adds f cos t / d^2 of one in `step` hits, from number `first` on, as far as the guide's point is
 * trusted here: 1 / (r^2 + SAME_VIEW^2) at the distance r from it. */
static void add_hits(struct density *density, const struct guide_point *from, int first, int step,
                     const float at[3], const float axes[3][3])
{
    float apart[3];
    for (int k = 0; k < 3; k++)
        apart[k] = from->position[k] - at[k];
    float alike = 1 / (dot(apart, apart) + SAME_VIEW * SAME_VIEW);
    for (int i = first; i < from->hit_count; i += step) {
        const struct guide_hit *hit = &from->hits[i];
        float way[3];
        for (int k = 0; k < 3; k++)
            way[k] = hit->place[k] - at[k];
        float square = portable_fmaxf(dot(way, way), NEAREST * NEAREST);
        float scale = 1 / sqrtf(square), height = dot(way, axes[2]) * scale;
        int column = (int)((dot(way, axes[0]) * scale + 1) * (SIDE / 2));
        int row = (int)((dot(way, axes[1]) * scale + 1) * (SIDE / 2));
        if (!(height > 0) || column >= SIDE || row >= SIDE)
            continue;
        float weight = hit->power * height / square * alike;
        density->cell[row * SIDE + column] += weight;
        density->sum += weight;
        density->squares += weight * weight;
    }
}

/* Takes all hits, or every so many of them. */
static void add_view(struct density *density, const struct guide_view *view, const float at[3],
                     const float axes[3][3])
{
    const struct guide_point *points[GUIDE_VIEWS + GUIDE_LEARNT];
    int learnt = view->learnt < GUIDE_LEARNT ? view->learnt : GUIDE_LEARNT, hits = 0, first = 0;
    int count = view->count + learnt;
    memcpy(points, view->points, (size_t)view->count * sizeof *points);
    for (int i = 0; i < learnt; i++)
        points[view->count + i] = &view->learnt_points[i];
    for (int i = 0; i < count; i++)
        hits += points[i]->hit_count;
    int step = hits / MAX_HITS + 1;
    for (int i = 0; i < count; i++) {
        add_hits(density, points[i], first, step, at, axes);
        first = (first + step - points[i]->hit_count % step) % step;
    }
}

/* Spreads cells to those around them, since other rays than those of the guide meet the same thing
 * a bit aside: by the weights 1/4, 1/2, 1/4 along rows, then along columns. */
static void spread(struct density *density)
{
    float rows[CELLS + 2 * SIDE] = {0}, *middle = rows + SIDE;
    for (int row = 0; row < SIDE; row++) {
        const float *from = density->cell + row * SIDE;
        float *to = middle + row * SIDE;
        for (int i = 1; i < SIDE - 1; i++)
            to[i] = 0.25f * (from[i - 1] + from[i + 1]) + 0.5f * from[i];
        to[0] = 0.25f * from[1] + 0.5f * from[0];
        to[SIDE - 1] = 0.25f * from[SIDE - 2] + 0.5f * from[SIDE - 1];
    }
    for (int i = 0; i < CELLS; i++)
        density->cell[i] = 0.25f * (middle[i - SIDE] + middle[i + SIDE]) + 0.5f * middle[i];
}

/* G, the sum over the disk; counts its N cells, and those that what is known fills: G^2 / (sum of
 * g^2), Kish's effective number (1965), which is n for n equal cells and no others. */
static float sum_of(const struct density *density, int *count, float *filled)
{
    float sums[4] = {0}, squares[4] = {0};
    *count = 0;
    for (int row = 0; row < SIDE; row++) {
        const float *cells = density->cell + row * SIDE + SIDE / 2 - reach_of(row);
        for (int i = 0; i < 2 * reach_of(row); i++) {
            sums[i % 4] += cells[i];
            squares[i % 4] += cells[i] * cells[i];
        }
        *count += 2 * reach_of(row);
    }
    float sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    float square = (squares[0] + squares[1]) + (squares[2] + squares[3]);
    *filled = square > 0 ? sum * sum / square : 0;
    return sum;
}

/* Makes p of g, whose sum G is `known`, and its running sums. With n hits of equal weight, or as
 * many as unequal ones are worth ((sum of weights)^2 / sum of squares), a = AIMED n / (n +
 * FEW_HITS). */
static void mix(struct density *density, float known, int count)
{
    float hits = density->sum * density->sum / density->squares, rows = 0;
    float aimed = AIMED * hits / (hits + FEW_HITS);
    float scale = aimed / known, everywhere = (1 - aimed) / (float)count;
    for (int row = 0; row < SIDE; row++) {
        float *cells = density->cell + row * SIDE, *up_to = density->up_to + row * SIDE, sum = 0;
        int first = SIDE / 2 - reach_of(row), end = SIDE - first;
        memset(up_to, 0, (size_t)first * sizeof *up_to);
        for (int i = first; i < end; i++) {
            cells[i] = cells[i] * scale + everywhere;
            up_to[i] = sum += cells[i];
        }
        density->rows_up_to[row] = rows += sum;
    }
}

/* The first of SIDE running sums that exceeds `at`; `reach` numbers to either side of the middle
 * count. */
static int choose(const float *up_to, float at, int reach)
{
    int low = SIDE / 2 - reach, high = SIDE / 2 + reach - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        bool beyond = up_to[middle] <= at;
        low = beyond ? middle + 1 : low;
        high = beyond ? high : middle;
    }
    return low;
}

/* The place of `at` within the share of a number, 0 .. 1. */
static float place_in(const float *up_to, int number, float at)
{
    float low = number ? up_to[number - 1] : 0;
    return portable_fminf((at - low) / (up_to[number] - low), 1);
}

/* Takes a point of the unit square to one of density q: its second coordinate chooses a row by the
 * running sums of the rows, its first a cell by those of the row, and what is left of each the
 * place within. A cell at the rim may reach beyond the disk, where no light comes from. */
static void aim(const struct density *density, const struct gather_ray *square,
                struct gather_ray *ray, float *weight)
{
    float total = density->rows_up_to[SIDE - 1], high = square->direction[1] * total;
    int row = choose(density->rows_up_to, high, SIDE / 2);
    const float *cells = density->up_to + row * SIDE;
    float along = place_in(density->rows_up_to, row, high);
    int last = SIDE / 2 + reach_of(row) - 1;
    float right = square->direction[0] * cells[last];
    int column = choose(cells, right, reach_of(row));
    float x = ((float)column + place_in(cells, column, right)) * (2.0f / (float)SIDE) - 1;
    float y = ((float)row + along) * (2.0f / (float)SIDE) - 1, rest = 1 - x * x - y * y;
    *ray = *square;
    ray->direction[0] = rest > 0 ? x : 0;
    ray->direction[1] = rest > 0 ? y : 0;
    ray->direction[2] = rest > 0 ? sqrtf(rest) : -1;
    *weight = (float)(4 / PI / (double)CELLS) * total / density->cell[row * SIDE + column];
}

/* Fills `rays` and `weights`, of each ray of a table of GATHER_SQUARE: directions whose density
 * follows what the view knows. The irradiance is the mean of weighted light; directions that cannot
 * occur lie below the surface. Returns false where the view knows of nothing in front of the
 * point, which then needs no guide. */
static bool guided_rays_aim(const struct gather_table *squares, const struct guide_view *view,
                            const struct gather_point *point, struct gather_ray *rays,
                            float *weights)
{
    struct density density;
    float at[3], axes[3][3];
    float filled;
    int count;
    memset(density.cell, 0, sizeof density.cell);
    density.sum = density.squares = 0;
    vec3_to_floats(point->position, at);
    gather_axes(point, axes);
    add_view(&density, view, at, axes);
    spread(&density);
    if (density.sum * density.sum < MANY_HITS * density.squares)
        spread(&density);
    float known = sum_of(&density, &count, &filled);
    if (!(known > 0) || filled > MAX_FILLED * (float)count)
        return false;
    mix(&density, known, count);
    const struct gather_ray *square = gather_set(squares, point);
    for (int i = 0; i < squares->rays; i++)
        aim(&density, &square[i], &rays[i], &weights[i]);
    return true;
}

/* ---- parts of a face ---- */

/* Side of a part, in units: the points of the guide around its first gather point serve all. */
#define PART_SIDE 192.0

/* A part of which so many more points were not guided than guided is not asked again. */
enum { WIDE_ENOUGH = 2 };

static int luxels_of_part(struct vec3 axis)
{
    double luxels = PART_SIDE / portable_fmax(vec3_length(axis), 1);
    return luxels > 1 ? (int)luxels : 1;
}

void face_guide_open(const struct ray_guide *guide, const struct face_light *light,
                     struct face_guide *out)
{
    *out = (struct face_guide){.guide = guide->point_count ? guide : NULL,
                               .light = light,
                               .width = luxels_of_part(light->axis[0]),
                               .height = luxels_of_part(light->axis[1])};
    out->columns = (light->width + out->width - 1) / out->width;
    out->rows = (light->height + out->height - 1) / out->height;
}

void face_guide_free(struct face_guide *face)
{
    for (int i = 0; face->views && i < face->columns * face->rows; i++)
        guide_view_free(&face->views[i]);
    memory_free(face->views);
    memory_free(face->ray);
    memory_free(face->weight);
    *face = (struct face_guide){0};
}

static struct guide_view *view_at(struct face_guide *face, int luxel,
                                  const struct gather_point *point)
{
    if (!face->views) {
        face->views =
            memory_zalloc((size_t)face->columns * (size_t)face->rows, sizeof *face->views);
        face->ray = memory_alloc((size_t)GATHER_POINTS * GATHER_RAYS * sizeof *face->ray);
        face->weight = memory_alloc((size_t)GATHER_POINTS * GATHER_RAYS * sizeof *face->weight);
    }
    int column = luxel % face->light->width / face->width;
    int row = luxel / face->light->width / face->height;
    struct guide_view *view = &face->views[row * face->columns + column];
    if (!view->built)
        guide_view_from(face->guide, point, view);
    return view;
}

void face_guide_aim(struct face_guide *face, const struct gather_table *squares, int luxel,
                    int lane, struct gather_point *point)
{
    if (!face->guide)
        return;
    struct guide_view *view = view_at(face, luxel, point);
    if (!view->count || view->wide >= WIDE_ENOUGH + view->aimed)
        return;
    struct gather_ray *rays = face->ray + (ptrdiff_t)lane * squares->rays;
    float *weights = face->weight + (ptrdiff_t)lane * squares->rays;
    if (!guided_rays_aim(squares, view, point, rays, weights)) {
        view->wide++;
        return;
    }
    view->aimed++;
    point->rays = rays;
    point->weights = weights;
    point->cache_slot = 0; /* the lights of the run direct the rays */
}

void face_guide_learn(struct face_guide *face, const struct gather_table *table, int luxel,
                      const struct gather_point *point, const uint32_t *seen)
{
    if (point->weights)
        guide_view_learn(face->guide, table, point, seen, view_at(face, luxel, point));
}
