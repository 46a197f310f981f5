#include "common/bsp/export/mesh_export.h"

#include "common/bsp/export/pieces.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/text/obj_text.h"

static struct mesh_export_counts count_pieces(const struct pieces *pieces)
{
    struct mesh_export_counts counts = {.surfaces = arrlenu(pieces->pieces)};
    for (size_t i = 0; i < arrlenu(pieces->pieces); i++) {
        counts.triangles += pieces->pieces[i].index_count / 3;
        counts.vertices += pieces->pieces[i].vertex_count;
    }
    return counts;
}

static bool is_page(const struct mesh_export_options *options, const char *material)
{
    return options->with_lightmaps && str_starts_nocase(material, "lm_");
}

/* A file name in the text of a material: a page, or the image of a shader. */
static void write_image(const struct mesh_export_options *options, const char *material,
                        struct bytes *out)
{
    if (is_page(options, material))
        bytes_append_text(out, "%s/%s.tga", options->lightmaps, material);
    else
        bytes_append_text(out, "%s",
                          options->image_name ? options->image_name(options->context, material)
                                              : material);
}

/* --- OBJ --- */

static void obj_piece(const struct pieces *pieces, const struct piece *piece, size_t before,
                      struct bytes *out)
{
    bytes_append_text(out, "o model%d_surface%d\n", piece->model, piece->surface);
    for (size_t i = 0; i < piece->vertex_count; i++)
        obj_text_numbers("v", piece->vertices[i].p.e, 3, out);
    for (size_t i = 0; i < piece->vertex_count; i++) {
        const double *texture = piece->vertices[i].texture, up[2] = {texture[0], 1 - texture[1]};
        obj_text_numbers("vt", up, 2, out);
    }
    for (size_t i = 0; i < piece->vertex_count; i++)
        obj_text_numbers("vn", piece->vertices[i].normal.e, 3, out);
    bytes_append_text(out, "usemtl %s\n", pieces->materials[piece->material]);
    for (size_t i = 0; i < piece->index_count; i += 3) {
        size_t corners[3];
        for (size_t k = 0; k < 3; k++)
            corners[k] = before + 1 + (size_t)piece->indices[i + 2 - k];
        obj_text_triangle(corners, out);
    }
}

enum status obj_export(const struct bsp *bsp, const struct mesh_export_options *options,
                       const char *library, const char *name, struct diag *diag, struct bytes *obj,
                       struct bytes *mtl, struct mesh_export_counts *counts)
{
    struct pieces pieces;
    size_t before = 0;
    TRY(pieces_gather(bsp, options->with_lightmaps, name, diag, &pieces));
    bytes_append_text(obj, "mtllib %s\n", library);
    for (size_t i = 0; i < arrlenu(pieces.pieces); i++) {
        obj_piece(&pieces, &pieces.pieces[i], before, obj);
        before += pieces.pieces[i].vertex_count;
    }
    for (size_t i = 0; i < arrlenu(pieces.materials); i++) {
        bytes_append_text(mtl, "newmtl %s\nKd 1 1 1\nmap_Kd ", pieces.materials[i]);
        write_image(options, pieces.materials[i], mtl);
        bytes_append_text(mtl, "\n");
    }
    *counts = count_pieces(&pieces);
    pieces_free(&pieces);
    return STATUS_OK;
}

/* --- ASE --- */

static void ase_materials(const struct mesh_export_options *options, const struct pieces *pieces,
                          struct bytes *out)
{
    bytes_append_text(out, "*MATERIAL_LIST\t{\n\t*MATERIAL_COUNT\t%zu\n",
                      arrlenu(pieces->materials));
    for (size_t i = 0; i < arrlenu(pieces->materials); i++) {
        bytes_append_text(out,
                          "\t*MATERIAL\t%zu\t{\n\t\t*MATERIAL_NAME\t\"%s\"\n"
                          "\t\t*MATERIAL_CLASS\t\"Standard\"\n\t\t*MAP_DIFFUSE\t{\n"
                          "\t\t\t*MAP_NAME\t\"%s\"\n\t\t\t*MAP_CLASS\t\"Bitmap\"\n"
                          "\t\t\t*BITMAP\t\"",
                          i, pieces->materials[i], pieces->materials[i]);
        write_image(options, pieces->materials[i], out);
        bytes_append_text(out, "\"\n\t\t}\n\t}\n");
    }
    bytes_append_text(out, "}\n");
}

static void ase_points(const char *list, const char *item, const struct piece *piece, bool texture,
                       struct bytes *out)
{
    bytes_append_text(out, "\t\t*%s\t{\n", list);
    for (size_t i = 0; i < piece->vertex_count; i++) {
        const struct piece_vertex *vertex = &piece->vertices[i];
        struct vec3 p = texture ? vec3(vertex->texture[0], 1 - vertex->texture[1], 0) : vertex->p;
        bytes_append_text(out, "\t\t\t*%s\t%zu\t%.9g\t%.9g\t%.9g\n", item, i, p.x + 0.0, p.y + 0.0,
                          p.z + 0.0);
    }
    bytes_append_text(out, "\t\t}\n");
}

static void ase_faces(const struct piece *piece, struct bytes *out)
{
    bytes_append_text(out, "\t\t*MESH_FACE_LIST\t{\n");
    for (size_t i = 0; i < piece->index_count; i += 3)
        bytes_append_text(out,
                          "\t\t\t*MESH_FACE\t%zu:\tA:\t%d\tB:\t%d\tC:\t%d\tAB:\t1\tBC:\t1\tCA:\t1\t"
                          "*MESH_SMOOTHING\t0\t*MESH_MTLID\t0\n",
                          i / 3, piece->indices[i + 2], piece->indices[i + 1], piece->indices[i]);
    bytes_append_text(out, "\t\t}\n");
}

static void ase_texture_faces(const struct piece *piece, struct bytes *out)
{
    bytes_append_text(out, "\t\t*MESH_NUMTVFACES\t%zu\n\t\t*MESH_TFACELIST\t{\n",
                      piece->index_count / 3);
    for (size_t i = 0; i < piece->index_count; i += 3)
        bytes_append_text(out, "\t\t\t*MESH_TFACE\t%zu\t%d\t%d\t%d\n", i / 3, piece->indices[i + 2],
                          piece->indices[i + 1], piece->indices[i]);
    bytes_append_text(out, "\t\t}\n");
}

static void ase_normals(const struct piece *piece, struct bytes *out)
{
    bytes_append_text(out, "\t\t*MESH_NORMALS\t{\n");
    for (size_t i = 0; i < piece->index_count; i += 3) {
        struct vec3 mean = vec3(0, 0, 0);
        for (size_t k = 0; k < 3; k++)
            mean = vec3_add(mean, piece->vertices[piece->indices[i + k]].normal);
        mean = vec3_normalize(mean);
        bytes_append_text(out, "\t\t\t*MESH_FACENORMAL\t%zu\t%.6g\t%.6g\t%.6g\n", i / 3, mean.x,
                          mean.y, mean.z);
        for (size_t k = 3; k-- > 0;) {
            int at = piece->indices[i + k];
            const struct vec3 *normal = &piece->vertices[at].normal;
            bytes_append_text(out, "\t\t\t\t*MESH_VERTEXNORMAL\t%d\t%.6g\t%.6g\t%.6g\n", at,
                              normal->x, normal->y, normal->z);
        }
    }
    bytes_append_text(out, "\t\t}\n");
}

static void ase_piece(const struct piece *piece, struct bytes *out)
{
    bytes_append_text(out,
                      "*GEOMOBJECT\t{\n\t*NODE_NAME\t\"model%d_surface%d\"\n\t*NODE_TM\t{\n"
                      "\t\t*NODE_NAME\t\"model%d_surface%d\"\n\t\t*TM_ROW0\t1\t0\t0\n"
                      "\t\t*TM_ROW1\t0\t1\t0\n\t\t*TM_ROW2\t0\t0\t1\n\t\t*TM_ROW3\t0\t0\t0\n\t}\n"
                      "\t*MESH\t{\n\t\t*TIMEVALUE\t0\n\t\t*MESH_NUMVERTEX\t%zu\n"
                      "\t\t*MESH_NUMFACES\t%zu\n",
                      piece->model, piece->surface, piece->model, piece->surface,
                      piece->vertex_count, piece->index_count / 3);
    ase_points("MESH_VERTEX_LIST", "MESH_VERTEX", piece, false, out);
    ase_faces(piece, out);
    bytes_append_text(out, "\t\t*MESH_NUMTVERTEX\t%zu\n", piece->vertex_count);
    ase_points("MESH_TVERTLIST", "MESH_TVERT", piece, true, out);
    ase_texture_faces(piece, out);
    ase_normals(piece, out);
    bytes_append_text(out, "\t}\n\t*MATERIAL_REF\t%d\n}\n", piece->material);
}

enum status ase_export(const struct bsp *bsp, const struct mesh_export_options *options,
                       const char *name, struct diag *diag, struct bytes *out,
                       struct mesh_export_counts *counts)
{
    struct pieces pieces;
    TRY(pieces_gather(bsp, options->with_lightmaps, name, diag, &pieces));
    bytes_append_text(out, "*3DSMAX_ASCIIEXPORT\t200\n");
    ase_materials(options, &pieces, out);
    for (size_t i = 0; i < arrlenu(pieces.pieces); i++)
        ase_piece(&pieces.pieces[i], out);
    *counts = count_pieces(&pieces);
    pieces_free(&pieces);
    return STATUS_OK;
}
