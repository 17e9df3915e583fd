/* Which kernels this CPU can run. */
#ifndef INCO_BASE_ISA_H
#define INCO_BASE_ISA_H

typedef enum isa_level { ISA_BASE, ISA_AVX2, ISA_AVX512, ISA_LEVELS } isa_level;

isa_level isa_best(void); /* of this CPU */

/* The best level, or the one that INCO_ISA names (sse2, avx2, avx512) when the CPU has it. */
isa_level isa_detect(void);

#endif
