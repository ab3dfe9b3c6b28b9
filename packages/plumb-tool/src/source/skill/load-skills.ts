// Loads the skills of an agent, and finds what is wrong with them.

import { isUtf8 } from 'node:buffer'
import { join } from 'node:path'
import { preview, type Result } from '@plumb/wire'
import { byBytes, bytesOf, linkedSkillsAt, SKILL_FILE, type SkillFolder, skillFoldersAt, unpackFolders } from './skill-folder.js'
import { readSkillText, type SkillText } from './skill-text.js'

export interface Skill extends SkillText {
  readonly folder: SkillFolder
}

/** Found at the `index`-th path. */
export interface SkillFinding {
  readonly index: number
  readonly message: string
}

export interface SkillWarning extends SkillFinding {
  readonly code: 'skill_name' | 'skill_tools' | 'skill_link'
  readonly help: string
}

export interface LoadedSkills {
  /** In the order of their names by bytes. */
  readonly skills: readonly Skill[]
  /** Each is a `spec_invalid`. */
  readonly errors: readonly SkillFinding[]
  readonly warnings: readonly SkillWarning[]
}

export interface NamedFolder {
  /** As it is written in the spec. */
  readonly named: string
  /** Where it is. */
  readonly path: string
  /** What a parent handed over in its place. */
  readonly handed?: string | undefined
}

/** `hasTool`: whether the agent has a tool that a skill says it uses. */
export const loadSkills = (paths: readonly NamedFolder[], hasTool: (name: string) => boolean = () => true): LoadedSkills => {
  const errors: SkillFinding[] = []
  const warnings: SkillWarning[] = []
  const skills = new Map<string, Skill>()
  const seen = new Set<string>()
  for (const [index, place] of paths.entries()) {
    const folders = place.handed === undefined ? skillFoldersAt(place.path, place.named) : unpackFolders(place.handed)
    if (!folders.ok) {
      errors.push({ index, message: `'skills' names '${preview(place.named)}': ${folders.error.detail}` })
      continue
    }
    for (const folder of folders.value.filter(({ at }) => !seen.has(at))) {
      seen.add(folder.at)
      const read = readSkill(folder)
      if (!read.ok) errors.push({ index, message: read.error })
      else {
        const skill = read.value
        const other = skills.get(skill.name)
        if (other) errors.push({ index, message: whyTwice(skill, other) })
        else skills.set(skill.name, skill)
        warnings.push(...warningsOf(skill, index, hasTool))
      }
    }
  }
  for (const [index, { path, named, handed }] of paths.entries())
    if (handed === undefined) warnings.push(...linkWarnings(path, named, index, seen))
  return { skills: [...skills.values()].sort((a, b) => byBytes(a.name, b.name)), errors, warnings }
}

/** `seen`: what is reached without them. */
const linkWarnings = (path: string, named: string, index: number, seen: ReadonlySet<string>): SkillWarning[] =>
  linkedSkillsAt(path)
    .filter(({ at }) => !seen.has(at))
    .map(({ name }) => ({
      code: 'skill_link',
      index,
      message: `the skill that '${preview(join(named, name), 200)}' leads to is not read: it is a link`,
      help: "name the folder that it leads to in 'skills' too",
    }))

const readSkill = (folder: SkillFolder): Result<Skill, string> => {
  const file = join(folder.shown, SKILL_FILE)
  const refuse = (why: string, line?: number): Result<never, string> => ({
    ok: false,
    error: `'skills' names '${preview(file, 200)}${line === undefined ? '' : `:${line}`}': ${why}`,
  })
  const bytes = skillBytes(folder)
  if (!bytes.ok) return refuse(bytes.error.detail)
  if (!isUtf8(bytes.value)) return refuse('it is not UTF-8 text')
  const read = readSkillText(bytes.value.toString())
  return read.ok ? { ok: true, value: { ...read.value, folder } } : refuse(read.error.why, read.error.line)
}

const skillBytes = ({ at, handed }: SkillFolder): Result<Buffer> =>
  handed ? { ok: true, value: Buffer.from(handed[SKILL_FILE] ?? '') } : bytesOf(join(at, SKILL_FILE))

const whyTwice = ({ name, folder }: Skill, { folder: other }: Skill): string =>
  `'skills' names '${preview(folder.shown)}' and '${preview(other.shown)}', which are both called '${name}': rename one of them`

const warningsOf = ({ name, folder, allowedTools }: Skill, index: number, hasTool: (name: string) => boolean): SkillWarning[] => {
  const lacking = allowedTools.filter((tool) => !hasTool(tool)).map((tool) => `'${preview(tool)}'`)
  return [
    ...(name === folder.name
      ? []
      : [
          {
            code: 'skill_name' as const,
            index,
            message: `the skill '${name}' is in a folder called '${preview(folder.name)}'`,
            help: 'give both one name: other programs look a skill up by its folder',
          },
        ]),
    ...(lacking.length === 0
      ? []
      : [
          {
            code: 'skill_tools' as const,
            index,
            message: `the skill '${name}' uses ${preview(lacking.join(', '), 200)}, which the agent does not have`,
            help: 'add it to the tools of the agent, if its work needs it: a skill grants nothing',
          },
        ]),
  ]
}
