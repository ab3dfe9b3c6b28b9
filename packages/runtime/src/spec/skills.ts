// What is wrong with the skills of the agents that a run reaches, at their places in the spec. What reads them is loaded for those alone.

import { type Bound, type Diagnostic, type NamedSkills, reachedFrom, skillsNamedBy } from '@plumb/lang'
import { besideSpec } from '@plumb/wire'

export const findSkillProblems = async (bounds: readonly Bound[]): Promise<readonly Diagnostic[]> => {
  if (!bounds.some(hasSkills)) return []
  const reached = new Set(bounds.flatMap((bound) => [...reachedFrom(bound)]))
  const named = [...reached].flatMap((bound) => skillsNamedBy(bound) ?? [])
  return (await Promise.all(named.map(problemsOf))).flat()
}

/** Whether any agent of this file, or of those that it uses, names some: to look for what is reached takes long. */
const hasSkills = ({ scope }: Bound): boolean => {
  const seen = new Set([scope])
  for (const { bindings, modules } of seen) {
    for (const { binding } of bindings.values())
      if (binding.impl.kind === 'agent' && binding.impl.config.entries.some(({ key }) => key.text === 'skills')) return true
    for (const module of modules.values()) seen.add(module)
  }
  return false
}

const problemsOf = async ({ from, paths, hasTool }: NamedSkills): Promise<readonly Diagnostic[]> => {
  const { loadSkills } = await import('@plumb/tool/source/skill/load-skills')
  const named = paths.map(({ path }) => ({ named: path, path: besideSpec(path, from) }))
  const { errors, warnings } = loadSkills(named, hasTool)
  const spanOf = (index: number) => (paths[index] as NamedSkills['paths'][number]).span
  return [
    ...errors.map(({ index, message }) => ({ severity: 'error' as const, code: 'spec_invalid' as const, message, span: spanOf(index) })),
    ...warnings.map(({ index, ...rest }) => ({ severity: 'warning' as const, ...rest, span: spanOf(index) })),
  ]
}
