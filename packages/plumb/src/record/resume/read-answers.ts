// Reads DIR/answers.jsonl, and sorts the answers by agent: of those that do not keep their own requests: programs,
// agents elsewhere, and tools that `map` calls.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentOf, type Graph } from '@plumb/lang'
import { checkJson, type Fault, fail, fault, isAbsent, isFault, type Result, succeed, systemReason } from '@plumb/wire'
import { placesOf } from '../../event/wires.js'
import { ANSWERS_FILE } from '../folder.js'
import { type AnswerLine, RecordedAnswers } from './answers.js'

/** By the places of such agents. A damaged line is ignored, so that its input is asked again; a run that was killed at once has no file. */
export const readAnswers = (
  folder: string,
  graph: Graph,
  agentProgram: string | undefined,
): Result<ReadonlyMap<string, RecordedAnswers>> => {
  const agents = answeringElsewhere(graph, agentProgram)
  if (agents.size === 0) return succeed(new Map())
  const path = join(folder, ANSWERS_FILE)
  try {
    return succeed(sortByAgent(isAbsent(path) ? [] : linesIn(readFileSync(path, 'utf8')), agents))
  } catch (error) {
    return fail('record_invalid', `cannot read '${path}': ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}

/**
 * Leaves in DIR/answers.jsonl what such agents answered: the others are asked again, and answer from
 * what they keep. `write_failed`, and the file as it was, where that cannot be written.
 */
export const keepAnswersOf = (folder: string, places: ReadonlySet<string>): Fault | undefined => {
  const [path, fresh] = [join(folder, ANSWERS_FILE), join(folder, `${ANSWERS_FILE}.new`)]
  try {
    const lines = places.size > 0 && !isAbsent(path) ? linesIn(readFileSync(path, 'utf8')) : []
    const kept = lines.filter(({ process }) => places.has(process)).map((line) => `${JSON.stringify(line)}\n`)
    writeFileSync(fresh, kept.join(''))
    renameSync(fresh, path)
    return undefined
  } catch (error) {
    rmSync(fresh, { force: true })
    return fault('write_failed', `cannot write to '${path}': ${systemReason(error as NodeJS.ErrnoException)}`, { path })
  }
}

/** By place, whether it is amnesiac. */
const answeringElsewhere = (graph: Graph, agentProgram: string | undefined): ReadonlyMap<string, boolean> =>
  new Map(
    [...placesOf(graph)].flatMap(([{ work }, place]) => {
      // A tool remembers nothing of its calls.
      if (work.kind === 'call') return [[place, true] as const]
      if (work.kind !== 'agent') return []
      const { command, via, amnesiac } = agentOf(work.bound).config
      return command === undefined && via === undefined && agentProgram === undefined ? [] : [[place, amnesiac === true] as const]
    }),
  )

const sortByAgent = (lines: readonly AnswerLine[], agents: ReadonlyMap<string, boolean>): ReadonlyMap<string, RecordedAnswers> => {
  const byPlace = new Map<string, AnswerLine[]>()
  for (const line of lines) {
    const before = byPlace.get(line.process)
    if (before) before.push(line)
    else byPlace.set(line.process, [line])
  }
  return new Map([...agents].map(([place, isAmnesiac]) => [place, new RecordedAnswers(byPlace.get(place) ?? [], isAmnesiac)]))
}

const linesIn = (text: string): AnswerLine[] =>
  text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .flatMap((line) => {
      const value = parse(line)
      return isAnswerLine(value) ? [value] : []
    })

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const isAnswerLine = (value: unknown): value is AnswerLine => {
  const { process, remembered, seq, input, output, fault, call, tool, of } = (value ?? {}) as Readonly<Record<string, unknown>>
  if (typeof process !== 'string') return false
  if (remembered !== undefined) return Array.isArray(remembered)
  if (call !== undefined && !Number.isSafeInteger(call)) return false
  if (tool !== undefined && (typeof tool !== 'string' || typeof of !== 'string' || call === undefined)) return false
  return typeof seq === 'number' && typeof input === 'string' && (output === undefined ? isFault(fault) : isJson(output))
}

const isJson = (value: unknown): boolean => {
  if (typeof value !== 'string') return false
  const bytes = Buffer.from(value)
  return checkJson(bytes, 0, bytes.length) === undefined
}
