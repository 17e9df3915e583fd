# Loops for scripts/stackloops: those whose names begin with "bad" pass vectors through the stack in pieces.
    .text

# As gcc 12 copies an array of two vectors: the stores go through a pointer to the frame.
bad_pointer:
    push %rbp
    mov %rsp, %rbp
    and $-32, %rsp
    sub $8, %rsp
    lea -0x78(%rsp), %rsi
1:  vmovdqu (%rax), %xmm4
    vmovdqu 0x10(%rax), %xmm5
    add $0x20, %rax
    vmovdqa %xmm4, (%rsi)
    vmovdqa %xmm5, 0x10(%rsi)
    vmovapd -0x78(%rsp), %ymm7
    vaddpd %ymm7, %ymm0, %ymm0
    cmp %r10, %rax
    jne 1b
    leave
    ret

# Lanes stored one by one, loaded as a vector in the next iteration.
bad_next_iteration:
    sub $0x38, %rsp
2:  addps (%rsp), %xmm0
    movss %xmm1, (%rsp)
    movss %xmm2, 4(%rsp)
    movsd %xmm3, 8(%rsp)
    dec %rcx
    jne 2b
    add $0x38, %rsp
    ret

# A piece that one branch alone stores.
bad_branch:
    sub $0x48, %rsp
3:  vmovaps %ymm1, 0x8(%rsp)
    test %rdx, %rdx
    je 4f
    mov %rdx, 0x10(%rsp)
4:  vmulps 0x8(%rsp), %ymm2, %ymm3
    dec %rcx
    jne 3b
    add $0x48, %rsp
    ret

# Vectors stored and loaded as a whole: spills. A whole store replaces what pieces had written.
spill:
    push %rbx
    sub $0x40, %rsp
5:  vmovaps %ymm1, 0x20(%rsp)
    vmulps (%rax), %ymm2, %ymm1
    vaddps 0x20(%rsp), %ymm1, %ymm2
    vmovsd %xmm1, (%rsp)
    vmovaps %xmm4, (%rsp)
    vmovaps (%rsp), %xmm5
    dec %rcx
    jne 5b
    add $0x40, %rsp
    pop %rbx
    ret

# No loop; other bytes; loads narrower than the store; a broadcast.
good:
    sub $0x88, %rsp
    vmovaps %xmm1, (%rsp)
    vmovaps %xmm2, 0x10(%rsp)
    vmovaps (%rsp), %ymm3
6:  vmovaps %xmm1, 0x40(%rsp)
    vaddps (%rsp), %ymm3, %ymm3
    vmovaps %xmm4, 0x60(%rsp)
    vmovsd 0x60(%rsp), %xmm6
    vmovss %xmm6, 0x70(%rsp)
    vbroadcastss 0x70(%rsp), %ymm7
    dec %rcx
    jne 6b
    add $0x88, %rsp
    ret
    .section .note.GNU-stack, "", @progbits
