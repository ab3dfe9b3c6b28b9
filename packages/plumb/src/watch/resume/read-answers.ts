// DIR/answers.jsonl, sorted by the agents that gave them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentOf, type Graph } from '@plumb/lang'
import { type Result, succeed } from '@plumb/wire'
import { ANSWERS_FILE } from '../record/folder.js'
import { placesOf } from '../wires.js'
import { type AnswerLine, Answers } from './answers.js'

/** By the places of agents. A last line that was cut off is none. */
export const readAnswers = (folder: string, graph: Graph): Result<ReadonlyMap<string, Answers>> => {
  const lines = linesIn(join(folder, ANSWERS_FILE))
  const byPlace = new Map<string, AnswerLine[]>()
  for (const line of lines) {
    const before = byPlace.get(line.process)
    if (before) before.push(line)
    else byPlace.set(line.process, [line])
  }
  const answers = new Map<string, Answers>()
  for (const [{ work }, place] of placesOf(graph)) {
    if (work.kind === 'agent') answers.set(place, new Answers(byPlace.get(place) ?? [], agentOf(work.bound).config.amnesiac === true))
  }
  return succeed(answers)
}

const linesIn = (path: string): AnswerLine[] => {
  const text = readFileSync(path, 'utf8')
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .flatMap((line) => {
      const value = parse(line)
      return typeof value?.process === 'string' ? [value] : []
    })
}

const parse = (line: string): AnswerLine | null | undefined => {
  try {
    return JSON.parse(line) as AnswerLine | null
  } catch {
    return undefined
  }
}
