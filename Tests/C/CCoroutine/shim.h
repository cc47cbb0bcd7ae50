// Coroutines for Swift, which cannot import makecontext(3), whose function takes any number of ints, or setjmp(3),
// which returns twice.
#ifndef GITSPACE_CCOROUTINE_SHIM_H
#define GITSPACE_CCOROUTINE_SHIM_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/// A function with its own stack, and the caller that resumes it.
///
/// Switches without swapcontext(3), each call of which asks the kernel for the signal mask.
struct gitspace_coroutine {
    jmp_buf inside, outside;
    void (*body)(void *);
    void *argument;
};

static inline void gitspace_coroutine_main(unsigned high, unsigned low) {
    struct gitspace_coroutine *coroutine =
        (struct gitspace_coroutine *)(uintptr_t)((uint64_t)high << 32 | low);
    if (!_setjmp(coroutine->inside)) _longjmp(coroutine->outside, 1);
    coroutine->body(coroutine->argument);
}

/// Prepares a coroutine; its body must never return.
static inline void gitspace_coroutine_make(
    struct gitspace_coroutine *coroutine, void *stack, size_t size, void (*body)(void *), void *argument) {
    uint64_t address = (uint64_t)(uintptr_t)coroutine;
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = stack;
    context.uc_stack.ss_size = size;
    context.uc_link = NULL;
    coroutine->body = body;
    coroutine->argument = argument;
    makecontext(&context, (void (*)(void))gitspace_coroutine_main, 2, (unsigned)(address >> 32), (unsigned)address);
    if (!_setjmp(coroutine->outside)) setcontext(&context);
}

static inline void gitspace_coroutine_resume(struct gitspace_coroutine *coroutine) {
    if (!_setjmp(coroutine->outside)) _longjmp(coroutine->inside, 1);
}

static inline void gitspace_coroutine_suspend(struct gitspace_coroutine *coroutine) {
    if (!_setjmp(coroutine->inside)) _longjmp(coroutine->outside, 1);
}

#endif
