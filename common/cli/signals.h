/* Signals that ask a run to end: SIGINT, SIGTERM and SIGHUP.
 *
 * The first one sets a flag, so that the run ends by itself soon and keeps what it has made; the
 * process then ends by that signal. A SIGINT after it ends the process at once. SIGTERM and SIGHUP
 * do not: job managers send them to every process of a job, of which some hand them on, and have
 * SIGKILL for the end. A signal that the process was started without (nohup) stays without effect.
 *
 * On Windows they are Ctrl-C, Ctrl-Break and the end of the console or of the session. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <pthread.h>
#include <signal.h>

/* From here on they are caught. Returns the flag, which others may set too. */
volatile sig_atomic_t *signals_catch(void);

/* Called in the handler of a signal that ends the process at once: takes no lock and allocates
 * nothing. */
typedef void signals_act(int number);

/* From here on that is called before a second SIGINT ends the process; NULL: nothing is. */
void signals_before_end(signals_act *act);

/* The signal that was caught, or 0. */
int signals_number(void);

/* The name of the signal that was caught, "SIGINT", or NULL. */
const char *signals_caught(void);

/* Ends the process by the signal that was caught, if there was one. */
void signals_end(void);

/* From here on writes to closed pipes, and beyond the limit of a file's size, fail; they do not end
 * the process. */
void signals_of_output_ignore(void);

/* From here on abort() calls it in the thread that aborts; it ends the process. */
void signals_on_abort(signals_act *act);

/* pthread_create of a thread that gets no signals, which are for the one that works. */
int signals_other_thread(pthread_t *thread, void *(*run)(void *context), void *context);

#endif
