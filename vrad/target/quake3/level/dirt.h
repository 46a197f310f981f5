/* Dirt: ambient occlusion that maps are made for. */
#ifndef VRAD_QUAKE3_LEVEL_DIRT_H
#define VRAD_QUAKE3_LEVEL_DIRT_H

#include "vrad/encode/occlusion.h"
#include "vrad/target/quake3/level/dirt_options.h"

/* Of these parts of the light, bits of enum occlusion_part (0: all); strength 0 without -dirty. */
static inline struct occlusion_options quake3_dirt(const struct vrad_options *options,
                                                   unsigned parts)
{
    const struct dirt_options *dirt = options->quake3.dirt;
    return (struct occlusion_options){.strength = dirt->on ? dirt->scale : 0,
                                      .radius = dirt->depth,
                                      .gain = dirt->gain,
                                      .even = true,
                                      .ordered = dirt->mode == 0,
                                      .parts = parts};
}

#endif
