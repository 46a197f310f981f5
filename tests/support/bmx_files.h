/* BM files for tests: a level in memory, and files of the repository. */
#ifndef TESTS_BMX_FILES_H
#define TESTS_BMX_FILES_H

#include <string.h>

#include "ballance/bmx/check.h"
#include "common/core/array.h"
#include "common/io/fs.h"
#include "common/io/zip.h"

#define BMX_SEEDS MAPS_DIR "/../tests/fuzz/seeds/bmx/"

/* Returns the float with these bits. */
static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void put_corner(struct bmx_mesh *mesh, float x, float y, float z)
{
    arrput(mesh->positions, ((struct bmx_point){{x, y, z}}));
    arrput(mesh->uvs, ((struct bmx_uv){{x, -z}}));
}

/* One object with one triangle, a material and a texture in the file: no findings. */
static inline struct bmx *bmx_level(void)
{
    struct bmx *bmx = bmx_new();
    struct bmx_object object = {.name = bmx_text_make("A_Floor_01"),
                                .matrix = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, -0.0f, 7, 1}};
    struct bmx_mesh mesh = {.name = bmx_text_make("Floor")};
    struct bmx_material material = {
        .name = bmx_text_make("Stone"), .diffuse = {1, 1, 1}, .z_buffer = 1, .use_texture = 1};
    struct bmx_texture texture = {.name = bmx_text_make("Stone"),
                                  .file_name = bmx_text_make("stone.png")};
    struct bmx_text group = bmx_text_make("Phys_Floors");
    arrput(object.groups, group);
    put_corner(&mesh, 0, 0, 0);
    put_corner(&mesh, 0, 0, 4);
    put_corner(&mesh, 4, 0, 0);
    arrput(mesh.normals, ((struct bmx_point){{0, 1, 0}}));
    arrput(mesh.faces, ((struct bmx_face){{{0, 0, 0}, {1, 1, 0}, {2, 2, 0}}, 0, 1}));
    arrput(bmx->objects, object);
    arrput(bmx->meshes, mesh);
    arrput(bmx->materials, material);
    arrput(bmx->textures, texture);
    bmx_add_file(bmx, "Texture/stone.png", "no picture", 10);
    return bmx;
}

/* Reads and checks bytes; returns the model, which may be NULL. */
static inline struct bmx *bmx_look(const void *data, size_t size, struct bmx_findings *findings)
{
    struct bmx_stats stats;
    return bmx_check(data, size, NULL, findings, &stats);
}

/* Returns true when the bytes have the finding. */
static inline bool bmx_finds(const struct bytes *file, int code)
{
    struct bmx_findings findings = {0};
    bmx_free(bmx_look(file->data, file->size, &findings));
    bool found = bmx_finding_count(&findings, code) > 0;
    bmx_findings_free(&findings);
    return found;
}

/* Returns true when two models have the same members with the same bytes, in the same order. */
static inline bool bmx_same_members(const struct bmx *a, const struct bmx *b)
{
    bool same = arrlenu(a->members) == arrlenu(b->members) && a->comment.size == b->comment.size &&
                (!a->comment.size || !memcmp(a->comment.data, b->comment.data, a->comment.size));
    for (size_t i = 0; same && i < arrlenu(a->members); i++)
        same = strcmp(a->members[i].name, b->members[i].name) == 0 &&
               a->members[i].role == b->members[i].role &&
               a->members[i].data.size == b->members[i].data.size &&
               (!a->members[i].data.size ||
                !memcmp(a->members[i].data.data, b->members[i].data.data, a->members[i].data.size));
    for (int role = 0; same && role < BMX_ROLE_FILE; role++) {
        struct bytes x = {0}, y = {0};
        bmx_encode_role(a, (enum bmx_role)role, &x);
        bmx_encode_role(b, (enum bmx_role)role, &y);
        same = x.size == y.size && (!x.size || !memcmp(x.data, y.data, x.size));
        bytes_free(&x);
        bytes_free(&y);
    }
    return same;
}

#endif
