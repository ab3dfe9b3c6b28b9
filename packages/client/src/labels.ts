// Labels of a spec (plumb-flows(7)) as types: what is untrusted or secret is opaque to the compiler until `reveal` takes the label off. At run
// time they are nothing: a value is the same with a label and without.

declare const UNTRUSTED: unique symbol
declare const SECRET: unique symbol

/** Somebody outside may have written it. */
export interface Untrusted<T> {
  readonly [UNTRUSTED]: T
}

/** It must not leave. */
export interface Secret<T> {
  readonly [SECRET]: T
}

export const untrusted = <T>(value: T): Untrusted<T> => value as unknown as Untrusted<T>
export const secret = <T>(value: T): Secret<T> => value as unknown as Secret<T>

/** The value itself: the outermost label is taken off. */
export const reveal = <T>(value: Untrusted<T> | Secret<T>): T => value as unknown as T
