// The functions of maps, and of records treated as maps.

import { unite } from '../../types/join.js'
import { isJson, objectsOf } from '../../types/kind.js'
import { JSON_TYPE, STRING, type Type } from '../../types/type.js'
import { variantsOf } from '../../types/variants.js'
import { fieldsOf } from '../infer/fields.js'
import { type FunctionRow, itemTypeOf } from './list-function.js'
import * as map from './map.js'

/** Of the values of a map or a record, or of a value that may turn out to be one. */
const valueTypeOf = (type: Type | undefined): Type => {
  if (!type || isJson(type)) return JSON_TYPE
  const objects = objectsOf(type) ?? []
  return unite(objects.flatMap((object) => (object.kind === 'map' ? [object.item] : object.fields.map((field) => field.type))))
}

const entryOf = (value: Type): Type => ({
  kind: 'record',
  fields: [
    { name: 'key', type: STRING, isOptional: false },
    { name: 'value', type: value, isOptional: false },
  ],
})

const valueOfEntry = (entry: Type): Type => (variantsOf(entry).length === 0 ? entry : (fieldsOf(entry)?.get('value')?.type ?? JSON_TYPE))

// biome-ignore format: a table
export const mapFunctions = (): readonly FunctionRow[] => [
  { usage: 'keys(m)', text: 'The keys of a map or a record, in their order.', takes: ['object'], gives: { kind: 'array', item: STRING }, run: map.keys, result: 'moved' },
  { usage: 'values(m)', text: 'The values of a map or a record, in the order of its keys.', takes: ['object'], gives: ([type]) => ({ kind: 'array', item: valueTypeOf(type) }), run: map.values, result: 'moved' },
  { usage: 'entries(m)', text: 'The keys and values of a map or a record: a list of { key, value }.', takes: ['object'], gives: ([type]) => ({ kind: 'array', item: entryOf(valueTypeOf(type)) }), run: map.entries, result: 'moved' },
  { usage: 'map_of(entries)', text: 'The map of a list of { key, value }; of equal keys the last.', takes: ['entries'], gives: ([type]) => ({ kind: 'map', item: valueOfEntry(itemTypeOf(type)) }), run: map.mapOf, result: 'moved' },
]
