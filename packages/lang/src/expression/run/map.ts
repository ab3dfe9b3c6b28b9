// Maps: JSON text whose keys and values are only moved. Of equal keys the last value counts, in the position of the first.

import { eachMember } from '@plumb/wire/json'
import { expectObject, expectString } from './coerce.js'
import type { Site } from './failure.js'
import { eachOf } from './list.js'
import { fieldIn, keyOf, membersOf, type RuntimeValue, Slice, stringAt } from './slice.js'
import { takeSteps } from './steps.js'
import { listOf, writeRecord } from './write.js'

interface Member {
  readonly key: Slice
  readonly value: Slice
}

const entriesOf = ({ buf, start }: Slice): Member[] => {
  const members = new Map<string, Member>()
  eachMember(buf, start, (keyStart, keyEnd, start, end) => {
    const text = stringAt(buf, keyStart, keyEnd)
    // With its quotes.
    const key = members.get(text)?.key ?? new Slice(buf, keyStart - 1, keyEnd + 1)
    members.set(text, { key, value: new Slice(buf, start, end) })
  })
  takeSteps(members.size)
  return [...members.values()]
}

export const keys = (map: Slice): Slice => listOf(entriesOf(map).map(({ key }) => key))

export const values = (map: Slice): Slice => {
  const members = membersOf(map)
  takeSteps(members.size)
  return listOf([...members.values()])
}

export const entries = (map: Slice): Slice =>
  listOf(
    entriesOf(map).map(({ key, value }) =>
      writeRecord(
        new Map([
          ['key', key],
          ['value', value],
        ]),
      ),
    ),
  )

const KEY = keyOf('key')
const VALUE = keyOf('value')

export const mapOf = (list: Slice, site: Site): Slice => {
  const fields = new Map<string, RuntimeValue>()
  eachOf(list, (item) => {
    const entry = expectObject(item, site)
    fields.set(expectString(fieldIn(entry, KEY, site), site), fieldIn(entry, VALUE, site))
  })
  return writeRecord(fields)
}

/** Without a key, which need not be there. */
export const without = (map: Slice, key: string): Slice => {
  const members = membersOf(map)
  takeSteps(members.size)
  members.delete(key)
  return writeRecord(members)
}

/** The fields of a record without some of them, or of these alone. */
export const omit = (record: Slice, ...names: (string | Site)[]): Slice => {
  const members = membersOf(record)
  for (const name of names.slice(0, -1)) members.delete(name)
  return writeRecord(members)
}

export const pick = (record: Slice, ...names: (string | Site)[]): Slice => {
  const wanted = new Set(names.slice(0, -1))
  return writeRecord(new Map([...membersOf(record)].filter(([name]) => wanted.has(name))))
}
