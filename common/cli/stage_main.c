/* The main function of a program that the build names. */
#include "common/cli/program.h"

extern program_main BRUSHWORK_PROGRAM;

int main(int argc, char **argv)
{
    return BRUSHWORK_PROGRAM(argc, argv, NULL);
}
