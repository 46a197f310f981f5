/* Checks textures and their files. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ballance/bmx/check_internal.h"
#include "ballance/bmx/names.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/bm_contents.def"

enum { FILE_NAME_MAX = 255 };

static void check_packed(struct checker *checker, const struct bmx_file *files, const char *file,
                         bool *used_files, const char *label)
{
    const struct bmx_file *found = bmx_find_file(files, file);
    checker->stats->internal_textures++;
    if (found)
        used_files[found - files] = true;
    else
        bmx_add_finding(checker->findings, DIAG_BMX_E_TEXTURE_MISSING, label, "%s%s", BMX_TEXTURES,
                        file);
    if (bmx_is_stock_texture(file))
        bmx_add_finding(checker->findings, DIAG_BMX_W_TEXTURE_SHADOW, label, "%s", file);
}

/* Returns true for the names of devices, with or without an extension. */
static bool is_device(const char *file)
{
    static const char *const names[] = {"con", "prn", "aux", "nul"};
    size_t length = strcspn(file, ".");
    if (length == 4 && (strncasecmp(file, "com", 3) == 0 || strncasecmp(file, "lpt", 3) == 0))
        return file[3] >= '1' && file[3] <= '9';
    for (size_t i = 0; i < sizeof names / sizeof *names && length == 3; i++)
        if (strncasecmp(file, names[i], 3) == 0)
            return true;
    return false;
}

static bool is_windows_name(const char *file)
{
    size_t size = strlen(file);
    for (const char *c = file; *c; c++)
        if ((unsigned char)*c < ' ')
            return false;
    return !strpbrk(file, "<>\"|?*") && !is_device(file) && !(size && strchr(". ", file[size - 1]));
}

static void check_file_name(struct checker *checker, const struct bmx_texture *texture,
                            const char *file, const char *label)
{
    struct bmx_findings *findings = checker->findings;
    bool is_path =
        !*file || strpbrk(file, "/\\:") || strcmp(file, ".") == 0 || strcmp(file, "..") == 0;
    if (is_path)
        bmx_add_finding(findings, DIAG_BMX_E_TEXTURE_PATH, label, "%s", file);
    else if (!is_windows_name(file))
        bmx_add_finding(findings, DIAG_BMX_W_TEXTURE_WINDOWS, label, "%s", file);
    if (strlen(file) > FILE_NAME_MAX)
        bmx_add_finding(findings, DIAG_BMX_W_TEXTURE_LENGTH, label, "%zu bytes", strlen(file));
    if (!bmx_text_is_ascii(&texture->file_name))
        bmx_add_finding(findings, DIAG_BMX_W_NAME_NONASCII, label, "file %s", file);
}

static void check_texture(struct checker *checker, size_t index, const struct bmx_file *files,
                          bool *used_files)
{
    const struct bmx_texture *texture = &checker->bmx->textures[index];
    struct bmx_findings *findings = checker->findings;
    struct arena arena = {0};
    char label[BMX_LABEL_SIZE];
    const char *file = bmx_text_utf8(&texture->file_name, &arena);
    bmx_label("texture", &texture->name, label);
    if (!checker->used_textures[index])
        bmx_add_bare_finding(findings, DIAG_BMX_W_UNUSED_TEXTURE, label);
    check_file_name(checker, texture, file, label);
    if (!texture->is_external)
        check_packed(checker, files, file, used_files, label);
    else if (!bmx_is_stock_texture(file))
        bmx_add_finding(findings, DIAG_BMX_W_TEXTURE_EXTERNAL, label, "%s", file);
    arena_free(&arena);
}

static int order_nocase(const void *a, const void *b)
{
    const char *left = *(const char *const *)a, *right = *(const char *const *)b;
    int order = strcasecmp(left, right);
    return order ? order : strcmp(left, right);
}

static void check_case(struct checker *checker, const struct bmx_file *files)
{
    const char **names = NULL;
    for (size_t i = 0; i < arrlenu(files); i++)
        arrput(names, files[i].name);
    if (names)
        qsort(names, arrlenu(names), sizeof *names, order_nocase);
    for (size_t i = 1; i < arrlenu(names); i++)
        if (strcasecmp(names[i - 1], names[i]) == 0)
            bmx_add_finding(checker->findings, DIAG_BMX_W_TEXTURE_CASE, names[i], "and %s",
                            names[i - 1]);
    arrfree(names);
}

void bmx_check_textures(struct checker *checker)
{
    struct bmx_file *files = bmx_files(checker->bmx);
    bool *used = memory_zalloc(arrlenu(files), sizeof *used);
    for (size_t i = 0; i < arrlenu(checker->bmx->textures); i++)
        check_texture(checker, i, files, used);
    for (size_t i = 0; i < arrlenu(files); i++)
        if (!used[i])
            bmx_add_bare_finding(checker->findings, DIAG_BMX_W_TEXTURE_ORPHAN, files[i].name);
    check_case(checker, files);
    memory_free(used);
    arrfree(files);
}
