#include "ballance/bmx/bmx.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"

enum { TEXT_SIZE = 512 };

/* Truncates the text to at most `size` bytes, between two characters. */
static void cut(char *text, size_t size)
{
    if (strlen(text) < size)
        return;
    while (size && ((unsigned char)text[size] & 0xc0) == 0x80)
        size--;
    text[size] = 0;
}

const char *bmx_label(const char *kind, const struct bmx_text *name, char label[BMX_LABEL_SIZE])
{
    size_t size = strlen(kind);
    memcpy(label, kind, size);
    label[size++] = ' ';
    for (size_t i = 0; i < arrlenu(name->points) && size + 4 < BMX_LABEL_SIZE; i++) {
        uint32_t point = name->points[i];
        bool plain = point && unicode_is_valid(point);
        size += utf8_encode(plain ? point : UNICODE_REPLACEMENT, label + size);
    }
    label[size] = 0;
    return label;
}

void bmx_add_finding(struct bmx_findings *findings, int code, const char *object,
                     const char *format, ...)
{
    findings->by_severity[diag_info(code)->severity]++;
    if (findings->by_code[diag_index(code)]++ >= BMX_FINDINGS_KEPT)
        return;
    char text[TEXT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cut(text, TEXT_SIZE - 1 - 4);
    char *kept = arena_strndup(&findings->arena, object, strnlen(object, TEXT_SIZE));
    cut(kept, TEXT_SIZE - 1);
    struct bmx_finding finding = {code, kept, arena_strdup(&findings->arena, text)};
    arrput(findings->list, finding);
}

void bmx_add_bare_finding(struct bmx_findings *findings, int code, const char *object)
{
    bmx_add_finding(findings, code, object, "%s", "");
}

size_t bmx_finding_count(const struct bmx_findings *findings, int code)
{
    return findings->by_code[diag_index(code)];
}

void bmx_findings_free(struct bmx_findings *findings)
{
    arrfree(findings->list);
    arena_free(&findings->arena);
}

const char *bmx_code_name(int code)
{
    return diag_info(code)->name + strlen("BMX_");
}

/* Which findings are reported, and as what at most. */
enum reported { REPORT_ALL, REPORT_ERRORS, REPORT_WARNINGS };

static void report_code(const char *name, int code, enum reported what, struct diag *diag,
                        const char *message)
{
    enum diag_severity severity = diag_info(code)->severity;
    if (what == REPORT_ERRORS && severity != DIAG_ERROR)
        return;
    if (what == REPORT_WARNINGS && severity == DIAG_ERROR)
        severity = DIAG_WARNING;
    (void)diag_report_as(diag, severity, code, &(struct diag_where){.file = name}, "%s", message);
}

static enum status report(const struct bmx_findings *findings, const char *name, enum reported what,
                          struct diag *diag)
{
    struct arena arena = {0};
    for (size_t i = 0; i < arrlenu(findings->list); i++) {
        const struct bmx_finding *finding = &findings->list[i];
        report_code(name, finding->code, what, diag,
                    arena_printf(&arena, "%s%s%s", finding->object,
                                 *finding->object && *finding->text ? ": " : "", finding->text));
    }
    for (int code = diag_next(0); code; code = diag_next(code)) {
        const size_t count = bmx_finding_count(findings, code);
        if (count > BMX_FINDINGS_KEPT)
            report_code(name, code, what, diag,
                        arena_printf(&arena, "%zu more", count - BMX_FINDINGS_KEPT));
    }
    arena_free(&arena);
    return findings->by_severity[DIAG_ERROR] ? STATUS_FAILED : STATUS_OK;
}

enum status bmx_report(const struct bmx_findings *findings, const char *name, struct diag *diag)
{
    return report(findings, name, REPORT_ALL, diag);
}

enum status bmx_report_errors(const struct bmx_findings *findings, const char *name,
                              struct diag *diag)
{
    return report(findings, name, REPORT_ERRORS, diag);
}

void bmx_report_tolerated(const struct bmx_findings *findings, const char *name, struct diag *diag)
{
    (void)report(findings, name, REPORT_WARNINGS, diag);
}

struct bmx *bmx_new(void)
{
    struct bmx *bmx = memory_zalloc(1, sizeof *bmx);
    bytes_append(&bmx->comment, BMX_COMMENT, strlen(BMX_COMMENT));
    return bmx;
}

static void free_object(struct bmx_object *object)
{
    bmx_text_free(&object->name);
    for (size_t i = 0; i < arrlenu(object->groups); i++)
        bmx_text_free(&object->groups[i]);
    arrfree(object->groups);
}

static void free_mesh(struct bmx_mesh *mesh)
{
    bmx_text_free(&mesh->name);
    arrfree(mesh->positions);
    arrfree(mesh->uvs);
    arrfree(mesh->normals);
    arrfree(mesh->faces);
}

static void free_archive(struct bmx *bmx)
{
    for (size_t i = 0; i < arrlenu(bmx->index); i++)
        bmx_text_free(&bmx->index[i].name);
    for (size_t i = 0; i < arrlenu(bmx->gaps); i++)
        bytes_free(&bmx->gaps[i].data);
    for (size_t i = 0; i < arrlenu(bmx->members); i++) {
        memory_free(bmx->members[i].name);
        bytes_free(&bmx->members[i].data);
    }
    arrfree(bmx->index);
    arrfree(bmx->gaps);
    arrfree(bmx->members);
    bytes_free(&bmx->comment);
}

void bmx_free(struct bmx *bmx)
{
    if (!bmx)
        return;
    for (size_t i = 0; i < arrlenu(bmx->objects); i++)
        free_object(&bmx->objects[i]);
    for (size_t i = 0; i < arrlenu(bmx->meshes); i++)
        free_mesh(&bmx->meshes[i]);
    for (size_t i = 0; i < arrlenu(bmx->materials); i++)
        bmx_text_free(&bmx->materials[i].name);
    for (size_t i = 0; i < arrlenu(bmx->textures); i++) {
        bmx_text_free(&bmx->textures[i].name);
        bmx_text_free(&bmx->textures[i].file_name);
    }
    arrfree(bmx->objects);
    arrfree(bmx->meshes);
    arrfree(bmx->materials);
    arrfree(bmx->textures);
    free_archive(bmx);
    memory_free(bmx);
}

size_t bmx_count(const struct bmx *bmx, enum bmx_kind kind)
{
    switch (kind) {
    case BMX_OBJECT:
        return arrlenu(bmx->objects);
    case BMX_MESH:
        return arrlenu(bmx->meshes);
    case BMX_MATERIAL:
        return arrlenu(bmx->materials);
    case BMX_TEXTURE:
        return arrlenu(bmx->textures);
    default:
        return 0;
    }
}

const struct bmx_text *bmx_name(const struct bmx *bmx, enum bmx_kind kind, size_t block)
{
    switch (kind) {
    case BMX_OBJECT:
        return &bmx->objects[block].name;
    case BMX_MESH:
        return &bmx->meshes[block].name;
    case BMX_MATERIAL:
        return &bmx->materials[block].name;
    default:
        return &bmx->textures[block].name;
    }
}

const char *bmx_kind_name(enum bmx_kind kind)
{
    static const char *const names[BMX_KINDS] = {"object", "mesh", "material", "texture"};
    return names[kind];
}

const char *bmx_role_file(enum bmx_role role)
{
    static const char *const names[BMX_ROLE_FILE] = {"object.bm", "mesh.bm", "material.bm",
                                                     "texture.bm", "index.bm"};
    return names[role];
}

void bmx_add_file(struct bmx *bmx, const char *name, const void *data, size_t size)
{
    size_t length = strlen(name) + 1;
    struct bmx_member member = {.name = memory_alloc(length), .role = BMX_ROLE_FILE};
    memcpy(member.name, name, length);
    bytes_append(&member.data, data, size);
    arrput(bmx->members, member);
}

const char *bmx_texture_file(const struct bmx_member *member)
{
    size_t prefix = strlen(BMX_TEXTURES);
    if (member->role != BMX_ROLE_FILE || strncmp(member->name, BMX_TEXTURES, prefix) != 0)
        return NULL;
    const char *file = member->name + prefix;
    return *file && !strchr(file, '/') ? file : NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct bmx_file *)a)->name, ((const struct bmx_file *)b)->name);
}

/* By name; of equal names the later member comes first: members are in one array. */
static int by_name_last_first(const void *a, const void *b)
{
    const struct bmx_file *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    if (order)
        return order;
    return (left->data < right->data) - (left->data > right->data);
}

struct bmx_file *bmx_files(const struct bmx *bmx)
{
    struct bmx_file *files = NULL;
    for (size_t i = 0; i < arrlenu(bmx->members); i++) {
        const char *name = bmx_texture_file(&bmx->members[i]);
        if (name)
            arrput(files, ((struct bmx_file){name, &bmx->members[i].data}));
    }
    if (!files)
        return NULL;
    qsort(files, arrlenu(files), sizeof *files, by_name_last_first);
    size_t kept = 1;
    for (size_t i = 1; i < arrlenu(files); i++)
        if (strcmp(files[i].name, files[kept - 1].name) != 0)
            files[kept++] = files[i];
    arrsetlen(files, kept);
    return files;
}

const struct bmx_file *bmx_find_file(const struct bmx_file *files, const char *name)
{
    const struct bmx_file key = {.name = name};
    return files ? bsearch(&key, files, arrlenu(files), sizeof key, by_name) : NULL;
}
