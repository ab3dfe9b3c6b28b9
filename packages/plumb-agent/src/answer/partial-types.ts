// What the type says of an answer that is still coming.

import { type Field, resolve, type Type, variantsOf } from '@plumb/lang'

/** How a value of the type may begin; undefined: nothing of it is shown before it is whole. */
export const STARTS: { readonly [Kind in Type['kind']]?: string } = {
  record: '{',
  map: '{',
  array: '[',
  tuple: '[',
  json: '{["',
  sum: '{["',
}

/** Whether a value that begins so may be of the type. */
export const takes = (type: Type, c: string): boolean => {
  switch (type.kind) {
    case 'record':
    case 'map':
      return c === '{'
    case 'array':
    case 'tuple':
      return c === '['
    case 'string':
      return c === '"' || c === "'"
    case 'int':
    case 'number':
    case 'bool':
    case 'unit':
      return /[-\dtfn]/.test(c)
    default:
      return true
  }
}

export const takesNull = (type: Type): boolean => {
  const t = resolve(type)
  if (t.kind === 'sum') return variantsOf(t).some(takesNull)
  return t.kind === 'unit' || t.kind === 'json'
}

/** What is added to a record at its end. */
export const defaultsFor = ({ fields }: { readonly fields: readonly Field[] }, given: ReadonlySet<string>, count: number): string => {
  const absent = fields.filter(({ name, default: byDefault }) => byDefault !== undefined && !given.has(name))
  const text = absent.map(({ name, default: byDefault }) => `${JSON.stringify(name)}:${byDefault}`).join(',')
  return text === '' || count === 0 ? text : `,${text}`
}
