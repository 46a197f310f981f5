/* Standard errors of path-traced luxels, and their file (docs/formats/error.md). */
#ifndef VRAD_REFERENCE_LUXEL_ERRORS_H
#define VRAD_REFERENCE_LUXEL_ERRORS_H

#include "common/core/bytes.h"
#include "vrad/luxels/luxel.h"

/* Of the mean of the channels of each luxel without bump maps, of 255. */
struct face_errors {
    uint32_t *paths; /* one per luxel; NULL: the face has no light */
    float *errors;   /* one per style of the face and luxel */
};

struct luxel_errors {
    struct face_errors *faces;
    int face_count;
};

/* Makes them for the styles that the faces have now. Free with luxel_errors_free. */
void luxel_errors_init(const struct luxel_map *map, struct luxel_errors *out);
void luxel_errors_free(struct luxel_errors *errors);

/* The errors of a face for other ranks; the reader fails where there are none for its shape. */
void luxel_errors_append_face(const struct luxel_errors *errors, const struct luxel_map *map,
                              int face, struct bytes *out);
void luxel_errors_read_face(struct luxel_errors *errors, const struct luxel_map *map, int face,
                            struct byte_reader *from);

/* Of all styles and luxels that have light of their own, relative to it or to a floor. */
struct error_summary {
    double mean, high, max; /* high: the 99th percentile */
    int64_t paths;
};
struct error_summary luxel_errors_sum(const struct luxel_errors *errors,
                                      const struct luxel_map *map);

/* Appends the file of the errors. */
void luxel_errors_write(const struct luxel_errors *errors, const struct luxel_map *map,
                        struct bytes *out);

#endif
