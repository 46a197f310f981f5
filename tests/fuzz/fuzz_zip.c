/* Any bytes as an archive: members unpack or are refused, and copies read the same. */
#include <stdint.h>

#include "common/core/array.h"
#include "common/diag/codes/zip.def"
#include "common/io/zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX = 1 << 20 };

/* Members do not overlap, so that the total time is linear in the archive. */
static void unpack(const struct zip *zip, struct diag *diag)
{
    for (size_t i = 0; i < arrlenu(zip->members); i++) {
        const struct zip_member *member = &zip->members[i];
        struct bytes out = {0};
        enum status status = zip_unpack(member, MAX, NULL, diag, &out);
        if (out.size != (status == STATUS_OK ? member->size : 0))
            __builtin_trap();
        (void)zip_name_is_safe(member->name);
        bytes_free(&out);
        (void)zip_unpack_start(member, 100, &out);
        if (out.size > 100)
            __builtin_trap();
        bytes_free(&out);
    }
}

/* A comment with an end record in it could hide the real one. */
static size_t honest_comment(const struct bytes *comment)
{
    for (size_t i = 0; i + 1 < comment->size; i++)
        if (comment->data[i] == 'P' && comment->data[i + 1] == 'K')
            return 0;
    return comment->size;
}

static bool copy(const struct zip *zip, struct diag *diag, struct bytes *out)
{
    struct zip_writer writer = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(zip->members) && status == STATUS_OK; i++)
        status = zip_copy(&writer, &zip->members[i], NULL, diag);
    if (status == STATUS_OK)
        status =
            zip_finish(&writer, zip->comment.data, honest_comment(&zip->comment), NULL, diag, out);
    zip_writer_free(&writer);
    return status == STATUS_OK;
}

static void compare(const struct zip *a, const struct zip *b)
{
    if (arrlenu(a->members) != arrlenu(b->members) ||
        honest_comment(&a->comment) != b->comment.size)
        __builtin_trap();
    for (size_t i = 0; i < arrlenu(a->members); i++) {
        const struct zip_member *x = &a->members[i], *y = &b->members[i];
        if (strcmp(x->name, y->name) != 0 || x->packed_size != y->packed_size ||
            x->size != y->size || x->crc != y->crc || x->comment.size != y->comment.size ||
            (x->packed_size && memcmp(x->packed, y->packed, x->packed_size) != 0))
            __builtin_trap();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct zip zip, again = {0};
    struct bytes out = {0};
    if (zip_read(data, size, NULL, diag, &zip) == STATUS_OK) {
        unpack(&zip, diag);
        if (copy(&zip, diag, &out)) {
            if (zip_read(out.data, out.size, NULL, diag, &again) != STATUS_OK)
                __builtin_trap();
            compare(&zip, &again);
        }
    } else if (diag_count_code(diag, DIAG_ZIP_DAMAGED) != 1) {
        __builtin_trap();
    }
    zip_free(&zip);
    zip_free(&again);
    bytes_free(&out);
    diag_free(diag);
    return 0;
}
