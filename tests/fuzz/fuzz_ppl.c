/* Any bytes as a PPL: data that is read lies in the file, and is the same after writing and
 * reading. */
#include <stdint.h>
#include <string.h>

#include "common/core/array.h"
#include "tests/fuzz/fuzz_check.h"
#include "vrad/props/ppl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t size_of(const struct ppl_image *image)
{
    return PPL_PIXEL * (size_t)image->width * (size_t)image->height;
}

static void check_same(const struct ppl *ppl, const struct ppl *again)
{
    check(again->checksum == ppl->checksum && arrlen(again->images) == arrlen(ppl->images));
    for (size_t i = 0; i < arrlenu(ppl->images); i++) {
        const struct ppl_image *a = &ppl->images[i], *b = &again->images[i];
        check(a->lod == b->lod && a->width == b->width && a->height == b->height);
        check(memcmp(a->pixels, b->pixels, size_of(a)) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes file = {0}, copy = {0};
    struct ppl ppl, again;
    size_t all = 0;
    bytes_append(&file, data, size);
    if (ppl_decode(&file, &ppl)) {
        for (size_t i = 0; i < arrlenu(ppl.images); i++) {
            const struct ppl_image *image = &ppl.images[i];
            check(image->width > 0 && image->height > 0 && image->pixels >= file.data);
            check(image->pixels + size_of(image) <= file.data + file.size);
            all += size_of(image);
        }
        if (all < 1 << 20) {
            check(ppl_encode(&ppl, &copy));
            check(ppl_decode(&copy, &again));
            check_same(&ppl, &again);
            ppl_free(&again);
        }
        ppl_free(&ppl);
    } else {
        check(!ppl.images);
    }
    bytes_free(&copy);
    bytes_free(&file);
    return 0;
}
