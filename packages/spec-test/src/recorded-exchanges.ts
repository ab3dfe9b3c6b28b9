// Reads the calls of agents and tools, and the errors, from the record of a run.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Bound, bindingNamed, bindingsOf, type Program, toolOf } from '@plumb/lang'
import { isRecord } from '@plumb/wire'
import { needsDouble } from './doubles.js'

export interface Exchange {
  readonly input: string
  /** The result, or the code of its error. */
  readonly json?: string
  readonly code?: string
  /** Others of the same name were asked at the same time. */
  readonly isParallel: boolean
}

export interface Exchanges {
  /** By the names of agents, in the order in which they answered. */
  readonly models: ReadonlyMap<string, readonly Exchange[]>
  /** By the names of tools; calls by agents are left out, since their scripts make none. */
  readonly tools: ReadonlyMap<string, readonly Exchange[]>
  /** Codes of the errors of messages, in the order of their inputs. */
  readonly errors: readonly string[]
}

/** A longer test would not be read. */
const MAX_BYTES = 16 * 1024 * 1024
const MAX_DEPTH = 10

export const exchangesIn = (directory: string, program: Program): Exchanges => {
  const directories = [directory, ...directoriesBelow(directory)]
  const events = recordLines(join(directory, 'events.jsonl')).map(readObject)
  return {
    models: byName(withPlaces(directories.flatMap((each) => answersIn(each, program)))),
    tools: byName(directories.flatMap((each) => callsIn(each, program))),
    errors: errorsIn(events),
  }
}

export const readIfSmall = (path: string): string | undefined => {
  try {
    return statSync(path).size > MAX_BYTES ? undefined : readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

export const recordLines = (path: string): readonly string[] => (readIfSmall(path) ?? '').split('\n').filter((line) => line.trim() !== '')

/** Nested plumbs have records of their own. */
const directoriesBelow = (directory: string, depth = 0): readonly string[] => {
  if (depth >= MAX_DEPTH) return []
  try {
    const inside = readdirSync(directory, { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? [join(directory, e.name)] : []))
    return inside.flatMap((inner) => [inner, ...directoriesBelow(inner, depth + 1)])
  } catch {
    return []
  }
}

type Named = Exchange & { readonly name: string }

const byName = (all: readonly Named[]): ReadonlyMap<string, readonly Exchange[]> => {
  const found = new Map<string, Exchange[]>()
  for (const { name, ...exchange } of all) found.set(name, [...(found.get(name) ?? []), exchange])
  return found
}

const readObject = (line: string): Readonly<Record<string, unknown>> => {
  try {
    const read: unknown = JSON.parse(line)
    return isRecord(read) ? read : {}
  } catch {
    return {}
  }
}

interface Answered {
  readonly name: string
  /** The exchanges of the agent, in the record of one plumb. */
  readonly place: string
  readonly input: string
  readonly json?: string
  readonly code?: string
}

const answersIn = (directory: string, program: Program): readonly Answered[] =>
  recordLines(join(directory, 'answers.jsonl')).flatMap((line): Answered[] => {
    const { process, input, output, fault } = readObject(line)
    const name = typeof process === 'string' ? agentAt(process, program) : undefined
    if (name === undefined || typeof input !== 'string') return []
    const known = { name, place: join(directory, String(process)), input }
    if (typeof output === 'string') return [{ ...known, json: output }]
    const code = isRecord(fault) ? fault.error : undefined
    return typeof code === 'string' ? [{ ...known, code }] : []
  })

/** An agent at several places of the program is asked at all of them at once. */
const withPlaces = (answers: readonly Answered[]): readonly Named[] => {
  const places = new Map<string, Set<string>>()
  for (const { name, place } of answers) places.set(name, (places.get(name) ?? new Set()).add(place))
  return answers.map(({ place: _, ...answer }) => ({ ...answer, isParallel: (places.get(answer.name)?.size ?? 0) > 1 }))
}

const callsIn = (directory: string, program: Program): readonly Named[] =>
  recordLines(join(directory, 'events.jsonl')).flatMap((line): Named[] => {
    const { kind, process, call } = readObject(line)
    if (kind !== 'call' || typeof process !== 'string' || !isRecord(call) || typeof call.tool !== 'string') return []
    const name = agentAt(process, program) === undefined ? doubledTool(call.tool, program) : undefined
    if (name === undefined) return []
    const known = { name, input: JSON.stringify(call.input), isParallel: true }
    if (call.ok === true) return [{ ...known, json: JSON.stringify(call.result) }]
    const { error } = call
    const code = isRecord(error) ? error.error : error
    return typeof code === 'string' ? [{ ...known, code }] : []
  })

/** Its name in the spec. Undefined if a test calls the tool itself. */
const doubledTool = (tool: string, program: Program): string | undefined => {
  const named = bindingsOf(program).find(({ name, bound }) => (name === tool || bound.name === tool) && bound.binding.impl.kind === 'tool')
  return named && needsDouble(toolOf(named.bound)) ? named.name : undefined
}

// The place of an agent is its name, after those of the chains around it, with a number if there are several.
const agentAt = (place: string, program: Program): string | undefined => {
  const words = place.split('.').filter((word) => !/^\d+$/.test(word))
  const isAgent = (bound: Bound | undefined): boolean => bound?.binding.impl.kind === 'agent'
  return [words.slice(-1).join('.'), words.slice(-2).join('.')].find((name) => isAgent(bindingNamed(program, name)))
}

/** Malformed inputs and mismatches are not part of the test: they never reached a wire. */
const OF_INPUTS: ReadonlySet<string> = new Set(['input_type_mismatch', 'invalid_json'])

const errorsIn = (events: readonly Readonly<Record<string, unknown>>[]): readonly string[] =>
  events
    .flatMap(({ kind, fault, isHandled }) => {
      if (kind !== 'fault' || isHandled === true || !isRecord(fault) || typeof fault.error !== 'string') return []
      if (fault.process === undefined && OF_INPUTS.has(fault.error)) return []
      return [{ code: fault.error, seq: typeof fault.seq === 'number' ? fault.seq : Number.POSITIVE_INFINITY }]
    })
    .sort((a, b) => (a.seq === b.seq ? 0 : a.seq - b.seq))
    .map(({ code }) => code)
