// A prompt file: its messages, for clients that put it into their own conversation, and its agent, as a tool.

import { basename, extname } from 'node:path'
import { agentOf, type Bound, resolve, type ToolPlan, type Type } from '@plumb/lang'
import { loadPromptProgram, messageText, openRegistry, type PromptMessage, readPromptFile } from '@plumb/tool/internal'
import { bundledFiles, fault, type Result, succeed } from '@plumb/wire'
import { fromRegistered } from '../tools/from-registry.js'
import type { ServedTool } from '../tools/served-tool.js'
import type { Sessions } from '../tools/sessions.js'

export interface Prompt {
  readonly name: string
  readonly description?: string
  /** Absolute. */
  readonly file: string
  /** The possible values of the argument `input`, if its type lists them. */
  readonly choices: readonly string[]
  messages(input: string | undefined): readonly ServedMessage[]
  readonly tool: ServedTool
}

export interface ServedMessage {
  readonly role: 'user' | 'assistant'
  readonly content: { readonly type: 'text'; readonly text: string }
}

export const ENDINGS: readonly string[] = ['.plumb', '.md', '.chatmd']

/** The name of its file, in the characters that clients accept. */
const promptName = (file: string): string =>
  basename(file, extname(file))
    .replace(/[^A-Za-z0-9_-]/g, '_')
    .slice(0, 64)

export interface PromptOptions {
  readonly sessions: Sessions
  /** Seconds for a call of its tool. */
  readonly timeout: number
  /** Effects that the server grants: its commands may have them. */
  readonly granted: readonly string[]
}

export const openPrompt = (file: string, { sessions, timeout, granted }: PromptOptions): Result<Prompt> => {
  const read = readPromptFile(file)
  if (read && !read.ok) return read
  const type: Type = { kind: read ? 'string' : 'json' }
  const loaded = loadPromptProgram(file, { input: type, output: type }, { allowed: granted })
  if (!loaded.ok) return loaded
  const { bound, effects } = loaded.value
  const plan = toolOfPrompt(file, bound, effects, timeout)
  const { registry, faults } = openRegistry([plan])
  const [flaw] = faults
  if (flaw) return { ok: false, error: flaw }
  const registered = registry.get(plan.name)
  if (!registered) return { ok: false, error: fault('internal', `the prompt '${file}' gives no tool`) }
  const system = read?.value.system ?? promptOf(bound)
  const history = read?.value.history ?? []
  return succeed({
    name: plan.name,
    ...(plan.description === undefined ? {} : { description: plan.description }),
    file,
    choices: literalsOf(plan.input),
    messages: (input) => messagesOf(plan.name, system, history, input),
    tool: fromRegistered(registered, sessions.of(NO_FILES), true),
  })
}

const NO_FILES = bundledFiles({ entry: '', files: {}, modules: {} })

const toolOfPrompt = (file: string, bound: Bound, effects: readonly string[], timeout: number): ToolPlan => {
  const { config, input, output, span, description = config.description } = agentOf(bound)
  return {
    name: promptName(file),
    bound: { ...bound },
    input,
    output,
    isExposed: true,
    specPath: file,
    span,
    description: typeof description === 'string' ? description : `The prompt ${basename(file)}: each call is a fresh conversation`,
    body: { kind: 'tool', source: 'agent', config: { agent: file, effects: [...effects], timeout }, parts: [] },
  }
}

const promptOf = (bound: Bound): string => {
  const { prompt } = agentOf(bound).config
  return typeof prompt === 'string' ? prompt : ''
}

const messagesOf = (
  name: string,
  system: string,
  history: readonly PromptMessage[],
  input: string | undefined,
): readonly ServedMessage[] => {
  const opening = system === '' && history.length === 0 ? `Call the tool '${name}' with this input.` : system
  const before = history.map((remark) => ({ role: remark.role, content: messageText(remark) }))
  const said = [...(opening === '' ? [] : [{ role: 'user', content: opening } as const]), ...before]
  const all = input === undefined ? said : [...said, { role: 'user', content: input } as const]
  return all.map(({ role, content }) => ({ role, content: { type: 'text', text: content } }))
}

const literalsOf = (type: Type): readonly string[] => {
  const resolved = resolve(type)
  if (resolved.kind === 'literal') return [resolved.value]
  return resolved.kind === 'sum' ? resolved.variants.flatMap(literalsOf) : []
}
