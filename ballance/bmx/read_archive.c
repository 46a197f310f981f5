/* Reads the zip archive of a BM file: its limits, and its members. */
#include <stdlib.h>
#include <string.h>

#include "ballance/bmx/read.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/bm_archives.def"
#include "common/diag/codes/zip.def"
#include "common/io/zip.h"

enum { ZIP64_VERSION = 45, LEVEL_FLAGS = 6 };

struct archive {
    struct bmx_limits left; /* .total is decremented */
    struct bmx *bmx;
    struct bmx_findings *findings;
};

static bool is_folder(const char *name)
{
    size_t length = strlen(name);
    return length && name[length - 1] == '/';
}

static bool is_utf8(const char *name)
{
    size_t size = strlen(name);
    while (size) {
        uint32_t point;
        size_t length = utf8_length(name, size, &point);
        if (!length)
            return false;
        name += length;
        size -= length;
    }
    return true;
}

static void check_headers(const struct archive *archive, const struct zip_member *member)
{
    struct bmx_findings *findings = archive->findings;
    const char *name = member->name;
    if (!(member->flags & ZIP_UTF8))
        bmx_add_finding(findings, DIAG_BMX_E_ZIP_UTF8FLAG, name, "flag bit 11 is clear");
    else if (!is_utf8(name))
        bmx_add_finding(findings, DIAG_BMX_E_ZIP_CORRUPT, name, "name is not UTF-8");
    if ((member->flags ^ member->local_flags) & ZIP_UTF8)
        bmx_add_bare_finding(findings, DIAG_BMX_W_ZIP_UTF8FLAG_LOCAL, name);
    if ((member->flags | member->local_flags) & ZIP_PATCHED)
        bmx_add_finding(findings, DIAG_BMX_E_ZIP_PATCHED, name, "flag bit 5 is set");
    if (member->zip64 || member->version_needed >= ZIP64_VERSION)
        bmx_add_finding(findings, DIAG_BMX_E_ZIP64, name, "requires zip version %d.%d",
                        member->version_needed / 10, member->version_needed % 10);
    if (member->method != ZIP_STORED && member->method != ZIP_DEFLATED)
        bmx_add_finding(findings, DIAG_BMX_E_ZIP_METHOD, name, "%d", member->method);
    else if (member->method == ZIP_STORED && !is_folder(name))
        bmx_add_bare_finding(findings, DIAG_BMX_E_ZIP_STORED, name);
    else if (!is_folder(name) && (member->flags & LEVEL_FLAGS) != ZIP_BEST)
        bmx_add_bare_finding(findings, DIAG_BMX_W_ZIP_LEVEL, name);
    if (!zip_name_is_safe(name))
        bmx_add_bare_finding(findings, DIAG_BMX_E_ZIP_PATH, name);
}

/* Adds an error of the zip reader to the findings. */
static void add_zip_finding(const struct archive *archive, const char *name,
                            const struct diag *diag)
{
    size_t count = diag_entries(diag);
    const struct diag_entry *entry = count ? diag_entry(diag, count - 1) : NULL;
    bool bomb = entry && entry->code == DIAG_ZIP_BOMB;
    const char *text = entry ? entry->message : "";
    size_t length = strlen(name);
    if (length && strncmp(text, name, length) == 0 && strncmp(text + length, ": ", 2) == 0)
        text += length + 2; /* the finding has the name already */
    bmx_add_finding(archive->findings, bomb ? DIAG_BMX_E_ZIP_BOMB : DIAG_BMX_E_ZIP_CORRUPT, name,
                    "%s", text);
}

static bool unpack(struct archive *archive, const struct zip_member *member, struct bytes *out)
{
    struct bmx_limits *left = &archive->left;
    uint64_t max = left->member < left->total ? left->member : left->total;
    if (member->size > max) {
        bmx_add_finding(archive->findings, DIAG_BMX_E_ZIP_BOMB, member->name, "%llu bytes",
                        (unsigned long long)member->size);
        return false;
    }
    struct diag *diag = diag_new(NULL, NULL);
    const struct diag_where where = {.file = member->name};
    enum status status = zip_unpack(member, max, &where, diag, out);
    if (status == STATUS_OK)
        left->total -= out->size;
    else if (member->method == ZIP_STORED || member->method == ZIP_DEFLATED)
        add_zip_finding(archive, member->name, diag);
    diag_free(diag);
    return status == STATUS_OK;
}

static void read_member(struct archive *archive, const struct zip_member *member)
{
    struct bytes data = {0};
    bool read = false;
    if (member->flags & ZIP_ENCRYPTED) {
        bmx_add_bare_finding(archive->findings, DIAG_BMX_E_ZIP_ENCRYPTED, member->name);
    } else {
        check_headers(archive, member);
        read = unpack(archive, member, &data);
    }
    if (!read) {
        archive->bmx->incomplete = true;
        bytes_free(&data);
        return;
    }
    bmx_add_file(archive->bmx, member->name, NULL, 0);
    arrlast(archive->bmx->members).data = data;
}

static void find_duplicates(const struct archive *archive)
{
    const char **names = NULL;
    for (size_t i = 0; i < arrlenu(archive->bmx->members); i++)
        if (!is_folder(archive->bmx->members[i].name))
            arrput(names, archive->bmx->members[i].name);
    if (names)
        qsort(names, arrlenu(names), sizeof *names, str_compare_items);
    for (size_t i = 1; i < arrlenu(names); i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            bmx_add_bare_finding(archive->findings, DIAG_BMX_E_ZIP_DUP, names[i]);
    arrfree(names);
}

/* The last member of each name counts. */
static bool find_parts(const struct archive *archive, struct bmx_parts *parts)
{
    struct bmx_member *members = archive->bmx->members;
    bool all = true;
    for (int role = 0; role < BMX_ROLE_FILE; role++) {
        const char *name = bmx_role_file((enum bmx_role)role);
        size_t i = arrlenu(members);
        while (i && strcmp(members[i - 1].name, name) != 0)
            i--;
        if (!i) {
            bmx_add_bare_finding(archive->findings, DIAG_BMX_E_MISSING, name);
            all = false;
            continue;
        }
        members[i - 1].role = (enum bmx_role)role;
        parts->files[role] = members[i - 1].data;
        members[i - 1].data = (struct bytes){0};
    }
    return all;
}

static bool is_part(const char *name)
{
    for (int role = 0; role < BMX_ROLE_FILE; role++)
        if (strcmp(name, bmx_role_file((enum bmx_role)role)) == 0)
            return true;
    return false;
}

static void find_extras(const struct archive *archive)
{
    for (size_t i = 0; i < arrlenu(archive->bmx->members); i++) {
        const struct bmx_member *member = &archive->bmx->members[i];
        if (is_folder(member->name) || is_part(member->name) || !zip_name_is_safe(member->name))
            continue;
        if (strncmp(member->name, BMX_TEXTURES, strlen(BMX_TEXTURES)) != 0)
            bmx_add_bare_finding(archive->findings, DIAG_BMX_W_EXTRA_MEMBER, member->name);
        else if (!bmx_texture_file(member))
            bmx_add_bare_finding(archive->findings, DIAG_BMX_W_TEXTURE_SUBDIR, member->name);
    }
}

static bool read_members(struct archive *archive, const struct zip *zip, struct bmx_parts *parts)
{
    if (zip->zip64)
        bmx_add_finding(archive->findings, DIAG_BMX_E_ZIP64, "", "zip64 end record");
    if (!zip->comment.size)
        bmx_add_bare_finding(archive->findings, DIAG_BMX_W_ZIP_COMMENT, "");
    bytes_append(&archive->bmx->comment, zip->comment.data, zip->comment.size);
    for (size_t i = 0; i < arrlenu(zip->members); i++)
        read_member(archive, &zip->members[i]);
    find_duplicates(archive);
    find_extras(archive);
    return find_parts(archive, parts);
}

bool bmx_read_archive(const void *data, size_t size, const struct bmx_limits *limits,
                      struct bmx *bmx, struct bmx_parts *parts, struct bmx_findings *findings)
{
    struct archive archive = {*limits, bmx, findings};
    if (size < 4 || memcmp(data, "PK\3\4", 4) != 0) {
        bmx_add_bare_finding(findings, DIAG_BMX_E_ZIP_MAGIC, "");
        return false;
    }
    struct diag *diag = diag_new(NULL, NULL);
    struct zip zip = {0};
    const struct diag_where where = {0};
    bool whole = false;
    if (zip_read(data, size, &where, diag, &zip) == STATUS_OK)
        whole = read_members(&archive, &zip, parts);
    else
        add_zip_finding(&archive, "", diag);
    zip_free(&zip);
    diag_free(diag);
    return whole;
}
