#include "vbsp/resume/output_bytes.h"

#include <math.h>
#include <string.h>

#include "common/core/array.h"

void vbsp_format_portals(const struct vbsp_output *output, struct bytes *out)
{
    if (output->prt_text.size)
        bytes_append(out, output->prt_text.data, output->prt_text.size);
    else
        prt_format(&output->prt, out);
}

static void append_path(const struct vec3 *points, struct bytes *out)
{
    bytes_u32(out, (uint32_t)arrlenu(points));
    bytes_append(out, points, arrlenu(points) * sizeof *points);
}

bool vbsp_output_append(const struct vbsp_output *output, const struct bsp_format *format,
                        struct bytes *out)
{
    struct bytes bsp = {0}, prt = {0}, srf = {0};
    struct diag *diag = diag_new(NULL, NULL);
    bool fits = bsp_encode(output->bsp, format, "map", diag, &bsp) == STATUS_OK;
    if (!fits)
        bytes_free(&bsp);
    if (!output->leak)
        vbsp_format_portals(output, &prt);
    if (arrlen(output->notes.items))
        surface_notes_format(&output->notes, output->bsp, &srf);
    bytes_sized_block(out, &bsp);
    bytes_sized_block(out, &prt);
    bytes_sized_block(out, &srf);
    append_path(output->area_leak, out);
    append_path(output->leak, out);
    bytes_free(&bsp);
    bytes_free(&prt);
    bytes_free(&srf);
    diag_free(diag);
    return fits;
}

static struct vec3 *read_path(struct byte_reader *from)
{
    struct vec3 *path = NULL;
    uint32_t count = read_u32(from);
    const unsigned char *data = read_block(from, (size_t)count * sizeof *path);
    if (data && count) {
        arrsetlen(path, count);
        memcpy(path, data, count * sizeof *path);
    }
    return path;
}

static bool are_finite(const struct vec3 *points)
{
    for (size_t i = 0; i < arrlenu(points); i++)
        for (int axis = 0; axis < 3; axis++)
            if (!isfinite(points[i].e[axis]))
                return false;
    return true;
}

/* The portals are between the clusters of the BSP: leaf 0 belongs to none. */
static bool clusters_fit(const struct vbsp_output *output)
{
    int clusters = 0;
    for (size_t i = 1; i < arrlenu(output->bsp->leaves); i++)
        if (output->bsp->leaves[i].cluster >= clusters)
            clusters = output->bsp->leaves[i].cluster + 1;
    return clusters == output->prt.cluster_count;
}

/* A map that leaks has none. */
static bool read_portals(const struct bytes *prt, struct diag *diag, struct vbsp_output *out)
{
    if (out->leak)
        return !prt->size;
    return prt_parse((const char *)prt->data, prt->size, "checkpoint", diag, &out->prt) ==
               STATUS_OK &&
           clusters_fit(out);
}

bool vbsp_output_read(struct byte_reader *from, const struct bsp_format *format,
                      struct vbsp_output *out)
{
    struct bytes bsp = {0}, prt = {0}, srf = {0};
    struct diag *diag = diag_new(NULL, NULL);
    bool fits = read_sized_block(from, &bsp) && read_sized_block(from, &prt) &&
                read_sized_block(from, &srf);
    out->area_leak = read_path(from);
    out->leak = read_path(from);
    fits = fits && !from->failed && from->at == from->size && are_finite(out->area_leak) &&
           are_finite(out->leak) &&
           bsp_decode_file(&bsp, "checkpoint", diag, &out->bsp) == STATUS_OK &&
           bsp_format_is_same_file(out->bsp->format, format) && read_portals(&prt, diag, out);
    if (fits) { /* which a file does not tell */
        out->bsp->format = format;
        out->bsp->engine = format->engine;
    }
    if (fits && srf.size)
        fits = surface_notes_parse((const char *)srf.data, srf.size, "checkpoint", out->bsp, diag,
                                   &out->notes) == STATUS_OK &&
               arrlen(out->notes.items);
    if (fits)
        limit_report_make(out->bsp, format, &out->limits);
    out->prt_text = prt; /* reading drops what vvis has no use for */
    bytes_free(&bsp);
    bytes_free(&srf);
    diag_free(diag);
    return fits;
}
