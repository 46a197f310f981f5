#include "common/parallel/openmp_start.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* LLVM's runtime registers itself in shared memory by the number of the process, to find a second
 * copy of itself. A process that is killed leaves its registration behind, and if that was cut
 * short, later processes of the same number (in containers most have) are aborted. So an older one
 * is removed, and our own as soon as it has been made: it tells nothing more. */
static void forget_registration(void)
{
    char name[80];
    snprintf(name, sizeof name, "/__KMP_REGISTERED_LIB_%d_%d", (int)getpid(), (int)getuid());
    (void)shm_unlink(name);
}

static void start(void)
{
    forget_registration();
    (void)omp_get_max_threads();
    forget_registration();
}

void openmp_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, start);
}
