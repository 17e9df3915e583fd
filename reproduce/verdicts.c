/* The verdicts, as JSON and as a table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/help.h"
#include "cli/outputs.h"
#include "reproduce.h"

const char *claims_verdict(verdict v) {
    return v == HOLDS ? "holds" : v == PARTLY ? "partly" : "fails";
}

void claims_write(json *j, const claim *claims) {
    json_array(j, "claims");
    for (int i = 0; i < CLAIMS; i++) {
        json_object(j, NULL);
        json_text(j, "id", claims[i].id);
        json_text(j, "claim", claims[i].text);
        json_text(j, "measured", claims[i].measured);
        json_text(j, "verdict", claims_verdict(claims[i].verdict));
        json_end_object(j);
    }
    json_end_array(j);
}

int claims_save(const experiment *e, const claim *claims) {
    run *r = e->run;
    char *text = NULL, *path = reproduce_path(e, -1, "claims", ".json");
    size_t size = 0;
    json j = {.out = open_memstream(&text, &size)};
    int status = INCO_OK, failed;
    if (!j.out || !path) TRY(run_no_memory(r));
    json_object(&j, NULL);
    json_integer(&j, "schema", 1);
    claims_write(&j, claims);
    json_end_object(&j);
    fputc('\n', j.out);
    failed = fclose(j.out);
    j.out = NULL;
    if (failed) TRY(run_no_memory(r));
    TRY(outputs_write(r, path, text, size));
done:
    if (j.out) fclose(j.out);
    free(text);
    free(path);
    return status;
}

enum { MARGIN = 12, WIDTH = 118 };

void claims_print(const claim *claims) {
    for (int i = 0; i < CLAIMS; i++) {
        help_wrap(claims[i].text, MARGIN, printf("%-5s%-7s", claims[i].id, claims_verdict(claims[i].verdict)), WIDTH);
        help_wrap(claims[i].measured, MARGIN, 0, WIDTH);
    }
}
