/* The checkpoint of a lighting run: a file that is written between phases, and extended within them
 * with the items of loops that are finished (common/farm/loop_journal.h) when the run has one rank.
 *
 * The lighting of an engine calls light_checkpoint_begin when its luxels are laid out, and
 * light_checkpoint_end at the end of each phase. All accept NULL: nothing is stored. */
#ifndef VRAD_RESUME_LIGHT_CHECKPOINT_H
#define VRAD_RESUME_LIGHT_CHECKPOINT_H

#include "vrad/resume/light_state.h"
#include "vrad/vrad.h"

struct light_checkpoint;

/* Borrows the session of the run, which names no file on ranks other than 0. NULL with one rank and
 * without a file. With more, rank 0 writes the file, and all of them begin with what rank 0 reads.
 */
struct light_checkpoint *light_checkpoint_new(const struct stage_run *run, struct ranks *ranks);
void light_checkpoint_free(struct light_checkpoint *checkpoint);

/* For env.journal of the run; NULL: it has none. */
struct loop_journal *light_checkpoint_journal(struct light_checkpoint *checkpoint);

/* Collective. Returns how far an earlier run came, whose results the BSP then has; zeros: start
 * over. A file that cannot be used is reported (CHECKPOINT_ABSENT, _OTHER, _DAMAGED). */
struct light_progress light_checkpoint_begin(struct light_checkpoint *checkpoint,
                                             light_parts_of *parts_of, const struct luxel_map *map,
                                             struct bsp *bsp);

/* Puts the hits of the earlier run into a new cache: before its luxels are taken. */
void light_checkpoint_take_hits(const struct light_checkpoint *checkpoint,
                                const struct luxel_map *map, struct ray_hit_cache *cache);

/* Puts the luxels of the earlier run into the map: after luxel_map_clear. */
void light_checkpoint_take_luxels(struct light_checkpoint *checkpoint, struct luxel_map *map);

/* After a phase: writes the state when it is time. */
void light_checkpoint_poll(struct light_checkpoint *checkpoint, const struct light_state *state,
                           const struct luxel_map *map, const struct bsp *bsp);

/* The run is asked to stop within a phase: stores what has been done, unless that is little. With
 * other ranks it is the state before the phase. */
void light_checkpoint_stop(struct light_checkpoint *checkpoint, const struct light_state *state,
                           const struct luxel_map *map, const struct bsp *bsp);

#endif
