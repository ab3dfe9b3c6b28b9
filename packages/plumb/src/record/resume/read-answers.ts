// Reads DIR/answers.jsonl, and sorts the answers by agent.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentOf, type Graph } from '@plumb/lang'
import { checkJson, fail, isFault, type Result, succeed, systemReason } from '@plumb/wire'
import { placesOf } from '../../event/wires.js'
import { ANSWERS_FILE } from '../folder.js'
import { type AnswerLine, RecordedAnswers } from './answers.js'

/** By the places of agents. A damaged line is ignored, so that its input is asked again; a run that was killed at once has no file. */
export const readAnswers = (folder: string, graph: Graph): Result<ReadonlyMap<string, RecordedAnswers>> => {
  const path = join(folder, ANSWERS_FILE)
  try {
    return succeed(sortByAgent(linesIn(readFileSync(path, 'utf8')), graph))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return succeed(sortByAgent([], graph))
    return fail('record_invalid', `cannot read '${path}': ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}

const sortByAgent = (lines: readonly AnswerLine[], graph: Graph): ReadonlyMap<string, RecordedAnswers> => {
  const byPlace = new Map<string, AnswerLine[]>()
  for (const line of lines) {
    const before = byPlace.get(line.process)
    if (before) before.push(line)
    else byPlace.set(line.process, [line])
  }
  const answers = new Map<string, RecordedAnswers>()
  for (const [{ work }, place] of placesOf(graph)) {
    // A tool remembers nothing of its calls.
    if (work.kind === 'call') answers.set(place, new RecordedAnswers(byPlace.get(place) ?? [], true))
    if (work.kind === 'agent')
      answers.set(place, new RecordedAnswers(byPlace.get(place) ?? [], agentOf(work.bound).config.amnesiac === true))
  }
  return answers
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
  const { process, remembered, seq, input, output, fault } = (value ?? {}) as Readonly<Record<string, unknown>>
  if (typeof process !== 'string') return false
  if (remembered !== undefined) return Array.isArray(remembered)
  return typeof seq === 'number' && typeof input === 'string' && (output === undefined ? isFault(fault) : isJson(output))
}

const isJson = (value: unknown): boolean => {
  if (typeof value !== 'string') return false
  const bytes = Buffer.from(value)
  return checkJson(bytes, 0, bytes.length) === undefined
}
