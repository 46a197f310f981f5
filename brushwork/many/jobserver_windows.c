#include <windows.h>

#include "brushwork/many/child.h"
#include "brushwork/many/jobserver.h"

static struct {
    HANDLE semaphore; /* NULL: none */
    volatile LONG held;
} server;

/* Make gives its semaphore a name of ASCII. */
bool jobserver_connect(const char *value)
{
    server.semaphore = OpenSemaphoreA(SYNCHRONIZE | SEMAPHORE_MODIFY_STATE, FALSE, value);
    return server.semaphore != NULL;
}

void jobserver_close(void)
{
    jobserver_give_all();
    if (server.semaphore)
        CloseHandle(server.semaphore);
    server.semaphore = NULL;
}

bool jobserver_take(void)
{
    if (!server.semaphore || server.held >= CHILDREN_MAX ||
        WaitForSingleObject(server.semaphore, 0) != WAIT_OBJECT_0)
        return false;
    InterlockedIncrement(&server.held);
    return true;
}

void jobserver_give(void)
{
    if (server.held <= 0)
        return;
    InterlockedDecrement(&server.held);
    ReleaseSemaphore(server.semaphore, 1, NULL);
}

/* Handlers run in a thread of their own: what is given back here is not given twice. */
void jobserver_give_all(void)
{
    const LONG held = InterlockedExchange(&server.held, 0);
    if (held > 0)
        ReleaseSemaphore(server.semaphore, held, NULL);
}

/* Waiting for a semaphore would take one. */
int jobserver_descriptor(void)
{
    return -1;
}
