// Failure, a type of the language: what a port `error` emits for a failed message (plumbing(5), Errors as data).

import type { Field, NamedType, Type } from './type.js'

const STRING: Type = { kind: 'string' }
const INT: Type = { kind: 'int' }
const JSON_VALUE: Type = { kind: 'json' }

const required = (name: string): Field => ({ name, type: STRING, isOptional: false })
const optional = (name: string, type: Type): Field => ({ name, type, isOptional: true })

/** A type of that name in the program takes precedence. */
export const FAILURE: NamedType = {
  kind: 'named',
  name: 'Failure',
  target: {
    kind: 'record',
    fields: [
      required('error'),
      required('category'),
      required('detail'),
      optional('seq', INT),
      optional('input', JSON_VALUE),
      optional('index', INT),
      optional('indexes', { kind: 'array', item: INT }),
      optional('earlier', { kind: 'array', item: JSON_VALUE }),
      optional('process', STRING),
    ],
  },
}

/** Its name: every process has one, unless it names another port so. */
export const ERROR_PORT = { name: 'error', type: FAILURE } as const

/** Types that every file knows by name, unless it declares one of that name itself. */
export const BUILT_IN_TYPES: ReadonlyMap<string, NamedType> = new Map([[FAILURE.name, FAILURE]])
