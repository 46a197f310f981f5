/* Polygons for external viewers. */
#include <math.h>
#include <stdlib.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "common/text/entities.h"
#include "vbsp/report/dumps.h"

static void put_point(struct bytes *out, struct vec3 point, const double colour[3])
{
    bytes_append_text(out, "%.3f %.3f %.3f %.3f %.3f %.3f\n", point.x, point.y, point.z, colour[0],
                      colour[1], colour[2]);
}

static void put_face(const struct bsp *bsp, const struct bsp_face *face, struct vec3 origin,
                     struct bytes *out)
{
    double colour[3] = {1, 1, 1};
    if (face->texinfo >= 0 && bsp->texinfo[face->texinfo].texdata >= 0) {
        const struct bsp_texdata *texdata = &bsp->texdata[bsp->texinfo[face->texinfo].texdata];
        for (int i = 0; i < 3; i++)
            colour[i] = portable_fmin(portable_fmax((double)texdata->reflectivity[i], 0), 1);
    }
    bytes_append_text(out, "%d\n", face->edge_count);
    for (int i = 0; i < face->edge_count; i++)
        put_point(out, vec3_add(bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, i)), origin), colour);
}

/* The origin of each model; an stb_ds array. */
static struct vec3 *find_origins(const struct bsp *bsp)
{
    struct entity_list list = {0};
    struct vec3 *origins = NULL;
    for (size_t i = 0; i < arrlenu(bsp->models); i++)
        arrput(origins, vec3(0, 0, 0));
    struct diag *silent = diag_new(NULL, NULL);
    bool read =
        entities_parse(bsp->entities, arrlenu(bsp->entities), "", silent, &list) == STATUS_OK;
    for (size_t i = 0; read && i < arrlenu(list.entities); i++) {
        const char *model = entity_value(&list.entities[i], "model");
        int64_t number = *model == '*' ? strtoll(model + 1, NULL, 10) : 0;
        if (number > 0 && number < arrlen(origins))
            (void)entity_vector(&list.entities[i], "origin", &origins[number]);
    }
    entities_free(&list);
    diag_free(silent);
    return origins;
}

void dump_gl_faces(const struct bsp *bsp, struct bytes *out)
{
    struct vec3 *origins = find_origins(bsp);
    for (size_t i = 0; i < arrlenu(bsp->models); i++) {
        const struct bsp_model *model = &bsp->models[i];
        for (int j = 0; j < model->face_count; j++)
            put_face(bsp, &bsp->faces[model->first_face + j], origins[i], out);
    }
    arrfree(origins);
}

void dump_gl_portals(const struct prt *prt, struct bytes *out)
{
    for (size_t i = 0; i < arrlenu(prt->portals); i++) {
        const struct winding *winding = prt->portals[i].winding;
        const double colour[3] = {random_unit(i, 0), random_unit(i, 1), random_unit(i, 2)};
        bytes_append_text(out, "%d\n", winding->count);
        for (int j = 0; j < winding->count; j++)
            put_point(out, winding->points[j], colour);
    }
}
