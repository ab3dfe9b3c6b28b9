// A run as a task of A2A: its state, what it has given, and what it asks.

import { randomUUID } from 'node:crypto'
import { type Artifact, type Message, type Part, Role, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk'
import { type Fault, isFault } from '@plumb/wire'
import type { Question } from '../../run/questions.js'
import type { Run, RunState } from '../../run/run.js'
import { partOf } from './parts.js'

/** What is known of a task apart from its run. */
export interface TaskFacts {
  readonly contextId: string
  /** What was said by the client. */
  readonly history: readonly Message[]
}

const STATES: Readonly<Record<RunState, TaskState>> = {
  running: TaskState.TASK_STATE_WORKING,
  waiting: TaskState.TASK_STATE_INPUT_REQUIRED,
  done: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  cancelled: TaskState.TASK_STATE_CANCELED,
}

export const statusOf = (run: Run, contextId: string, question: Question | undefined): TaskStatus => {
  const failure = run.failure ?? (run.outputs === 0 ? failureOf(run) : undefined)
  const isRefused = run.state === 'done' && failure !== undefined
  const state = run.state === 'waiting' && !question ? TaskState.TASK_STATE_WORKING : STATES[run.state]
  const parts: Part[] = failure ? [partOf(failure.detail), partOf(shown(failure))] : question ? questionParts(question) : []
  return {
    state: isRefused ? TaskState.TASK_STATE_FAILED : state,
    message: parts.length === 0 ? undefined : messageOf(run.id, contextId, parts),
    timestamp: (run.ended ?? new Date()).toISOString(),
  }
}

/** The first error that it has told. */
const failureOf = (run: Run): Fault | undefined => {
  if (!run.ended || run.state === 'cancelled') return undefined
  const item = run.feed.items.find(({ event }) => event === 'error')
  const { error } = item ? (JSON.parse(item.data) as { readonly error: unknown }) : { error: undefined }
  return isFault(error) ? error : undefined
}

const shown = ({ error, category, detail }: Fault) => ({ error, category, detail })

const questionParts = ({ id, kind, prompt, input, schema, wrong }: Question): Part[] => [
  partOf(prompt),
  partOf({ question: id, kind, input: JSON.parse(input) as unknown, schema, ...(wrong === undefined ? {} : { wrong }) }),
]

const messageOf = (taskId: string, contextId: string, parts: Part[]): Message => ({
  ...{ messageId: randomUUID(), contextId, taskId, role: Role.ROLE_AGENT, parts },
  ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
})

export const artifactOf = (parts: Part[]): Artifact => ({
  ...{ artifactId: 'output', name: 'output', description: '', parts },
  ...{ metadata: undefined, extensions: [] },
})

const outputsOf = (run: Run): Part[] => run.feed.items.flatMap(({ event, data }) => (event === 'output' ? [outputPart(data)] : []))

export const outputPart = (data: string): Part => partOf((JSON.parse(data) as { readonly value: unknown }).value)

export interface TaskView {
  readonly historyLength?: number | undefined
  readonly withArtifacts?: boolean
}

export const taskOf = (
  run: Run,
  facts: TaskFacts,
  question: Question | undefined,
  { historyLength, withArtifacts = true }: TaskView = {},
): Task => {
  const parts = withArtifacts ? outputsOf(run) : []
  const { contextId, history } = facts
  return {
    id: run.id,
    contextId,
    status: statusOf(run, contextId, question),
    artifacts: parts.length === 0 ? [] : [artifactOf(parts)],
    history: historyLength === 0 ? [] : history.slice(historyLength === undefined ? 0 : -historyLength),
    metadata: { binding: run.binding.name, ...run.totals },
  }
}
