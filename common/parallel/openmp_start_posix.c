/* for RTLD_NEXT and memfd_create */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include "common/parallel/openmp_start.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/core/stack.h"

/* LLVM's runtime, which is linked with gcc's code too, but missing in gcc's omp.h. */
void kmp_set_stacksize_s(size_t bytes);
size_t kmp_get_stacksize_s(void);

/* LLVM's runtime registers itself in shared memory by the number of the process, to find a second
 * copy of itself, and no setting keeps it from that. It aborts where it cannot make the file, it is
 * ended by SIGBUS where there is no room for its page (a container has 64 MB, which others may have
 * filled), and a process that is killed leaves the file behind, for which later ones of the same
 * number are aborted if it was cut short.
 *
 * In a program the definition of shm_open below comes before that of libc, and gives it memory that
 * nobody shares. In a shared library it does not, and one of a host that did would be a surprise.
 * There an older file is removed before the start, the new one as soon as it has been made, as it
 * tells nothing more, and a page that has no room is put in its place for the time of the start. */
#define REGISTRATION "__KMP_REGISTERED_LIB_"

__attribute__((visibility("default"))) int shm_open(const char *name, int flags, mode_t mode)
{
    typedef int opener(const char *name, int flags, mode_t mode);
    if (strncmp(name, "/" REGISTRATION, strlen("/" REGISTRATION)) == 0) {
        if (flags & O_CREAT)
            return memfd_create(name + 1, MFD_CLOEXEC);
        errno = ENOENT; /* at the end of the process: there is nothing to remove */
        return -1;
    }
    opener *of_libc;
    void *symbol = dlsym(RTLD_NEXT, "shm_open");
    memcpy(&of_libc, &symbol, sizeof of_libc);
    if (symbol)
        return of_libc(name, flags, mode);
    errno = ENOSYS;
    return -1;
}

/* Some releases have it in /tmp where there is no shared memory. */
static void forget_registration(void)
{
    char name[80];
    snprintf(name, sizeof name, "/tmp/" REGISTRATION "%d_%d", (int)getpid(), (int)getuid());
    (void)shm_unlink(name + strlen("/tmp"));
    (void)unlink(name);
}

static struct {
    pthread_t thread;
    uintptr_t page; /* its size */
    struct sigaction others;
} starting;

/* SIGBUS: gives the thread that starts the runtime a page of its own where a file has none. */
static void lend_page(int number, siginfo_t *info, void *context)
{
    unsigned char *page = info->si_addr;
    page -= (uintptr_t)page & (starting.page - 1);
    (void)context;
    if (!pthread_equal(pthread_self(), starting.thread) || info->si_code != BUS_ADRERR ||
        mmap(page, starting.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
             -1, 0) == MAP_FAILED)
        sigaction(number, &starting.others, NULL); /* the access is tried again, and theirs */
}

static void start_with_page(void)
{
    struct sigaction lends = {.sa_sigaction = lend_page, .sa_flags = SA_SIGINFO};
    sigset_t bus, before;
    starting.thread = pthread_self();
    starting.page = (uintptr_t)sysconf(_SC_PAGESIZE);
    sigemptyset(&bus);
    sigaddset(&bus, SIGBUS);
    sigaction(SIGBUS, &lends, &starting.others);
    pthread_sigmask(SIG_UNBLOCK, &bus, &before);
    (void)omp_get_max_threads();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGBUS, &starting.others, NULL);
}

/* The runtime takes the limit of the process's own stack for those of its threads. */
static void set_stacks(void)
{
    if (kmp_get_stacksize_s() < STACK_SIZE)
        kmp_set_stacksize_s(STACK_SIZE);
}

static void start(void)
{
    forget_registration();
    start_with_page();
    forget_registration();
    set_stacks();
}

void openmp_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, start);
}
