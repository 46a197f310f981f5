/* The program q3map2: the command lines of q3map2, run by vbsp, vvis, vrad and the verbs of
 * brushwork. */
#ifndef Q3MAP2_Q3MAP2_H
#define Q3MAP2_Q3MAP2_H

#include "common/cli/program.h"
#include "common/farm/farm.h"

program_main q3map2_program;

/* Those of its stages that other ranks do. */
extern const struct farm_stage q3map2_farm_stages[];

#endif
