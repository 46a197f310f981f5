/* Parts of a message for CI systems: paths and URIs of its files, and a fingerprint by which they
 * know it again. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/core/system_path.h"
#include "common/diag/diag_format.h"

char *diag_path(const char *path)
{
    char *folder = system_path_absolute("."), *whole = system_path_absolute(path);
    size_t length = strlen(folder);
    length -= folder[length - 1] == '/';
    const bool is_below = strlen(whole) > length + 1 && whole[length] == '/' &&
                          system_path_compare(whole, folder, length) == 0;
    char *out = str_copy(is_below ? whole + length + 1 : whole);
    memory_free(folder);
    memory_free(whole);
    return out;
}

char *diag_uri(const char *path)
{
    static const char digits[] = "0123456789ABCDEF";
    static const char scheme[] = "file://", scheme_of_drive[] = "file:///";
    char *clean = diag_path(path),
         *out = memory_zalloc(3 * strlen(clean) + sizeof scheme_of_drive, 1);
    char *to = out;
    const char *behind_drive = clean + system_path_drive(clean);
    if (system_path_is_absolute(clean))
        to += strlen(strcpy(out, *clean == '/' ? scheme : scheme_of_drive));
    for (const char *from = clean; *from; from++) {
        unsigned char c = (unsigned char)*from;
        if ((c < 0x80 && isalnum(c)) || strchr("-._~/", c) || (c == ':' && from < behind_drive)) {
            *to++ = (char)c;
        } else {
            *to++ = '%';
            *to++ = digits[c >> 4];
            *to++ = digits[c & 15];
        }
    }
    memory_free(clean);
    return out;
}

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
    struct diag_fingerprint out = {{0}};
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
