/* The version of the programs. */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

/* "0.1.0", or with the commit for one that is no release: "0.1.0-dev.522+gabc1234". */
extern const char program_version[];

#endif
