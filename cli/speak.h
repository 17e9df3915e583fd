/* The library names options as option 'gamma'; the program as --gamma. */
#ifndef INCO_CLI_SPEAK_H
#define INCO_CLI_SPEAK_H

/* Rewrites a text of the library's in place: option 'gamma' becomes --gamma, options 'dim' and 'atoms' become --dim and
 * --atoms, option 'init' = 'dct' becomes --init dct. */
void speak_options(char *text);

#endif
