// meta_refine: a prompt made better by a critic's loop, on the model of the agent that calls.

import { fail, type Result, succeed } from '@plumb/wire'
import type { Call } from '../../../call/call.js'
import type { Builtin } from '../builtin.js'
import { openRoles, type Roles } from './roles.js'

interface Task {
  readonly prompt: string
  readonly task?: string
}

interface Critique {
  readonly verdict: 'good' | 'revise'
  readonly flaws: readonly string[]
}

/** A draft is judged and mended so often at most: five calls of the model with the first. */
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
    const judged = await roles.critic<Critique>({ ...task, draft }, call)
    if (!judged.ok) return judged
    const { verdict, flaws } = judged.value
    if (verdict === 'good' || flaws.length === 0) break
    const revised = await roles.reviser<string>({ ...task, draft, flaws }, call)
    if (!revised.ok) return revised
    draft = orElse(revised.value, draft)
  }
  return succeed(draft)
}

const orElse = (text: string, before: string): string => (text.trim() === '' ? before : text.trim())
