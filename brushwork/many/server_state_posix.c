/* for memfd_create */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include "brushwork/many/server_state.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct cache_shared *server_state_map(int descriptor)
{
    struct stat info;
    /* Memory behind the end of a file is a signal. */
    if (fstat(descriptor, &info) != 0 || info.st_size != (off_t)sizeof(struct cache_shared))
        return NULL;
    void *memory =
        mmap(NULL, sizeof(struct cache_shared), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

struct cache_shared *server_state_new(int *descriptor)
{
    *descriptor = memfd_create("brushwork-cache", MFD_CLOEXEC);
    if (*descriptor < 0)
        return NULL;
    struct cache_shared *shared = NULL;
    if (ftruncate(*descriptor, (off_t)sizeof *shared) == 0)
        shared = server_state_map(*descriptor);
    if (!shared) {
        close(*descriptor);
        *descriptor = -1;
    }
    return shared;
}

void server_state_free(struct cache_shared *shared, int descriptor)
{
    if (shared)
        munmap(shared, sizeof *shared);
    if (descriptor >= 0)
        close(descriptor);
}
