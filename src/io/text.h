/* Text in UTF-8. */
#ifndef INCO_IO_TEXT_H
#define INCO_IO_TEXT_H

#include <stdint.h>

/* Decodes to code points; invalid UTF-8 becomes U+FFFD. `points` has strlen(text) entries. Returns their number. */
int64_t text_code_points(const char *text, uint32_t *points);

#endif
