/* Internal: what `brushwork info` gathers from a BSP before printing it. */
#ifndef BRUSHWORK_INSPECT_INFO_H
#define BRUSHWORK_INSPECT_INFO_H

#include <jansson.h>
#include <stdio.h>

#include "common/bsp/codec/format.h"
#include "common/text/entity_classes.h"

struct info {
    const char *path;
    struct container container;
    char title[128];       /* "VBSP 20" */
    const struct bsp *bsp; /* with only the lumps needed; NULL: an unsupported version */
    struct bsp_lump_info lumps[CONTAINER_LUMPS];
    const struct bsp_format *branch; /* whose limits are shown */
    int64_t *used;                   /* one per limit of the branch */
    size_t compressed_lumps;         /* number of compressed lumps */
    int64_t packed_files;            /* in the pakfile; -1: invalid */
    const char *entity_text;         /* NULL: not readable */
    size_t entity_size;
    struct entity_class *classes; /* stb_ds array, sorted by name */
    size_t entities;
    int clusters;          /* of the leaves */
    int visible_clusters;  /* of the visibility lump; 0: none */
    double visible_share;  /* average fraction of the clusters that a cluster sees */
    struct arena arena;    /* strings */
    struct bytes file;     /* if no bsp owns it */
    struct bytes unpacked; /* entities of an unsupported version */
};

void info_print(const struct info *info, FILE *out);
/* One object. The caller owns it. */
json_t *info_json(const struct info *info);

/* The id of a game lump as text: "sprp". */
static inline void info_id(uint32_t id, char text[5])
{
    for (int i = 0; i < 4; i++) {
        char c = (char)(id >> (24 - 8 * i));
        text[i] = c > ' ' && c < 127 ? c : '?';
    }
    text[4] = '\0';
}

#endif
