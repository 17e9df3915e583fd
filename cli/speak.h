/* Names of options in messages: option 'gamma' in the library is --gamma in the program. */
#ifndef INCO_CLI_SPEAK_H
#define INCO_CLI_SPEAK_H

/* Rewrites a text of the library in place: option 'gamma' becomes --gamma, options 'dim' and 'atoms' become --dim and
 * --atoms, option 'init' = 'dct' becomes --init dct. */
void speak_options(char *text);

#endif
