/* The priority of the process. */
#ifndef CLI_PRIORITY_H
#define CLI_PRIORITY_H

/* Takes the lowest one. A refusal of the system has no remedy, and is none of the user's concern.
 */
void priority_lower(void);

#endif
