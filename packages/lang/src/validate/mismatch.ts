// Why a value does not have a type, and the message about it.

export interface Mismatch {
  /** The path to the mismatching part: `.kids[0].v`; empty for the value itself. */
  readonly path: string
  /** The expected type, as a user would write it; `at least 1` for a limit. */
  readonly expected: string
  /** A preview of that part, at most 80 characters; of the enclosing value if the part is missing. */
  readonly found: string
  /** A whole sentence about that part. */
  readonly reason: string
  /** It has the type, but is outside the limits of its field. */
  readonly isExcess?: true
  /** The part is a field that its record does not declare. */
  readonly isUnknownField?: true
}

/** One line for the detail of an error object. */
export const describeMismatch = ({ path, reason }: Mismatch, typeName?: string): string => {
  const text = path === '' ? reason : `at ${path}: ${reason}`
  return typeName === undefined ? text : `does not fit ${typeName}: ${text}`
}

/** The same for who can change the type, and not for a model, which cannot. */
export const describeToAuthor = (mismatch: Mismatch, typeName?: string): string =>
  `${describeMismatch(mismatch, typeName)}${mismatch.isUnknownField ? OPEN : ''}`

export const OPEN = "; to take other fields too, end the record type with '...'"

/** The same from the enclosing value. */
export const inField = <T extends { readonly path: string }>(said: T, key: string): T => ({
  ...said,
  path: `${fieldStep(key)}${said.path}`,
})

export const inItem = <T extends { readonly path: string }>(said: T, index: number): T => ({ ...said, path: `[${index}]${said.path}` })

export const fieldStep = (key: string): string => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`)
