#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/diag/diag_format.h"

/* A separator after each, so that "a" and "bc" are not "ab" and "c". */
static void hash_text(struct sha256 *hash, const char *text)
{
    sha256_add(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void hash_where(struct sha256 *hash, const struct diag_where *where)
{
    char numbers[96];
    struct diag_id ids[3];
    size_t count = diag_where_ids(where, ids);
    char *path = where->file ? diag_path(where->file) : NULL;
    hash_text(hash, path);
    memory_free(path);
    for (size_t i = 0; i < count; i++) {
        snprintf(numbers, sizeof numbers, "%s %d", ids[i].name, ids[i].id);
        hash_text(hash, numbers);
    }
    if (where->placed_by)
        hash_where(hash, where->placed_by);
}

struct diag_fingerprint diag_fingerprint(struct diag_writer *writer, const struct diag_entry *entry)
{
    struct sha256 hash;
    struct diag_fingerprint out;
    unsigned char sum[SHA256_SIZE];
    uint64_t key;
    sha256_begin(&hash);
    hash_text(&hash, diag_info(entry->code)->code);
    hash_text(&hash, entry->message);
    hash_where(&hash, &entry->where);
    struct sha256 rest = hash;
    sha256_end(&hash, sum);
    memcpy(&key, sum, sizeof key);
    int earlier = hmget(writer->seen, key);
    hmput(writer->seen, key, earlier + 1);
    if (earlier) {
        sha256_add(&rest, &earlier, sizeof earlier);
        sha256_end(&rest, sum);
    }
    sha256_text(sum, out.text);
    return out;
}
