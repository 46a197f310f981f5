#include "brushwork/verbs.h"
#include "common/cli/farm_start.h"

static int run(int argc, char **argv)
{
    return verb_table_run(&brushwork_verbs, argc, argv);
}

int main(int argc, char **argv)
{
    return farm_start(argc, argv, run, brushwork_farm_stages);
}
