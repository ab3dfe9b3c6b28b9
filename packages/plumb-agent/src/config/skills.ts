// The skills of an agent, read when its spec is; what reads them is loaded for an agent that has some.

import { join } from 'node:path'
import type { Skill } from '@plumb/tool/source/skill/load-skills'
import { besideSpec, type Fault, fault, preview } from '@plumb/wire'

export interface AgentSkills {
  readonly skills: readonly Skill[]
  /** What the prompt says of them. */
  readonly prompt: string | undefined
  readonly faults: readonly Fault[]
}

interface SkillSources {
  /** The text that a parent handed over for a path. */
  readonly handed: (path: string) => string | undefined
  /** Why it may not be read from there. */
  readonly whyNotRead: (path: string, what: string) => Fault | undefined
}

const NO_SKILLS: AgentSkills = { skills: [], prompt: undefined, faults: [] }

/** `paths`: as the spec has them. */
export const readSkills = async (
  paths: readonly string[],
  specPath: string,
  { handed, whyNotRead }: SkillSources,
): Promise<AgentSkills> => {
  if (paths.length === 0) return NO_SKILLS
  const { loadSkills } = await import('@plumb/tool/source/skill/load-skills')
  const { skillsPrompt } = await import('@plumb/tool/source/skill/skill-tool')
  const places = paths.map((named) => {
    const path = besideSpec(named, specPath)
    return { named, path, handed: handed(path) }
  })
  // Of the directory of the spec itself too, which lies not below itself.
  const kept = places.flatMap(({ named, path, handed }) => {
    const why = handed === undefined ? whyNotRead(join(path, 'SKILL.md'), `'skills' names '${preview(named)}'`) : undefined
    return why ?? []
  })
  if (kept.length > 0) return { ...NO_SKILLS, faults: kept }
  const { skills, errors } = loadSkills(places)
  return { skills, prompt: skillsPrompt(skills), faults: errors.map(({ message }) => fault('spec_invalid', message)) }
}
