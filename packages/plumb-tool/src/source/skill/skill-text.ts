// A SKILL.md: its front matter in the open Agent Skills format, and the Markdown below it.

import type { Json } from '@plumb/lang'
import { isRecord, preview, type Result } from '@plumb/wire'
import { parseYaml, splitFrontMatter } from '../agent/front-matter.js'

export interface SkillText {
  readonly name: string
  readonly description: string
  /** The tools that it says it uses, without what stands in brackets behind them. */
  readonly allowedTools: readonly string[]
  readonly markdown: string
}

export interface SkillFlaw {
  readonly why: string
  /** In the file, from 1, if it is known. */
  readonly line: number | undefined
}

const MAX_NAME = 64
const MAX_DESCRIPTION = 1024
/** Of the front matter, in characters. */
const MAX_FRONT = 65_536

export const readSkillText = (text: string): Result<SkillText, SkillFlaw> => {
  const split = splitFrontMatter(text)
  if (!split) return flaw("it has no front matter: expected '---', then name and description, then '---'", 1)
  if (split.yaml.length > MAX_FRONT) return flaw(`its front matter has more than ${MAX_FRONT} characters`)
  const parsed = parseFront(split.yaml)
  if (!parsed.ok) return parsed
  const { name, description } = parsed.value
  const at = (key: string) => lineOf(split.yaml, key)
  const wrongName = whyNoName(name)
  if (wrongName !== undefined) return flaw(wrongName, at('name'))
  const said = typeof description === 'string' ? description.trim() : undefined
  const wrongDescription = whyNoDescription(description, said)
  if (wrongDescription !== undefined || said === undefined) return flaw(wrongDescription ?? '', at('description'))
  const tools = toolsIn(parsed.value['allowed-tools'])
  if (!tools) return flaw("'allowed-tools' is not a list of names: expected names parted by spaces", at('allowed-tools'))
  const markdown = split.text.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd()
  return { ok: true, value: { name: name as string, description: said, allowedTools: tools, markdown } }
}

const flaw = (why: string, line?: number): Result<never, SkillFlaw> => ({ ok: false, error: { why, line } })

/** The line of a key in the file; the first one is the fence. */
const lineOf = (yaml: string, key: string): number => {
  const index = yaml.split('\n').findIndex((line) => line.startsWith(`${key}:`))
  return index < 0 ? 1 : index + 2
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

const whyNoName = (name: Json | undefined): string | undefined => {
  if (name === undefined || name === null) return "its front matter has no 'name'"
  if (typeof name !== 'string') return noText('name', name)
  const shown = preview(name)
  if (!NAME.test(name))
    return `'${shown}' is not a name of a skill: expected lower-case letters, digits and single hyphens, as in 'refund-rules'`
  return name.length > MAX_NAME ? `the name '${shown}' has ${name.length} characters: expected at most ${MAX_NAME}` : undefined
}

const whyNoDescription = (given: Json | undefined, said: string | undefined): string | undefined => {
  if (given === undefined || given === null || said === '')
    return "its front matter has no 'description': expected what it does, and when it is of use"
  if (said === undefined) return noText('description', given)
  const characters = [...said].length
  return characters > MAX_DESCRIPTION ? `its description has ${characters} characters: expected at most ${MAX_DESCRIPTION}` : undefined
}

const noText = (key: string, value: Json): string =>
  `'${key}' is not a text: it reads as '${preview(JSON.stringify(value))}'; write it between quotes`

/** Names parted by spaces or commas, or a list of them; `Bash(git:*)` is Bash. Undefined: it is neither. */
const toolsIn = (value: Json | undefined): readonly string[] | undefined => {
  if (value === undefined || value === null) return []
  const items = Array.isArray(value) ? (value as readonly Json[]) : [value]
  if (!items.every((item) => typeof item === 'string')) return undefined
  const bare = items.map((item) => withoutBrackets(item as string)).join(' ')
  return [...new Set(bare.split(/[\s,]+/).filter((name) => name !== ''))]
}

const withoutBrackets = (text: string): string => {
  let depth = 0
  let bare = ''
  for (const character of text) {
    if (character === '(') depth++
    if (depth === 0) bare += character
    if (character === ')' && depth > 0 && --depth === 0) bare += ' '
  }
  return bare
}

const parseFront = (yaml: string): Result<{ readonly [key: string]: Json }, SkillFlaw> => {
  const parsed = parseYaml(yaml)
  // Many a plain text has a colon, as in "Use it when: …", which YAML takes for a key within the value.
  const read = parsed.ok ? parsed : orFirst(parsed, parseYaml(withColonsQuoted(yaml)))
  if (!read.ok) {
    const { line } = read.error
    const [why = ''] = read.error.why.split(/ at line \d/)
    const twice = /must be unique/.test(why) ? keyAt(yaml, line) : undefined
    if (twice !== undefined) return flaw(`'${twice}' is given twice: give each key once`, (line ?? 0) + 1)
    return flaw(`its front matter is not YAML: ${preview(why, 200)}${toQuote(yaml, line)}`, line === undefined ? undefined : line + 1)
  }
  return isRecord(read.value)
    ? { ok: true, value: read.value as { readonly [key: string]: Json } }
    : flaw('its front matter has no keys', 1)
}

/** The key of a line. */
const keyAt = (yaml: string, line = 0): string | undefined => /^\s*([\w-]+):/.exec(yaml.split('\n')[line - 1] ?? '')?.[1]

/** What to do about a value without quotes, which most errors are about. */
const toQuote = (yaml: string, line: number | undefined): string => {
  const [, key] = /^([\w-]+):[ \t]+[^\s"'|>]/.exec(yaml.split('\n')[(line ?? 0) - 1] ?? '') ?? []
  return key === undefined ? '' : `; write '${key}' between quotes`
}

const orFirst = <T extends ReturnType<typeof parseYaml>>(first: T, second: T): T => (second.ok ? second : first)

/** A plain value that is whole in its line, and has a colon in it, becomes a quoted one. */
const withColonsQuoted = (yaml: string): string => {
  const lines = yaml.split(/\r?\n/)
  const isContinued = (i: number): boolean => /^[ \t]+\S/.test(lines[i + 1] ?? '')
  return lines
    .map((line, i) => {
      const [, key, value = ''] = PLAIN.exec(line) ?? []
      return key === undefined || isContinued(i) || !/:(?:\s|$)/.test(value) ? line : `${key}: ${JSON.stringify(value.trim())}`
    })
    .join('\n')
}

// What begins so is no plain scalar, or may be a comment.
const PLAIN = /^([a-z-]+):[ \t]+([^\s"'>|&*!%@`[\]{}#,].*)$/
