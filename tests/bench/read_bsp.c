/* Measures the time to read a BSP, and to read its bytes: read_bsp FILE [RUNS]. Each line is the
 * best of the runs, in milliseconds. */
#include <stdio.h>
#include <stdlib.h>

#include "common/bsp/codec/format.h"
#include "common/core/clock.h"

/* Lumps that `brushwork info` needs of a VBSP. */
#define INFO_LUMPS                                                                                 \
    (UINT64_C(1) << LUMP_ENTITIES | UINT64_C(1) << LUMP_MODELS | UINT64_C(1) << LUMP_LEAFS |       \
     UINT64_C(1) << LUMP_VISIBILITY | UINT64_C(1) << LUMP_BRUSHES | UINT64_C(1) << LUMP_GAMELUMP)

struct times {
    double bytes, part, whole;
};

static double min(double a, double b)
{
    return a < b ? a : b;
}

static bool decode(struct bytes *file, uint64_t wanted, struct diag *diag, double *seconds)
{
    struct bsp *bsp = NULL;
    double begin = clock_seconds(CLOCK_MONOTONIC);
    enum status status = wanted == UINT64_MAX ? bsp_decode_file(file, "map", diag, &bsp)
                                              : bsp_decode_part(file, wanted, "map", diag, &bsp);
    *seconds = min(*seconds, clock_seconds(CLOCK_MONOTONIC) - begin);
    bsp_free(bsp);
    return status == STATUS_OK;
}

static bool run(const char *path, struct diag *diag, struct times *times)
{
    struct bytes file = {0}, copy = {0};
    double begin = clock_seconds(CLOCK_MONOTONIC);
    if (fs_load(fs_disk(), diag, path, &file) != STATUS_OK)
        return false;
    times->bytes = min(times->bytes, clock_seconds(CLOCK_MONOTONIC) - begin);
    bytes_append(&copy, file.data, file.size);
    return decode(&file, INFO_LUMPS, diag, &times->part) &&
           decode(&copy, UINT64_MAX, diag, &times->whole);
}

int main(int argc, char **argv)
{
    struct times times = {1e9, 1e9, 1e9};
    struct diag *diag = diag_new(NULL, NULL);
    int runs = argc > 2 ? atoi(argv[2]) : 5;
    bool fine = argc > 1;
    for (int i = 0; i < runs && fine; i++)
        fine = run(argv[1], diag, &times);
    if (!fine && diag_entries(diag))
        fprintf(stderr, "%s\n", diag_entry(diag, 0)->message);
    if (fine)
        printf("bytes %.2f ms, then what info needs %.2f ms, or everything %.2f ms\n",
               times.bytes * 1e3, times.part * 1e3, times.whole * 1e3);
    diag_free(diag);
    return fine ? 0 : 1;
}
