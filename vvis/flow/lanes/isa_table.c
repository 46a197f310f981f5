#include "vvis/flow/lanes/isa_functions.h"
#include "vvis/graph/window_lanes.h"

#define ISA_TEXT_(suffix) #suffix
#define ISA_TEXT(suffix)  ISA_TEXT_(suffix)

extern const struct isa ISA(isa);

const struct isa ISA(isa) = {
    .name = ISA_TEXT(ISA_SUFFIX),
    .front_rows = ISA(front_rows),
    .face_row = ISA(face_row),
    .flood_portal = ISA(flood_portal),
    .line_walk = ISA(line_walk),
    .stab_guess = ISA(stab_guess),
    .flow_portal = ISA(flow_portal),
    .flow_cluster = ISA(flow_cluster),
    .flow_pair = ISA(flow_pair),
    .flow_clusters = ISA(flow_clusters),
    .window_clip = window_clip,
    .separators_build = separators_build,
    .separators_behind = separators_behind,
};
