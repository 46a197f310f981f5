#include "vrad/bounce/lattice.h"

/* How high above the surface luxels look at each other: over what is too low to keep light apart,
 * such as a floor that another brush rounds off. */
#define SIGHT_HEIGHT 1.0

/* Numbers 0 .. size - 1 in even steps of at most `step`. */
static int make_lines(int size, double step, int16_t lines[LATTICE_LINES])
{
    int parts = size > 1 ? (int)ceil((size - 1) / fmax(step, 1) - 1e-6) : 0;
    if (parts == 1 && size > 2) /* the rims alone lie half off a narrow face */
        parts = 2;
    if (parts > LATTICE_LINES - 1)
        parts = LATTICE_LINES - 1;
    for (int i = 0; i <= parts; i++)
        lines[i] = (int16_t)(parts ? (i * (size - 1) + parts / 2) / parts : 0);
    return parts + 1;
}

/* Where the light of luxel `at` is measured, from the middle of the face: luxels of the rim have
 * one half of their square. */
static double place_of(int at, int size)
{
    double place = at - 0.5 * (size - 1);
    return at == 0 ? place + 0.25 : at == size - 1 ? place - 0.25 : place;
}

/* Luxel `at` between two lines: 0 at `low`, 1 at `high`, and beyond them `beyond` times as much as
 * a straight line would have. */
float lattice_part(int at, int low, int high, float beyond)
{
    float share = high > low ? (float)(at - low) / (float)(high - low) : 0;
    return share < 0 ? beyond * share : share > 1 ? 1 + beyond * (share - 1) : share;
}

/* What becomes of the sum of a parabola over a line of luxels whose light comes from `count` of
 * them. */
static double parabola_sum(int size, const int16_t *lines, int count, float beyond)
{
    double sum = 0;
    for (int at = 0, k = 0; at < size; at++) {
        while (k + 2 < count && at > lines[k + 1])
            k++;
        double u = (double)lattice_part(at, lines[k], lines[k + 1], beyond);
        double low = place_of(lines[k], size), high = place_of(lines[k + 1], size);
        sum += (at == 0 || at == size - 1 ? 0.5 : 1) * ((1 - u) * low * low + u * high * high);
    }
    return sum;
}

/* How `count` lines, the first and the last `inset` luxels off the rims, serve a face best: sets
 * `beyond`, and returns which share of a parabola's sum is missing then. */
static double try_lines(int size, int inset, int count, int16_t *lines, float *beyond)
{
    int span = size - 1 - 2 * inset;
    double half = 0.5 * (size - 1), whole = 2 * half * half * half / 3;
    for (int i = 0; i < count; i++)
        lines[i] = (int16_t)(inset + (i * span + (count - 1) / 2) / (count - 1));
    double level = parabola_sum(size, lines, count, 0);
    double slope = parabola_sum(size, lines, count, 1) - level;
    double share = slope > 0 ? (whole - level) / slope : 0;
    *beyond = (float)fmin(fmax(share, 0), 1);
    return fabs(level + (double)*beyond * slope - whole) / whole;
}

static int make_inset_lines(int size, double step, int16_t lines[LATTICE_LINES], float *beyond)
{
    int16_t tried[LATTICE_LINES];
    int min = (int)fmin(ceil((size - 1) / fmax(step, 1) - 1e-6), LATTICE_LINES - 1);
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

void lattice_build_inset(const struct face_light *face, double spacing, struct lattice *out)
{
    double across = vec3_length(face->axis[0]), along = vec3_length(face->axis[1]);
    out->column_count = make_inset_lines(face->width, across > 0 ? spacing / across : 4,
                                         out->columns, &out->beyond[0]);
    out->row_count =
        make_inset_lines(face->height, along > 0 ? spacing / along : 4, out->rows, &out->beyond[1]);
}

void lattice_build(const struct face_light *face, double spacing, struct lattice *out)
{
    double across = vec3_length(face->axis[0]), along = vec3_length(face->axis[1]);
    out->column_count = make_lines(face->width, across > 0 ? spacing / across : 4, out->columns);
    out->row_count = make_lines(face->height, along > 0 ? spacing / along : 4, out->rows);
}

uint32_t lattice_sees(const struct radiosity *radiosity, int face, const int *from, const int *to,
                      int count)
{
    const struct face_light *light = &radiosity->map->faces[face];
    struct trace_packet packet = {0};
    uint32_t lanes = 0, all = (1u << count) - 1;
    for (int i = 0; i < count; i++) {
        const struct luxel *a = &light->luxels[from[i]], *b = &light->luxels[to[i]];
        for (int k = 0; k < 3; k++) {
            packet.origin[k][i] = a->position[k] + (float)(SIGHT_HEIGHT * light->normal.e[k]);
            packet.direction[k][i] = b->position[k] - a->position[k];
            /* Luxels of the rim may share a position. */
            if (packet.direction[k][i] != 0)
                lanes |= 1u << i;
        }
        packet.far[i] = 1;
    }
    return lanes ? all & ~scene_blocked16(radiosity->scene, &packet, lanes) : all;
}

bool lattice_open(const struct radiosity *radiosity, int face, const int *luxels, int count)
{
    const struct face_light *light = &radiosity->map->faces[face];
    int from[6], to[6], ways = 0;
    for (int i = 0; i < count; i++) {
        if (light->luxels[luxels[i]].hidden)
            return false;
        for (int j = 0; j < i; j++) {
            if (luxels[i] == luxels[j])
                continue;
            from[ways] = luxels[j];
            to[ways++] = luxels[i];
        }
    }
    /* Displaced ground hides itself behind every hump. */
    if (!ways || light->mesh)
        return true;
    return lattice_sees(radiosity, face, from, to, ways) == (1u << ways) - 1;
}
