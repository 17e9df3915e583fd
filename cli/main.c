/* inco: the program. */
#include "commands.h"
#include "fast_blas.h"
#include "program.h"

#define ADDRESS(name) &name##_command,
static const command *const table[] = {COMMANDS(ADDRESS)};
enum { COUNT = sizeof table / sizeof *table };

const command *commands_at(int i) {
    return i >= 0 && i < COUNT ? table[i] : NULL;
}

const char *commands_program(void) {
    return "inco";
}

int main(int argc, char **argv) {
    int code;
    use_fast_blas(argv);
    return program_tells(argc, argv, &code) ? code : program_run(argc, argv, NULL);
}
