/* A thread that calls a function after a time: for logs, which would be silent during a long phase,
 * and for the bound of a run's time. */
#ifndef CLI_HEARTBEAT_H
#define CLI_HEARTBEAT_H

struct heartbeat;

/* Returns the seconds until it is to be called again. */
typedef double heartbeat_call(void *context);

/* Returns NULL when there is no thread to have. */
struct heartbeat *heartbeat_start(double seconds, heartbeat_call *call, void *context);
/* Waits for a call that runs; the caller holds no lock that it takes. NULL is fine. */
void heartbeat_stop(struct heartbeat *heartbeat);

#endif
