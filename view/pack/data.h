/* The data of a page, as view/page/data.js reads it: the length of the head (32 bits,
 * little-endian), the head as JSON, streams and images, all deflated as one.
 *
 * A page of two builds has the second in head.before: a head with streams of its own, and the
 * images of the first.
 *
 * A stream is an array of records of the same size. Its bytes are stored by their place in the
 * record, each as the difference to the same byte of the record before: vertices and luxels become
 * a third smaller. */
#ifndef VIEW_PACK_DATA_H
#define VIEW_PACK_DATA_H

#include <jansson.h>

#include "common/core/bytes.h"

struct view_data {
    json_t *root;                    /* the first head */
    json_t *head, *streams, *images; /* of the map that is added now: in the root */
    struct bytes body;
};

void view_data_open(struct view_data *data);
void view_data_free(struct view_data *data);

/* Begins the build before: what is added from now on is its own, except for images. */
void view_data_before(struct view_data *data);

/* Adds a stream; head.streams[name] becomes its place, size and record size. A part of a record at
 * the end is dropped. */
void view_data_stream(struct view_data *data, const char *name, const struct bytes *records,
                      size_t record);
/* Adds an encoded image, unless it is there already, and returns its number in head.images. */
int view_data_image(struct view_data *data, const struct bytes *image, const char *type);

/* Appends the deflated data. */
void view_data_close(const struct view_data *data, int threads, struct bytes *out);

/* Numbers of `count` floats as a JSON array; what is not finite becomes 0. */
json_t *view_numbers(const double *values, size_t count);

#endif
