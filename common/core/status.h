/* Result of a fallible function. The values are also the exit statuses of the programs. */
#ifndef CORE_STATUS_H
#define CORE_STATUS_H

enum status {
    STATUS_OK = 0,
    STATUS_FAILED = 1,   /* bad input, or a file could not be read or written; reported to diag */
    STATUS_USAGE = 2,    /* bad command line */
    STATUS_LEAK = 3,     /* output written, but the map leaks */
    STATUS_INTERNAL = 4, /* an internal invariant was violated, or there is no memory */
    STATUS_BOUND = 5,    /* a bound of the run (--max-memory, --max-time) was reached */
};

#define NODISCARD __attribute__((warn_unused_result))

/* Returns a failure to the caller. */
#define TRY(expression)                                                                            \
    do {                                                                                           \
        enum status try_status_ = (expression);                                                    \
        if (try_status_ != STATUS_OK)                                                              \
            return try_status_;                                                                    \
    } while (0)

#endif
