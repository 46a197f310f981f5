/* Memory of the ray library, which is C++. */
#ifndef TRACE_FAILING_NEW_H
#define TRACE_FAILING_NEW_H

/* Has `handler` called, which must not return, when `new` gets no memory. Where that fails in the
 * wrong place, the process is aborted. */
void failing_new_ends(void (*handler)(void));

#endif
