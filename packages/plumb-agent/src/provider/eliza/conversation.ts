// What a session knows between two inputs, and its form outside of the process.
import { fail, isRecord, type Result, succeed } from '@plumb/wire'
import type { ElizaScript } from './rule.js'

export interface ElizaConversation {
  /** Counts inputs 1 to 4 round; only at 4 a memory is used. */
  limit: number
  /** The oldest first. */
  memories: string[]
  /** By keyword: the place of the next reassembly, from 0, of each decomposition. No entry: all are at the first. */
  next: Map<string, number[]>
}

/** The same as plain JSON. */
export interface ElizaState {
  readonly limit: number
  readonly memories: readonly string[]
  readonly next: Readonly<Record<string, readonly number[]>>
}

export const writeState = ({ limit, memories, next }: ElizaConversation): ElizaState => ({
  limit,
  memories: [...memories],
  next: Object.fromEntries([...next].filter(([, row]) => row.some((place) => place > 0)).map(([keyword, row]) => [keyword, [...row]])),
})

/** Fails when it is not a state, or one of another script. */
export const readState = (state: unknown, script: ElizaScript): Result<ElizaConversation> => {
  if (!isRecord(state)) return malformed('it is not an object')
  const { limit, memories, next, ...others } = state
  if (Object.keys(others).length > 0) return malformed("it has other fields than 'limit', 'memories' and 'next'")
  if (!isIntegerBelow(5, limit) || limit === 0) return malformed("'limit' is not 1, 2, 3 or 4")
  if (!isListOfStrings(memories)) return malformed("'memories' is not a list of strings")
  const places = isRecord(next) ? readPlaces(next, script) : undefined
  if (!places) return malformed("'next' does not fit the script; take the state from a session with the same script")
  return succeed({ limit, memories: [...memories], next: places })
}

const readPlaces = (next: Readonly<Record<string, unknown>>, script: ElizaScript): Map<string, number[]> | undefined => {
  const places = new Map<string, number[]>()
  for (const [keyword, row] of Object.entries(next)) {
    const decompositions = (keyword === 'NONE' ? script.none : script.rules.get(keyword))?.decompositions
    if (!decompositions || !Array.isArray(row) || row.length !== decompositions.length) return undefined
    if (!row.every((place, i) => isIntegerBelow(decompositions[i]?.reassemblies.length ?? 0, place))) return undefined
    places.set(keyword, [...row])
  }
  return places
}

const malformed = (why: string): Result<never> => fail('input_type_mismatch', `cannot go on from this ELIZA state: ${why}`)

const isIntegerBelow = (end: number, value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < end

const isListOfStrings = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
