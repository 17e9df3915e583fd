/* The closest of some words, to suggest for a misspelt one. */
#ifndef INCO_CLI_NEAR_H
#define INCO_CLI_NEAR_H

typedef struct near_search {
    const char *word, *best;
    int distance;
} near_search;

near_search near_start(const char *word);
void near_try(near_search *search, const char *candidate);
/* The closest candidate, or NULL if none is close enough. */
const char *near_found(const near_search *search);

#endif
