// What can be expected to fail returns one of these; nothing throws for it.

import { type Code, type Fault, fault } from './error.js'

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Fault }

export const succeed = <T>(value: T): Result<T> => ({ ok: true, value })

export const fail = (
  code: Code,
  detail: string,
  extras?: Readonly<Record<string, unknown>>,
): { readonly ok: false; readonly error: Fault } => ({
  ok: false,
  error: fault(code, detail, extras),
})
