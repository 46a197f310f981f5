/* The main function of a program that the build names. */
#include "common/cli/farm_start.h"
#include "common/cli/program.h"

extern program_main BRUSHWORK_PROGRAM;

/* Those that other ranks do. */
extern const struct farm_stage BRUSHWORK_STAGES[];

static int run(int argc, char **argv)
{
    return BRUSHWORK_PROGRAM(argc, argv, NULL);
}

int main(int argc, char **argv)
{
    return farm_start(argc, argv, run, BRUSHWORK_STAGES);
}
