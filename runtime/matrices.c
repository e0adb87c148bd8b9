/* Lets a process use the registers that hold matrices: Linux keeps them only for processes that have asked.

   It is linked into an artifact if its code uses such registers. The header of the architecture stands in front of it. */

/* 0 if the registers can be used. All threads of the process may use them from then on. */
__attribute__((weak, visibility("hidden"))) int32_t mlc_prepare_matrices(void) {
    static _Atomic int32_t is_prepared; /* threads that find it unset together ask twice, which does no harm */
    if (!is_prepared) {
        if (prepare_matrices() != 0) return -2;
        is_prepared = 1;
    }
    return 0;
}
