/* Checks that must hold for any mesh model that a reader accepted. */
#ifndef TESTS_FUZZ_MESH_H
#define TESTS_FUZZ_MESH_H

#include "common/assets/models/mesh_model.h"
#include "tests/fuzz/fuzz_check.h"

struct mesh_fuzz {
    struct bytes file;
    struct diag *diag;
    struct arena arena;
    struct mesh_model model;
};

static inline struct mesh_fuzz mesh_fuzz_begin(const uint8_t *data, size_t size)
{
    struct mesh_fuzz fuzz = {.diag = diag_new(NULL, NULL)};
    bytes_append(&fuzz.file, data, size);
    return fuzz;
}

static inline void mesh_fuzz_part(const struct mesh_part *part, size_t size)
{
    check(part->index_count % 3 == 0 && strlen(part->shader) <= size && strlen(part->name) <= size);
    check((size_t)part->index_count <= 3 * size && (size_t)part->vertex_count <= 3 * size);
    for (int32_t i = 0; i < part->index_count; i++)
        check(part->indices[i] >= 0 && part->indices[i] < part->vertex_count);
    for (int32_t i = 0; i < part->vertex_count; i++) {
        const struct mesh_vertex *vertex = &part->vertices[i];
        check(vec3_is_finite(vertex->p) && vec3_is_finite(vertex->normal));
        check(isfinite(vertex->texture[0]) && isfinite(vertex->texture[1]));
    }
}

/* A reader that fails reports `code` once. */
static inline void mesh_fuzz_end(struct mesh_fuzz *fuzz, enum status status, int code)
{
    size_t told = diag_count_code(fuzz->diag, code);
    check(told == (status == STATUS_OK ? 0 : 1));
    for (int32_t i = 0; status == STATUS_OK && i < fuzz->model.part_count; i++)
        mesh_fuzz_part(&fuzz->model.parts[i], fuzz->file.size);
    bytes_free(&fuzz->file);
    arena_free(&fuzz->arena);
    diag_free(fuzz->diag);
}

#endif
