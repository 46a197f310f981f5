#include "common/assets/models/phy.h"

#include "common/bsp/lumps/physics.h"
#include "common/core/array.h"
#include "common/diag/codes/source_models.def"

enum { HEADER = 16 };

#define METRES 0.0254 /* per unit */

static const char *read_solids(struct byte_reader *reader, uint32_t count, struct phy *out)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t size = read_u32(reader);
        const unsigned char *data = read_block(reader, size);
        if (!data)
            return "truncated solid";
        struct bytes solid = {0};
        bytes_append(&solid, data, size);
        arrput(out->solids, solid);
    }
    size_t rest = reader->size - reader->at;
    bytes_append(&out->text, read_block(reader, rest), rest);
    return NULL;
}

enum status phy_decode(const struct bytes *file, const struct diag_where *where, struct diag *diag,
                       struct phy *out)
{
    *out = (struct phy){0};
    if (file->size < HEADER || load_u32(file->data) != HEADER)
        return diag_report(diag, DIAG_MODEL_BROKEN, where, "not a PHY file (%zu bytes)",
                           file->size);
    struct byte_reader reader = byte_reader(file->data, file->size);
    reader.at = HEADER;
    out->checksum = load_u32(file->data + 12);
    const char *wrong = read_solids(&reader, load_u32(file->data + 8), out);
    if (!wrong)
        return STATUS_OK;
    phy_free(out);
    return diag_report(diag, DIAG_MODEL_BROKEN, where, "%s", wrong);
}

void phy_free(struct phy *phy)
{
    for (size_t i = 0; i < arrlenu(phy->solids); i++)
        bytes_free(&phy->solids[i]);
    arrfree(phy->solids);
    bytes_free(&phy->text);
    *phy = (struct phy){0};
}

/* Ledge that last added a point of the solid, and the point's index in the output. */
struct put_point {
    size_t ledge; /* its number + 1 */
    size_t at;
};

static struct vec3 point_in_units(const struct physics_point *point)
{
    const float *p = point->p;
    return vec3_scale(vec3((double)p[0], (double)p[2], -(double)p[1]), 1 / METRES);
}

/* Adds each point of the ledge once. `put` has one entry per point. */
static void add_ledge(const struct physics_solid *solid, size_t number, struct put_point *put,
                      struct hull_points *out)
{
    const struct physics_ledge *ledge = &solid->ledges[number];
    for (int32_t i = 0; i < ledge->triangle_count; i++) {
        const struct physics_triangle *triangle = &solid->triangles[ledge->first_triangle + i];
        struct hull_triangle corners;
        for (int k = 0; k < 3; k++) {
            int32_t point = triangle->edges[k].point;
            if (put[point].ledge != number + 1) {
                put[point] = (struct put_point){number + 1, arrlenu(out->points)};
                arrput(out->points, point_in_units(&solid->points[point]));
            }
            corners.points[k] = put[point].at;
        }
        arrput(out->triangles, corners);
    }
    arrput(out->starts, arrlenu(out->points));
}

enum status phy_hulls(const struct phy *phy, size_t solid, const struct diag_where *where,
                      struct diag *diag, struct hull_points *out)
{
    struct physics_solid decoded = {0};
    if (solid >= arrlenu(phy->solids))
        return STATUS_OK;
    struct diag *details = diag_new(NULL, NULL);
    enum status status = physics_solid_decode(&phy->solids[solid], where, details, &decoded);
    if (status != STATUS_OK)
        (void)diag_report(diag, DIAG_MODEL_BROKEN, where, "solid %zu: %s", solid,
                          diag_entry(details, 0)->message);
    diag_free(details);
    TRY(status);
    struct put_point *put = memory_zalloc(arrlenu(decoded.points), sizeof *put);
    if (!arrlen(out->starts))
        arrput(out->starts, 0);
    for (size_t i = 0; i < arrlenu(decoded.ledges); i++)
        if (!decoded.ledges[i].is_outer)
            add_ledge(&decoded, i, put, out);
    memory_free(put);
    physics_solid_free(&decoded);
    return STATUS_OK;
}

size_t hull_points_count(const struct hull_points *hulls)
{
    return arrlen(hulls->starts) ? arrlenu(hulls->starts) - 1 : 0;
}

void hull_points_free(struct hull_points *hulls)
{
    arrfree(hulls->points);
    arrfree(hulls->starts);
    arrfree(hulls->triangles);
}
