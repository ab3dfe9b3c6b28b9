// meta_refine: improves a prompt in a loop of critic and reviser, with the model of the calling agent.

import { type Bound, bindingNamed, compile, hasErrors, type Json, toText } from '@plumb/lang'
import { bundledFiles, fail, type Result, succeed } from '@plumb/wire'
import type { Call, Session } from '../../../call/call.js'
import { processRun } from '../../process/process-run.js'
import type { Builtin } from '../builtin.js'
import text from './refine.plumb'

interface Task {
  readonly prompt: string
  readonly task?: string
}

interface Critique {
  readonly verdict: 'good' | 'revise'
  readonly flaws: readonly string[]
}

/** Rounds of critic and reviser: at most five model calls with the first draft. */
const MAX_ROUNDS = 2

export const metaRefine: Builtin<Task> = {
  run: async (task, { call }) => {
    if (`${task.prompt}${task.task ?? ''}`.trim() === '') return fail('input_type_mismatch', 'neither a prompt nor a task is given')
    const { caller } = call.session
    if (!caller) {
      const remedy = 'say --provider and --model, or PLUMB_PROVIDER and PLUMB_MODEL'
      return fail('missing_option', `meta_refine thinks with the model of the agent that calls it, and there is none: ${remedy}`)
    }
    return refine(task, openRoles(caller), call)
  },
}

const refine = async (task: Task, roles: Roles, call: Call): Promise<Result<string>> => {
  const proposed = await roles.proposer<string>(task, call)
  if (!proposed.ok) return proposed
  let draft = orElse(proposed.value, task.prompt)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const reviewed = await roles.critic<Critique>({ ...task, draft }, call)
    if (!reviewed.ok) return reviewed
    const { verdict, flaws } = reviewed.value
    if (verdict === 'good' || flaws.length === 0) break
    const revised = await roles.reviser<string>({ ...task, draft, flaws }, call)
    if (!revised.ok) return revised
    draft = orElse(revised.value, draft)
  }
  return succeed(draft)
}

const orElse = (text: string, before: string): string => (text.trim() === '' ? before : text.trim())

type Role = <T>(input: object, call: Call) => Promise<Result<T>>

export interface Roles {
  readonly proposer: Role
  readonly critic: Role
  readonly reviser: Role
}

/** No real file has this name. */
const PATH = '<meta_refine>'

const openRoles = (caller: NonNullable<Session['caller']>): Roles => {
  const spec = text.replaceAll('= agent {', `= agent {\n${entriesOf(caller)}`)
  const files = bundledFiles({ entry: PATH, files: { [PATH]: spec }, modules: {} })
  const { program, diagnostics } = compile({ path: PATH, text: spec, files })
  if (hasErrors(diagnostics)) throw new Error(diagnostics.map(toText).join('\n'))
  const role = (name: string): Role => {
    const run = processRun(bindingNamed(program, name) as Bound, { sandbox: undefined, filesFor: () => files })
    return async <T>(input: object, call: Call) => {
      const result = await run(JSON.stringify(input), call)
      return result.ok ? succeed(JSON.parse(result.value) as T) : result
    }
  }
  return { proposer: role('proposer'), critic: role('critic'), reviser: role('reviser') }
}

const entriesOf = (caller: NonNullable<Session['caller']>): string =>
  Object.entries(caller satisfies { readonly [key: string]: Json | undefined })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `  ${key}: ${JSON.stringify(value)}\n`)
    .join('')
