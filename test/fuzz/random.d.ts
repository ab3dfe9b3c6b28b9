export interface Random {
    /** A whole number from 0 to `end` - 1. */
    below(end: number): number;
    pick<T>(list: readonly T[]): T;
    /** True once in `n` times. */
    oneIn(n: number): boolean;
}
export declare const makeRandom: (...seed: readonly (string | number)[]) => Random;
