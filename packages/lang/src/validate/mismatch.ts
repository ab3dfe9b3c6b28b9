// Why a value is not of a type, and how that is said.

export interface Mismatch {
  /** From the value to the part that does not fit: `.kids[0].v`; empty for the value itself. */
  readonly path: string
  /** The type of that part, as a user would write it; `at least 1` where it is outside a limit. */
  readonly expected: string
  /** A preview of that part, at most 80 characters; of what encloses it where the part is missing. */
  readonly found: string
  /** A whole sentence about that part. */
  readonly reason: string
  /** It has the type, but is outside the limits of its field. */
  readonly isExcess?: true
}

/** One line for the detail of an error object. */
export const describeMismatch = ({ path, reason }: Mismatch, typeName?: string): string => {
  const text = path === '' ? reason : `at ${path}: ${reason}`
  return typeName === undefined ? text : `does not fit ${typeName}: ${text}`
}

/** What is said of a part, seen from one step further out. */
export const inField = <T extends { readonly path: string }>(said: T, key: string): T => ({
  ...said,
  path: `${fieldStep(key)}${said.path}`,
})

export const inItem = <T extends { readonly path: string }>(said: T, index: number): T => ({ ...said, path: `[${index}]${said.path}` })

export const fieldStep = (key: string): string => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`)
