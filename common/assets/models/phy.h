/* Decodes PHY files: the collision model of a model, as convex hulls. Its solids have the form of
 * those in a BSP's physics lump (common/bsp/lumps/physics.h). (Format: the pages on models of the
 * developer wiki, checked on 181 files.) */
#ifndef ASSETS_MODELS_PHY_H
#define ASSETS_MODELS_PHY_H

#include "common/core/bytes.h"
#include "common/diag/diag.h"
#include "common/geom/vec.h"

struct phy {
    uint32_t checksum;    /* of its MDL, in nearly all files */
    struct bytes *solids; /* stb_ds array: the bytes after the size field of each */
    struct bytes text;    /* the keys, with the final NUL if there is one */
};

/* Decodes a file. Fails with MODEL_BROKEN, and *out empty. where may be NULL. Free with
 * phy_free. */
NODISCARD enum status phy_decode(const struct bytes *file, const struct diag_where *where,
                                 struct diag *diag, struct phy *out);
void phy_free(struct phy *phy);

struct hull_triangle {
    size_t points[3]; /* in hull_points.points, counter-clockwise seen from outside */
};

/* Points of convex hulls: hull n has points[starts[n]] up to those of the next. */
struct hull_points {
    struct vec3 *points;             /* stb_ds arrays */
    size_t *starts;                  /* one more than there are hulls; empty when there are none */
    struct hull_triangle *triangles; /* of all hulls; only set by phy_hulls */
};

/* Appends the hulls of a solid in the units and axes of the model. A solid of an unknown kind has
 * none. Fails with MODEL_BROKEN. */
NODISCARD enum status phy_hulls(const struct phy *phy, size_t solid, const struct diag_where *where,
                                struct diag *diag, struct hull_points *out);
size_t hull_points_count(const struct hull_points *hulls);
void hull_points_free(struct hull_points *hulls);

#endif
