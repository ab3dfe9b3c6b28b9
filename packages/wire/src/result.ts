// The result of a function that can be expected to fail; nothing throws for such failures.

import { type Code, type Fault, fault } from './error.js'

/** A value, or why there is none. */
export type Result<T, E = Fault> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E }

export const succeed = <T>(value: T): Result<T> => ({ ok: true, value })

export const fail = (
  code: Code,
  detail: string,
  extras?: Readonly<Record<string, unknown>>,
): { readonly ok: false; readonly error: Fault } => ({
  ok: false,
  error: fault(code, detail, extras),
})

/** Changes the value, if there is one. */
export const map = <T, U>(result: Result<T>, change: (value: T) => U): Result<U> => (result.ok ? succeed(change(result.value)) : result)

/** Goes on with the value, if there is one; may fail in turn. */
export const andThen = <T, U>(result: Result<T>, next: (value: T) => Result<U>): Result<U> => (result.ok ? next(result.value) : result)

/** Goes on with the error, if there is one. */
export const orElse = <T>(result: Result<T>, instead: (error: Fault) => Result<T>): Result<T> =>
  result.ok ? result : instead(result.error)
