/* A build keeps its finished stages in a file beside its output: the BSP, the portals and
 * the surface notes. It holds as long as all that was read is the same.
 *
 * vvis and vrad keep their own checkpoints within their stages. */
#ifndef BRUSHWORK_BUILD_CHECKPOINT_H
#define BRUSHWORK_BUILD_CHECKPOINT_H

#include "common/stage/stage.h"
#include "vbsp/files.h"

/* The last stage whose result is there. */
enum build_stage { BUILD_NOTHING, BUILD_COMPILED, BUILD_SEEN };

struct build_checkpoint {
    struct stage_session session; /* its key is of no use: that of the whole build is */
    const struct vbsp_job *job;
    struct resume_file stored;
    enum build_stage stage; /* of the result that is written */
};

/* Call it when all options are known, those of the map too. Session and job are set. */
void build_checkpoint_begin(struct build_checkpoint *checkpoint);

/* Returns the last finished stage of an earlier run, whose result the job then has. A file that
 * cannot be used is reported. */
enum build_stage build_checkpoint_resume(struct build_checkpoint *checkpoint, struct vbsp_job *job);

/* Writes the result of a stage, unless the build has taken little time so far. */
void build_checkpoint_keep(struct build_checkpoint *checkpoint, enum build_stage stage);

#endif
