// Reads DIR/answers.jsonl, and sorts the answers by agent, for agents that do not keep their own requests: foreign programs, agents
// elsewhere, people, and tools that `map` calls.

import { closeSync, constants, fstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentOf, asksPerson, type Graph } from '@plumb/lang'
import { checkJson, type Fault, fail, fault, isAbsent, isFault, type Result, scanLines, succeed, systemReason } from '@plumb/wire'
import { inOwnDirectory, openOwnFile } from '@plumb/wire/output'
import { placesOf } from '../../event/wires.js'
import type { RunOptions } from '../../options/run-options.js'
import { ANSWERS_FILE } from '../directory.js'
import { APPROVALS_FILE } from '../kept-answers.js'
import { type AnswerLine, RecordedAnswers } from './answers.js'

/** By the places of such agents. A damaged line is ignored, so that its input is asked again; a run that was killed at once has no file. */
export const readAnswers = (
  directory: string,
  graph: Graph,
  { agents: { provider }, programs: { agent: agentProgram } }: Pick<RunOptions, 'agents' | 'programs'>,
): Result<ReadonlyMap<string, RecordedAnswers>> => {
  const isAnsweredThere = !isAbsent(join(directory, APPROVALS_FILE))
  const agents = answeringElsewhere(graph, agentProgram, { provider, isAnsweredThere })
  if (agents.size === 0) return succeed(new Map())
  const path = join(directory, ANSWERS_FILE)
  try {
    const byPlace = new Map([...agents.keys()].map((place) => [place, [] as AnswerLine[]]))
    eachAnswer(path, (line) => byPlace.get(line.process)?.push(line))
    return succeed(new Map([...agents].map(([place, isAmnesiac]) => [place, new RecordedAnswers(byPlace.get(place) ?? [], isAmnesiac)])))
  } catch (error) {
    return fail('record_invalid', `cannot read '${path}': ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}

/**
 * Keeps only the answers of such agents in DIR/answers.jsonl: the others are asked again, and answer from what they keep. `write_failed`,
 * with the file unchanged, if it cannot be written.
 */
export const keepAnswersOf = (directory: string, places: ReadonlySet<string>): Fault | undefined => {
  const path = join(directory, ANSWERS_FILE)
  try {
    // The directory stays open, so that the new file can be removed where no descriptor is left.
    inOwnDirectory(directory, (at) => {
      const fresh = join(at, `${ANSWERS_FILE}.new`)
      rmSync(fresh, { force: true })
      try {
        writeAnswersOf(places, path, fresh)
        renameSync(fresh, join(at, ANSWERS_FILE))
      } catch (error) {
        rmSync(fresh, { force: true })
        throw error
      }
    })
    return undefined
  } catch (error) {
    return fault('write_failed', `cannot write to '${path}': ${systemReason(error as NodeJS.ErrnoException)}`, { path })
  }
}

// In the order of the file, one line at a time: it may be larger than memory.
const writeAnswersOf = (places: ReadonlySet<string>, path: string, fresh: string): void => {
  const fd = openSync(fresh, 'wx')
  try {
    const keep = (line: AnswerLine) => places.has(line.process) && writeFileSync(fd, `${JSON.stringify(line)}\n`)
    if (places.size > 0) eachAnswer(path, keep)
  } finally {
    closeSync(fd)
  }
}

/** By place, whether it is amnesiac. */
const answeringElsewhere = (
  graph: Graph,
  agentProgram: string | undefined,
  people: { readonly provider: string | undefined; readonly isAnsweredThere: boolean },
): ReadonlyMap<string, boolean> =>
  new Map(
    [...placesOf(graph)].flatMap(([{ work }, place]) => {
      // A tool has no memory of its calls.
      if (work.kind === 'call') return [[place, true] as const]
      if (work.kind !== 'agent') return []
      // What a person has said is found where it waited, if it did.
      if (asksPerson(work.bound, people.provider)) return people.isAnsweredThere ? [] : [[place, true] as const]
      const { command, via, a2a, amnesiac } = agentOf(work.bound).config
      return command === undefined && via === undefined && a2a === undefined && agentProgram === undefined
        ? []
        : [[place, amnesiac === true] as const]
    }),
  )

/** Bytes of a line; a longer one counts as damaged. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024

/** Calls `take` for each line of the file that is whole; a missing file has none. Throws read errors, and those of `take`. */
const eachAnswer = (path: string, take: (line: AnswerLine) => unknown): void => {
  if (isAbsent(path)) return
  const fd = openOwnFile(path, constants.O_RDONLY)
  try {
    scanLines(fd, { from: 0, to: fstatSync(fd).size, maxBytes: MAX_ANSWER_BYTES }, (bytes) => {
      const line = parse(bytes.toString('utf8'))
      if (isAnswerLine(line)) take(line)
      return true
    })
  } finally {
    closeSync(fd)
  }
}

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
