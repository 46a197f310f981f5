/* Verifies lightmaps, lights and visibility. */
#include <stdlib.h>

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/bsp/verify/verify_internal.h"
#include "common/bsp/vis.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "common/diag/codes/verify.def"

enum { STYLES = 64, LUXEL_SIZE = 4 };

/* Range of a face's luxels in the lighting lump, with the averages before them. */
struct lit {
    int64_t from, to;
    int face;
};

static int by_start(const void *a, const void *b)
{
    const struct lit *p = a, *q = b;
    if (p->from != q->from)
        return p->from < q->from ? -1 : 1;
    return (p->face > q->face) - (p->face < q->face);
}

/* vrad's option -dlightmap keeps direct light in a second map of style 0. */
static bool is_direct_apart(const struct bsp_face *face, int style)
{
    return style == 1 && face->styles[0] == 0 && face->styles[1] == 0;
}

/* Returns the number of styles before the first unused one; -1 when the list is invalid. */
static int style_count(const struct bsp_face *face)
{
    int count = 0;
    for (int i = 0; i < BSP_FACE_STYLES; i++) {
        if (face->styles[i] == BSP_STYLE_NONE)
            continue;
        if (count != i || face->styles[i] >= STYLES)
            return -1;
        for (int k = 0; k < i; k++)
            if (face->styles[k] == face->styles[i] && !is_direct_apart(face, i))
                return -1;
        count++;
    }
    return count;
}

static struct lit lit_of(const struct bsp *bsp, const struct bsp_face *face, int number, int styles)
{
    bool bumped = face->texinfo >= 0 && bsp->texinfo[face->texinfo].flags & SURFACE_BUMPLIGHT;
    int64_t luxels = (int64_t)(face->lightmap_size[0] + 1) * (face->lightmap_size[1] + 1);
    int64_t averages = (int64_t)LUXEL_SIZE * styles;
    return (struct lit){face->light_offset - averages,
                        face->light_offset + averages * luxels * (bumped ? 4 : 1), number};
}

static void verify_lightmaps(struct verifier *verifier, const struct bsp_face *faces,
                             const struct bytes *lighting, const char *kind)
{
    struct lit *lit = NULL;
    if (!lighting->size)
        return;
    for (int i = 0; i < arrlen(faces); i++) {
        int styles = style_count(&faces[i]);
        if (styles < 0)
            verify_fault(verifier, DIAG_VERIFY_LIGHT, NULL, "face %d: %s styles %d %d %d %d", i,
                         kind, faces[i].styles[0], faces[i].styles[1], faces[i].styles[2],
                         faces[i].styles[3]);
        else if (faces[i].light_offset >= 0 && !styles)
            verify_fault(verifier, DIAG_VERIFY_LIGHT, NULL, "face %d: %s lightmap without a style",
                         i, kind);
        else if (faces[i].light_offset >= 0)
            arrput(lit, lit_of(verifier->bsp, &faces[i], i, styles));
    }
    if (lit)
        qsort(lit, arrlenu(lit), sizeof *lit, by_start);
    for (ptrdiff_t i = 1; i < arrlen(lit); i++)
        if (lit[i].from < lit[i - 1].to)
            verify_fault(verifier, DIAG_VERIFY_LIGHT, NULL,
                         "faces %d and %d: overlapping %s luxels", lit[i - 1].face, lit[i].face,
                         kind);
    arrfree(lit);
}

static void verify_worldlights(struct verifier *verifier, const struct bsp_worldlight *lights,
                               const char *kind)
{
    for (size_t i = 0; i < arrlenu(lights); i++) {
        const struct bsp_worldlight *light = &lights[i];
        if (light->type < WORLDLIGHT_SURFACE || light->type > WORLDLIGHT_SKY_AMBIENT ||
            light->style >= STYLES || light->cluster >= verifier->clusters)
            verify_fault(verifier, DIAG_VERIFY_LIGHT, NULL,
                         "%s worldlight %zu: type %d, style %d, cluster %d", kind, i, light->type,
                         light->style, light->cluster);
    }
}

void verify_light(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    verify_lightmaps(verifier, bsp->faces, &bsp->ldr.lighting, "LDR");
    verify_lightmaps(verifier, bsp->faces_hdr ? bsp->faces_hdr : bsp->faces, &bsp->hdr.lighting,
                     "HDR");
    verify_worldlights(verifier, bsp->ldr.worldlights, "LDR");
    verify_worldlights(verifier, bsp->hdr.worldlights, "HDR");
}

static void read_row(struct verifier *verifier, int cluster, bool audible, unsigned char *row)
{
    static const char *const faults[] = {NULL, "ends too early", "runs past its end"};
    size_t size = ((size_t)verifier->clusters + 7) / 8;
    struct byte_reader data = vis_row_data(&verifier->bsp->visibility, cluster, audible);
    enum vis_row_form form = vis_decode_row(&data, row, size);
    if (form != VIS_ROW_EXACT)
        verify_fault(verifier, DIAG_VERIFY_VIS, NULL, "cluster %d: row of %s clusters %s", cluster,
                     audible ? "audible" : "visible", faults[form]);
    else if (!bsp_vis_bit(row, cluster))
        verify_fault(verifier, DIAG_VERIFY_VIS, NULL, "cluster %d is not %s from itself", cluster,
                     audible ? "audible" : "visible");
    for (int i = verifier->clusters; i < (int)size * 8; i++)
        if (bsp_vis_bit(row, i))
            verify_fault(verifier, DIAG_VERIFY_VIS, NULL,
                         "cluster %d: row contains invalid cluster %d", cluster, i);
}

static void verify_symmetry(struct verifier *verifier, const unsigned char *rows)
{
    size_t size = ((size_t)verifier->clusters + 7) / 8, one_way = 0;
    int from = 0, to = 0;
    for (int i = 0; i < verifier->clusters; i++)
        for (int j = 0; j < i; j++) {
            if (bsp_vis_bit(rows + (size_t)i * size, j) == bsp_vis_bit(rows + (size_t)j * size, i))
                continue;
            if (!one_way++) {
                from = i;
                to = j;
            }
        }
    if (one_way)
        verify_fault(verifier, DIAG_VERIFY_VIS_ONE_WAY, NULL,
                     "%zu pair%s of clusters, first %d and %d", one_way, one_way == 1 ? "" : "s",
                     to, from);
}

void verify_visibility(struct verifier *verifier)
{
    int clusters = bsp_vis_clusters(verifier->bsp);
    if (!clusters)
        return;
    if (clusters != verifier->clusters) {
        verify_fault(verifier, DIAG_VERIFY_VIS, NULL,
                     "visibility of %d clusters, but the leaves have %d", clusters,
                     verifier->clusters);
        return;
    }
    size_t size = ((size_t)clusters + 7) / 8;
    unsigned char *rows = memory_zalloc((size_t)clusters, size);
    unsigned char *audible = memory_zalloc(size, 1);
    for (int i = 0; i < clusters; i++) {
        unsigned char *row = rows + (size_t)i * size;
        bool more = false;
        read_row(verifier, i, false, row);
        read_row(verifier, i, true, audible);
        for (size_t k = 0; k < size; k++)
            more = more || row[k] & ~audible[k];
        if (more)
            verify_fault(verifier, DIAG_VERIFY_VIS, NULL, "cluster %d: PVS is not within the PAS",
                         i);
    }
    verify_symmetry(verifier, rows);
    memory_free(audible);
    memory_free(rows);
}
