/* Checks that the tests use the BLAS and instruction set requested by the environment. */
#define _GNU_SOURCE /* dladdr */
#include "check.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <strings.h>

#include "mat/blas.h"

/* Asserts that the library in which the dynamic linker finds `symbol` has the text of a variable in its path. */
static void check_library(const char *symbol, const char *variable) {
    const char *wanted = getenv(variable);
    Dl_info at = {0};
    void *address = dlsym(RTLD_DEFAULT, symbol);
    if (!address || !dladdr(address, &at)) fail_msg("no library has %s", symbol);
    if (wanted && !strstr(at.dli_fname, wanted))
        fail_msg("%s is %s, but %s in %s", variable, wanted, symbol, at.dli_fname);
}

static void the_blas_is_the_one_asked_for(void **state) {
    (void)state;
    check_library("cblas_dgemm", "INCO_EXPECT_BLAS");
}

static void the_lapack_is_the_one_asked_for(void **state) {
    (void)state;
    check_library("dgetrf_", "INCO_EXPECT_LAPACK");
}

static void the_kernels_of_openblas_are_those_asked_for(void **state) {
    (void)state;
    const char *wanted = getenv("OPENBLAS_CORETYPE");
    char *(*corename)(void);
    *(void **)&corename = dlsym(RTLD_DEFAULT, "openblas_get_corename");
    if (wanted && corename && strcasecmp(corename(), wanted))
        fail_msg("OPENBLAS_CORETYPE is %s, but OpenBLAS takes %s", wanted, corename());
}

static void the_instruction_set_is_the_one_asked_for(void **state) {
    (void)state;
    const char *wanted = getenv("INCO_ISA");
    if (wanted) assert_string_equal(inco_isa(), wanted);
}

/* A factorisation, so that the linker keeps BLAS and LAPACK. */
static int use_libraries(void **state) {
    (void)state;
    inco_mat a = check_dictionary(INCO_F64, 4, 3, 1);
    double values[3];
    int status = lapack_singular_values(&a, values, NULL);
    inco_mat_free(&a);
    return status;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_blas_is_the_one_asked_for),
        cmocka_unit_test(the_lapack_is_the_one_asked_for),
        cmocka_unit_test(the_kernels_of_openblas_are_those_asked_for),
        cmocka_unit_test(the_instruction_set_is_the_one_asked_for),
    };
    return cmocka_run_group_tests(tests, use_libraries, NULL);
}
