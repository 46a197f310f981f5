/* How the light of surfaces differs from that of an older map at the same places. */
#ifndef REPORT_FACTS_LIGHT_CHANGES_H
#define REPORT_FACTS_LIGHT_CHANGES_H

#include "common/core/arena.h"
#include "report/report.h"

/* The light of a surface, or of several: luminance, of which 255 is white, and the difference that
 * a screen shows, in steps of 255. Areas are in square units. */
struct light_change {
    double then, now;     /* means over the area */
    double seen;          /* mean of the absolute difference on the screen */
    double worst;         /* the largest one, at a point; signed: brighter is above 0 */
    struct vec3 worst_at; /* of the worst one, and which way the surface faces there */
    struct vec3 worst_normal;
    double area;
    const char *material; /* in the arena; of several that of the largest area */
};

/* Surfaces that are near each other and have become darker, or brighter. */
struct light_place {
    struct light_change light; /* of all of them; its worst is that of the worst one */
    struct vec3 middle;
    size_t surfaces;
    const char *name; /* 'near "lamp" (light)', or "" */
};

struct light_changes {
    struct light_change *worst; /* stb_ds array: surfaces that differ, the most visible first */
    struct light_place *places; /* stb_ds array: the most area times difference first */
    struct light_change all;    /* of all that were compared */
    size_t compared;            /* surfaces */
    double spacing;             /* of the samples, in units */
    struct arena arena;
};

/* Compares the light of the map at the places of its surfaces where the older one has a surface,
 * too; both must be lit, otherwise nothing is compared. Free with light_changes_free. */
void light_changes_find(const struct env *env, const struct report_source *source,
                        struct light_changes *out);
void light_changes_free(struct light_changes *changes);

#endif
