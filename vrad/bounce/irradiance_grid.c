#include "vrad/bounce/irradiance_grid.h"

#include "common/core/portable_math.h"

/* Height over the surface at which luxels test visibility between each other, in units: above what
 * is too low to separate light, such as a brush that rounds off a floor. */
#define VISIBILITY_HEIGHT 1.0

/* Numbers 0 .. size - 1 in even steps of at most `step`. */
static int make_lines(int size, double step, int16_t lines[IRRADIANCE_GRID_LINES])
{
    int parts = size > 1 ? (int)ceil((size - 1) / portable_fmax(step, 1) - 1e-6) : 0;
    if (parts == 1 && size > 2) /* on a narrow face the borders alone would lie half off it */
        parts = 2;
    if (parts > IRRADIANCE_GRID_LINES - 1)
        parts = IRRADIANCE_GRID_LINES - 1;
    for (int i = 0; i <= parts; i++)
        lines[i] = (int16_t)(parts ? (i * (size - 1) + parts / 2) / parts : 0);
    return parts + 1;
}

/* Position at which the light of luxel `at` is measured, from the middle of the face: luxels of the
 * border have one half of their square. */
static double place_of(int at, int size)
{
    double place = at - 0.5 * (size - 1);
    return at == 0 ? place + 0.25 : at == size - 1 ? place - 0.25 : place;
}

/* The position of luxel `at` between two lines: 0 at `low`, 1 at `high`; outside of them `beyond`
 * times that of linear extrapolation. */
float irradiance_grid_weight(int at, int low, int high, float beyond)
{
    float share = high > low ? (float)(at - low) / (float)(high - low) : 0;
    return share < 0 ? beyond * share : share > 1 ? 1 + beyond * (share - 1) : share;
}

/* The ratio of the interpolated to the exact integral of a parabola over a line of luxels, from
 * `count` of them. */
static double parabola_sum(int size, const int16_t *lines, int count, float beyond)
{
    double sum = 0;
    for (int at = 0, k = 0; at < size; at++) {
        while (k + 2 < count && at > lines[k + 1])
            k++;
        double u = (double)irradiance_grid_weight(at, lines[k], lines[k + 1], beyond);
        double low = place_of(lines[k], size), high = place_of(lines[k + 1], size);
        sum += (at == 0 || at == size - 1 ? 0.5 : 1) * ((1 - u) * low * low + u * high * high);
    }
    return sum;
}

/* Finds the best `beyond` for `count` lines, the outer ones `inset` luxels off the borders; returns
 * the relative error of a parabola's integral. */
static double try_lines(int size, int inset, int count, int16_t *lines, float *beyond)
{
    int span = size - 1 - 2 * inset;
    double half = 0.5 * (size - 1), whole = 2 * half * half * half / 3;
    for (int i = 0; i < count; i++)
        lines[i] = (int16_t)(inset + (i * span + (count - 1) / 2) / (count - 1));
    double level = parabola_sum(size, lines, count, 0);
    double slope = parabola_sum(size, lines, count, 1) - level;
    double share = slope > 0 ? (whole - level) / slope : 0;
    *beyond = (float)portable_fmin(portable_fmax(share, 0), 1);
    return fabs(level + (double)*beyond * slope - whole) / whole;
}

static int make_inset_lines(int size, double step, int16_t lines[IRRADIANCE_GRID_LINES],
                            float *beyond)
{
    int16_t tried[IRRADIANCE_GRID_LINES];
    int min = (int)portable_fmin(ceil((size - 1) / portable_fmax(step, 1) - 1e-6),
                                 IRRADIANCE_GRID_LINES - 1);
    int best_inset = 0, best_count = 0;
    double best = DBL_MAX;
    *beyond = 0;
    lines[0] = (int16_t)(size / 2);
    if (size <= 3)
        return 1;
    for (int count = min < 2 ? 2 : min; count <= min + 1 && count <= size; count++) {
        for (int inset = 0; 2 * inset + count <= size && inset * count <= size; inset++) {
            double miss = try_lines(size, inset, count, tried, beyond);
            if (miss < best - 1e-3) {
                best = miss;
                best_inset = inset;
                best_count = count;
            }
        }
    }
    (void)try_lines(size, best_inset, best_count, lines, beyond);
    return best_count;
}

void irradiance_grid_build_inset(const struct face_light *face, double spacing,
                                 struct irradiance_grid *out)
{
    double across = vec3_length(face->axis[0]), along = vec3_length(face->axis[1]);
    out->column_count = make_inset_lines(face->width, across > 0 ? spacing / across : 4,
                                         out->columns, &out->beyond[0]);
    out->row_count =
        make_inset_lines(face->height, along > 0 ? spacing / along : 4, out->rows, &out->beyond[1]);
}

void irradiance_grid_build(const struct face_light *face, double spacing,
                           struct irradiance_grid *out)
{
    double across = vec3_length(face->axis[0]), along = vec3_length(face->axis[1]);
    out->column_count = make_lines(face->width, across > 0 ? spacing / across : 4, out->columns);
    out->row_count = make_lines(face->height, along > 0 ? spacing / along : 4, out->rows);
}

uint32_t irradiance_grid_visible(const struct radiosity *radiosity, int face, const int *from,
                                 const int *to, int count)
{
    const struct face_light *light = &radiosity->map->faces[face];
    struct trace_packet packet = {0};
    uint32_t lanes = 0, all = (1u << count) - 1;
    for (int i = 0; i < count; i++) {
        struct luxel rooms[2];
        const struct luxel *a = luxel_of(light, from[i], &rooms[0]);
        const struct luxel *b = luxel_of(light, to[i], &rooms[1]);
        for (int k = 0; k < 3; k++) {
            packet.origin[k][i] = a->position[k] + (float)(VISIBILITY_HEIGHT * light->normal.e[k]);
            packet.direction[k][i] = b->position[k] - a->position[k];
            /* Luxels of the border may share a position. */
            if (packet.direction[k][i] != 0)
                lanes |= 1u << i;
        }
        packet.far[i] = 1;
    }
    return lanes ? all & ~scene_blocked16(radiosity->scene, &packet, lanes) : all;
}

bool irradiance_grid_is_open(const struct radiosity *radiosity, int face, const int *luxels,
                             int count)
{
    const struct face_light *light = &radiosity->map->faces[face];
    int from[6], to[6], ways = 0;
    for (int i = 0; i < count; i++) {
        if (luxel_is_hidden(light, luxels[i]))
            return false;
        for (int j = 0; j < i; j++) {
            if (luxels[i] == luxels[j])
                continue;
            from[ways] = luxels[j];
            to[ways++] = luxels[i];
        }
    }
    /* Displacements would occlude themselves behind every hump. */
    if (!ways || light->mesh)
        return true;
    return irradiance_grid_visible(radiosity, face, from, to, ways) == (1u << ways) - 1;
}
