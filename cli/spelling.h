/* The closest of some words, to suggest for a misspelt one. */
#ifndef INCO_CLI_SPELLING_H
#define INCO_CLI_SPELLING_H

typedef struct spelling_search {
    const char *word, *best;
    int distance;
} spelling_search;

spelling_search spelling_start(const char *word);
void spelling_try(spelling_search *search, const char *candidate);
/* The closest candidate, or NULL if none is close enough. */
const char *spelling_found(const spelling_search *search);

#endif
