/* The use of a BSP that is there already, as the options of the program say. */
#ifndef VBSP_SOURCE_UPDATE_UPDATE_OPTIONS_H
#define VBSP_SOURCE_UPDATE_UPDATE_OPTIONS_H

#include <stdbool.h>

struct update_options {
    bool only_ents, only_props; /* update it */
    bool keep_stale_zip;        /* keep its pakfile */
};

#endif
