#include "vrad/lattice.h"

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
    if (!ways || light->face->dispinfo >= 0)
        return true;
    return lattice_sees(radiosity, face, from, to, ways) == (1u << ways) - 1;
}
