/* Text in UTF-8. */
#ifndef INCO_IO_TEXT_H
#define INCO_IO_TEXT_H

#include <stdint.h>

/* Decodes to code points; what is no UTF-8 becomes U+FFFD. `points` has room for strlen(text). Returns how many. */
int64_t text_code_points(const char *text, uint32_t *points);

#endif
