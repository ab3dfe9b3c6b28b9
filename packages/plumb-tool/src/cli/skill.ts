// plumb-tool skill: what a model gets of a skill, or of one of its files.

import { dirname, join } from 'node:path'
import { bindingsOf, type Diagnostic, type NamedSkills, showDiagnostics, skillsNamedBy } from '@plumb/lang'
import { besideSpec, escapeLines, type Fault, isTerminal, preview, type Reporter, writeStdout } from '@plumb/wire'
import { reachOf, whyNotRead } from '../source/agent/prompt-reach.js'
import { loadSkills, type Skill } from '../source/skill/load-skills.js'
import { SKILL_FILE } from '../source/skill/skill-folder.js'
import { readSkillFor } from '../source/skill/skill-tool.js'
import type { CommandInput, RunCommand } from './command.js'

/** Of the agent that --agent names, or else of all agents of the spec. */
export const skill: RunCommand = async ({ program, agent }, { words: [name = '', file], options, reporter }) => {
  const bounds = agent ? [agent.bound] : bindingsOf(program).map(({ bound }) => bound)
  const found = bounds.flatMap((bound) => skillsNamedBy(bound) ?? []).map((named) => load(named, options.permissions))
  const faults = found.flatMap((one) => one.faults)
  const diagnostics = found.flatMap((one) => one.diagnostics)
  if (faults.length + diagnostics.length > 0) return refuse(faults, diagnostics, reporter)
  const skills = [...new Map(found.flatMap((one) => one.skills).map((one) => [one.folder.at, one])).values()]
  const read = await readSkillFor(skills, { name, file })
  if (!read.ok) return refuse([read.error], [], reporter)
  // A terminal shows what a file hides, or would be commanded by it.
  const shown = isTerminal(1) ? escapeLines(read.value) : read.value
  const failure = await writeStdout(shown.endsWith('\n') ? shown : `${shown}\n`)
  return failure ? refuse([failure], [], reporter) : undefined
}

interface Found {
  readonly skills: readonly Skill[]
  readonly faults: readonly Fault[]
  readonly diagnostics: readonly Diagnostic[]
}

const load = ({ from, paths }: NamedSkills, { grant, docroot }: CommandInput['options']['permissions']): Found => {
  const reach = { ...reachOf({ grants: grant, docroot }), directory: dirname(from) }
  const places = paths.map(({ path, span }) => ({ named: path, path: besideSpec(path, from), span }))
  const faults = places.flatMap(({ named, path }) => whyNotRead(join(path, SKILL_FILE), reach, `'skills' names '${preview(named)}'`) ?? [])
  if (faults.length > 0) return { skills: [], faults, diagnostics: [] }
  const { skills, errors } = loadSkills(places)
  const diagnostics = errors.map(({ index, message }) => ({
    ...{ severity: 'error' as const, code: 'spec_invalid' as const, message },
    span: (places[index] as (typeof places)[number]).span,
  }))
  return { skills, faults: [], diagnostics }
}

const refuse = (faults: readonly Fault[], diagnostics: readonly Diagnostic[], reporter: Reporter): undefined => {
  for (const fault of faults) reporter.report(fault)
  if (diagnostics.length > 0) {
    showDiagnostics(diagnostics, reporter, process.env.PLUMB_ERRORS === 'json')
    reporter.status = 2
  }
}
