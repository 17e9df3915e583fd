/* Instruction set of the kernels. */
#ifndef INCO_BASE_ISA_H
#define INCO_BASE_ISA_H

typedef enum isa_level { ISA_BASE, ISA_AVX2, ISA_AVX512, ISA_LEVELS } isa_level;

isa_level isa_best(void); /* of this CPU */

/* Returns the best level of this CPU, or the one named by INCO_ISA (sse2, avx2, avx512) if the CPU supports it. */
isa_level isa_detect(void);

#endif
