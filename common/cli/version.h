/* The version of the programs. */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

/* "0.1.0", or with the commit for one that is no release: "0.1.0-dev.522+gabc1234". */
extern const char program_version[];

/* The SHA-256 of the sources of the stages: what they were told and have made holds for programs
 * with the same one. */
extern const char program_code[];

#endif
