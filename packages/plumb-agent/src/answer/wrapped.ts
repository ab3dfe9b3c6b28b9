// An output type that is not a record is sent as { "value": T }: the APIs require an object at the top of a schema.

import type { Type } from '@plumb/lang'
import { eachMember } from '@plumb/wire/json'

export const wrapperOf = (type: Type): Type => ({ kind: 'record', fields: [{ name: 'value', type, isOptional: false }] })

/** The value in JSON that fits `wrapperOf` some type, as it is written there. */
export const unwrapped = (json: string): string => {
  const buf = Buffer.from(json)
  let value = ''
  eachMember(buf, buf.indexOf('{'), (_keyStart, _keyEnd, start, end) => {
    value = buf.toString('utf8', start, end)
  })
  return value
}
