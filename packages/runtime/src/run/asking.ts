// Where a run asks people: its parent, if that answers, else the terminal. What parks its calls, and who is one of many, asks nobody.

import { asksPerson, type Graph, isRemote } from '@plumb/lang'
import { type TerminalQuestions, terminalQuestions } from '@plumb/policy'
import { LineWriter, openLineOutput, type Result, succeed } from '@plumb/wire'
import type { SpawnSettings } from '../child/agent-start.js'
import type { StartHere } from '../child/spawn.js'
import type { RunOptions } from '../options/run-options.js'
import { approvalsIn } from '../record/kept-answers.js'

type Asking = Partial<TerminalQuestions> & { close?(): void }

/** One asker for all processes: a person is asked one question after the other. `write`: a line for the parent. */
export const openAsking = async (
  { parent: { answersFd, questionsFd, deliveryFd }, lines, recording }: RunOptions,
  write: (line: string) => void,
): Promise<Asking> => {
  if (deliveryFd !== undefined || approvalsIn(recording) !== undefined) return {}
  if (answersFd === undefined || !(lines.isNumbered || questionsFd !== undefined)) return terminalQuestions()
  const { askParent } = await import('../person/ask-parent.js')
  if (questionsFd === undefined) return askParent(answersFd, write)
  const questions = new LineWriter(openLineOutput(questionsFd))
  return askParent(answersFd, (line) => {
    questions.writeText(line)
    questions.flush()
  })
}

/** Undefined: no agent of the graph asks a person, or is elsewhere. */
export const openPeopleOf = async (graph: Graph, settings: SpawnSettings, { answer }: Asking): Promise<Result<StartHere | undefined>> => {
  const { provider } = settings.options.agents
  if (!graph.nodes.some(({ work }) => work.kind === 'agent' && (isRemote(work.bound) || asksPerson(work.bound, provider))))
    return succeed(undefined)
  return (await import('./ask-in-run.js')).openPeople(settings, answer)
}
