// The tool `skill`: the Markdown of a skill with the list of its files, or the text of one of them. And what the prompt says of skills.

import { type ToolSchema, type Type, toToolSchema } from '@plumb/lang'
import { closeQuietly, openFile, resolvePath } from '@plumb/sandbox'
import { fail, nearest, preview, type Result, succeed } from '@plumb/wire'
import { readLines, windowOf } from '../builtin/file/line-window.js'
import { MAX_READ_BYTES, withCutMark } from '../builtin/file/read-file.js'
import { refuseBinary } from '../builtin/file/text-file.js'
import type { Skill } from './load-skills.js'
import { filesBeside, SKILL_FILE } from './skill-folder.js'

export const SKILL_TOOL = 'skill'

/** The input of the tool. */
export const SKILL_INPUT: Type = {
  kind: 'record',
  fields: [
    { name: 'name', type: { kind: 'string' }, isOptional: false, description: 'of the skill' },
    { name: 'file', type: { kind: 'string' }, isOptional: true, description: 'one of its files; without it, what the skill says' },
  ],
}

export const skillOffer = (): { readonly name: string; readonly description: string; readonly input_schema: ToolSchema['schema'] } => ({
  name: SKILL_TOOL,
  description:
    'Reads a skill: what it says, then its files, one path a line; or, with file, the text of one of them. Read a skill before a task that it is for.',
  input_schema: toToolSchema(SKILL_INPUT).schema,
})

/** Undefined: there are none. The same bytes for the same skills. */
export const skillsPrompt = (skills: readonly Skill[]): string | undefined => {
  if (skills.length === 0) return undefined
  const listed = skills.map(({ name, description }) => `<skill name="${name}">\n${escaped(description)}\n</skill>`)
  return `<skills>\nEach is for tasks of a kind. Before such a task, read it with the tool \`${SKILL_TOOL}\`.\n${listed.join('\n')}\n</skills>`
}

// An element ends at its end tag, whatever a description contains.
const escaped = (text: string): string => text.replace(/<(?=\/?skills?\b)/gi, '&lt;')

export interface SkillQuestion {
  readonly name: string
  readonly file?: string | undefined
}

export const readSkillFor = async (
  skills: readonly Skill[],
  { name, file }: SkillQuestion,
  signal: AbortSignal = NEVER,
): Promise<Result<string>> => {
  const skill = skills.find((one) => one.name === name)
  if (!skill) return noSuchSkill(name, skills)
  const beside = filesBeside(skill.folder)
  if (!beside.ok) return beside
  if (file !== undefined) return readFileOf(skill, file, beside.value, signal)
  const list = beside.value.length === 0 ? '' : `\n\n${beside.value.join('\n')}`
  return succeed(cut(`${skill.markdown}${list}`))
}

const NEVER = new AbortController().signal

const noSuchSkill = (name: string, skills: readonly Skill[]): Result<never> => {
  const names = skills.map((one) => one.name)
  const near = nearest(name, names)
  const there = names.length === 0 ? 'there are none' : `there are ${preview(names.join(', '), 1000)}`
  return fail('unknown_skill', `no skill is named '${preview(name)}'${near === undefined ? '' : `, did you mean '${near}'?`}; ${there}`)
}

const noSuchFile = ({ name }: Skill, file: string, beside: readonly string[]): Result<never> => {
  const there = beside.length === 0 ? `it has ${SKILL_FILE} alone` : `there are ${preview(beside.join(', '), 1000)}`
  return fail('no_such_file', `the skill '${name}' has no file '${preview(file, 200)}'; ${there}`, { path: preview(file, 200) })
}

const readFileOf = async (skill: Skill, file: string, beside: readonly string[], signal: AbortSignal): Promise<Result<string>> => {
  const { at, handed } = skill.folder
  const plain = file.replace(/^(?:\.\/+)+/, '')
  if (plain !== SKILL_FILE && !beside.includes(plain)) return whyNotBeside(skill, file, beside)
  if (handed) {
    const text = Object.hasOwn(handed, plain) ? handed[plain] : undefined
    return typeof text === 'string' && !text.includes('\0') ? succeed(cut(text)) : refuseBinary(plain)
  }
  const resolved = resolvePath(plain, 'read', { roots: new Map([['skill', at]]) })
  if (!resolved.ok) return resolved
  // As written and in fact: with a link on the way there are two.
  if (resolved.value.names.length > 1) return noSuchFile(skill, file, beside)
  const opened = await openFile(resolved.value)
  if (!opened.ok) return opened
  try {
    const window = await readLines(opened.value, { ...WHOLE, maxBytes: MAX_READ_BYTES }, signal)
    return window ? succeed(withCutMark(window)) : refuseBinary(plain)
  } finally {
    await closeQuietly(opened.value)
  }
}

// What lies outside, or is kept from tools, is refused as such.
const whyNotBeside = (skill: Skill, file: string, beside: readonly string[]): Result<never> => {
  const resolved = resolvePath(file, 'read', { roots: new Map([['skill', skill.folder.at]]) })
  return !resolved.ok && resolved.error.error === 'path_denied' ? resolved : noSuchFile(skill, file, beside)
}

const WHOLE = { offset: 0, limit: Number.POSITIVE_INFINITY }

const cut = (text: string): string => {
  const window = windowOf(Buffer.from(text), { ...WHOLE, maxBytes: MAX_READ_BYTES })
  return window ? withCutMark(window) : text
}
