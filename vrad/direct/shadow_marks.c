#include "vrad/direct/shadow_marks.h"

static unsigned char *make_state(const struct receiver *to, struct light_contribution *contribution)
{
    if (!contribution->state)
        contribution->state = ARENA_ARRAY(to->arena, unsigned char, (size_t)to->face->count);
    return contribution->state;
}

void shadow_marks_unknown(const struct receiver *to, struct light_contribution *contribution)
{
    unsigned char *state = make_state(to, contribution);
    for (int l = 0; l < to->face->count; l++)
        state[l] |= LUXEL_UNKNOWN;
}

void shadow_marks_set(const struct receiver *to, const struct face_samples *points,
                      enum planar_shadow result, const struct planar_shadow_cells *cells,
                      struct light_contribution *contribution)
{
    if (result == PLANAR_SHADOW_UNKNOWN)
        shadow_marks_unknown(to, contribution);
    if (result != PLANAR_SHADOW_PARTIAL)
        return;
    unsigned char *state = make_state(to, contribution);
    for (int row = 0, l = 0; row < to->face->height; row++)
        for (int column = 0; column < to->face->width; column++, l++) {
            int cell = face_samples_cell(points, cells, l, column, row);
            if (!cells->umbra[cell] && cells->first[cell] >= 0)
                state[l] |= LUXEL_EDGE;
        }
}
