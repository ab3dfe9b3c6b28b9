// The tool `skill` beside the tools of an agent. It is answered here: it reads what the spec names, and has no effects, so that no dispatcher is
// started for it and nobody is asked. Loaded for an agent with skills alone.

import { ALL_REPAIRS, fitText } from '@plumb/lang'
import type { Skill } from '@plumb/tool/source/skill/load-skills'
import { readSkillFor, SKILL_INPUT, SKILL_TOOL, type SkillQuestion, skillOffer } from '@plumb/tool/source/skill/skill-tool'
import { mapLimit, type Result, succeed } from '@plumb/wire'
import type { Emit } from '../io/telemetry.js'
import { inputText } from '../provider/call-input.js'
import type { ToolResult, ToolUse } from '../provider/provider.js'
import { beginCall } from './begin-call.js'
import type { AgentTools } from './no-tools.js'
import { failure, toolResult } from './result.js'
import type { AnsweredInput } from './tools.js'

const MAX_AT_ONCE = 8

export const withSkills = (skills: readonly Skill[], others: AgentTools): AgentTools => {
  const offer = skillOffer()
  return {
    ...others,
    offers: (walk) => [...others.offers(walk), offer],
    answer: async (calls, signal, emit, of) => {
      const isSkill = ({ name }: ToolUse): boolean => name === SKILL_TOOL
      const theirs = calls.filter((use) => !isSkill(use))
      if (theirs.length === calls.length) return others.answer(calls, signal, emit, of)
      // Kept calls are found in the order in which they were made.
      const [own, rest] = await Promise.all([
        mapLimit(calls.filter(isSkill), MAX_AT_ONCE, (use) => answerOne(skills, use, signal, emit, of)),
        theirs.length > 0 ? others.answer(theirs, signal, emit, of) : succeed<readonly ToolResult[]>([]),
      ])
      if (!rest.ok) return rest
      const [read, given] = [own.values(), rest.value.values()]
      return succeed(calls.map((use) => (isSkill(use) ? read : given).next().value as ToolResult))
    },
  }
}

const answerOne = async (
  skills: readonly Skill[],
  use: ToolUse,
  signal: AbortSignal,
  emit: Emit,
  { kept }: AnsweredInput = {},
): Promise<ToolResult> => {
  const found = kept?.find(use)
  if (found) return found
  const done = beginCall({ id: use.id, name: use.name, json: inputText(use) }, emit, { ms: 0 })
  const fit = fitText(inputText(use), SKILL_INPUT, { what: 'input', code: 'input_type_mismatch', repairs: ALL_REPAIRS })
  const read: Result<string> = fit.ok ? await readSkillFor(skills, JSON.parse(fit.value.json) as SkillQuestion, signal) : fit
  const result = read.ok ? toolResult(use.id, read.value, false) : failure(use.id, read.error)
  done(result.is_error, String(result.content))
  if (!signal.aborted) kept?.keep(use, result)
  return result
}
