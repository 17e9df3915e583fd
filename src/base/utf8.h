/* Characters in UTF-8. */
#ifndef INCO_BASE_UTF8_H
#define INCO_BASE_UTF8_H

#include <stddef.h>

/* Length of the character at s; 0 if it is invalid, including overlong forms, surrogates and values above U+10FFFF. */
size_t utf8_length(const unsigned char *s);

#endif
