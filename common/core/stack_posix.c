/* for MAP_STACK and pthread_setattr_default_np */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include "common/core/stack.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

/* makecontext passes numbers only. */
static struct {
    int (*call)(void *context);
    void *context;
    int result;
} made;

static bool is_small(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
           limit.rlim_cur < STACK_SIZE;
}

/* Of threads that do not ask for another size, those of libraries included. */
static void set_default(void)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return;
    if (pthread_attr_setstacksize(&attributes, STACK_SIZE) == 0)
        (void)pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

static void enter(void)
{
    made.result = made.call(made.context);
}

/* Below the stack is a page that nothing may touch. Its memory is taken page by page. */
static void *map_stack(size_t guard)
{
    unsigned char *stack = mmap(NULL, guard + STACK_SIZE, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED)
        return NULL;
    if (mprotect(stack + guard, STACK_SIZE, PROT_READ | PROT_WRITE) == 0)
        return stack + guard;
    munmap(stack, guard + STACK_SIZE);
    return NULL;
}

int stack_call(int (*call)(void *context), void *context)
{
    const size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    ucontext_t inside, outside;
    void *stack = is_small() ? map_stack(guard) : NULL;
    if (!stack || getcontext(&inside) != 0)
        return call(context);
    set_default();
    made.call = call;
    made.context = context;
    inside.uc_stack = (stack_t){.ss_sp = stack, .ss_size = STACK_SIZE};
    inside.uc_link = &outside;
    makecontext(&inside, enter, 0);
    if (swapcontext(&outside, &inside) != 0)
        return call(context);
    munmap((unsigned char *)stack - guard, guard + STACK_SIZE);
    return made.result;
}
