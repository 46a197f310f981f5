/* Inside brushwork: what `brushwork info` tells of a BSP, gathered before it is printed. */
#ifndef BRUSHWORK_INSPECT_INFO_H
#define BRUSHWORK_INSPECT_INFO_H

#include <stdio.h>

#include "common/bsp/codec/format.h"
#include "common/core/arena.h"

struct info_class {
    const char *name;
    size_t count;
};

struct info {
    const char *path;
    struct container container;
    char title[128];       /* "VBSP 20" */
    const struct bsp *bsp; /* only the lumps that are told of; NULL: an unknown version */
    struct bsp_lump_info lumps[CONTAINER_LUMPS];
    int64_t *used;           /* one a limit of the format */
    size_t packed_lumps;     /* compressed ones */
    int64_t packed_files;    /* in the pakfile; -1: it is no archive */
    const char *entity_text; /* NULL: not in the clear */
    size_t entity_size;
    struct info_class *classes; /* stb_ds array in order of names */
    size_t entities;
    int clusters;          /* of the leaves */
    int visible_clusters;  /* of the visibility; 0: there is none */
    double visible_of_all; /* mean share of the clusters that a cluster sees */
    struct arena arena;    /* strings */
    struct bytes file;     /* where no bsp holds it */
    struct bytes unpacked; /* entities of an unknown version */
};

/* Takes over the file's bytes. Free with info_free, also after a failure. */
NODISCARD enum status info_gather(struct info *info, struct bytes *file, const char *path,
                                  struct diag *diag);
void info_free(struct info *info);

void info_print(const struct info *info, FILE *out);
/* One object. The exit of a full disk is left to the caller's print_flush. */
void info_print_json(const struct info *info, FILE *out);

/* Percent of a limit. */
static inline double info_share(int64_t used, int64_t maximum)
{
    return 100.0 * (double)used / (double)maximum;
}

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
