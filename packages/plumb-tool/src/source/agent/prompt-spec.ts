// Prints a prompt file as a spec: its tools, and one agent that has them.

import { basename } from 'node:path'
import { type Json, RESERVED, type Span, type Type } from '@plumb/lang'
import type { Effect } from '@plumb/policy'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import { builtinDeclaration } from '../builtin/declarations.js'
import { findBuiltin } from '../builtin/table.js'
import type { PromptFile } from './prompt.js'
import type { PromptTool } from './prompt-tool.js'
import { TypePrinter } from './type-text.js'

export interface PromptSpecOptions {
  readonly input: Type
  readonly output: Type
  /** Effects of a prompt that is a tool of this one; `file` as written in this prompt. */
  readonly effectsOf: (file: string) => Result<readonly Effect[]>
  /** What its commands may, by the tool that mounts it or the grants of the run. */
  readonly allowed: readonly string[]
}

export interface PromptSpec {
  readonly text: string
  readonly places: readonly PlacedText[]
  /** Name of the agent. */
  readonly name: string
}

/** A part of the text, and what of the prompt it was made from. */
export interface PlacedText {
  readonly from: number
  readonly to: number
  readonly place: Span
}

/** Invalid values in `prompt.config` are reported by the compiler. */
export const printPromptSpec = (prompt: PromptFile, { input, output, ...context }: PromptSpecOptions): Result<PromptSpec> => {
  const types = new TypePrinter()
  const tools: { name: string; line: string; place: Span | undefined }[] = []
  const servers: { server: Json; place?: Span | undefined }[] = Array.isArray(prompt.config.mcp)
    ? prompt.config.mcp.map((server) => ({ server }))
    : []
  for (const { place, ...tool } of prompt.tools) {
    if (tool.kind === 'server') servers.push({ server: tool.server, place })
    else {
      const line = printBinding(tool, types, context)
      if (!line.ok) return line
      tools.push({ ...line.value, place })
    }
  }
  const names = tools.map((tool) => tool.name)
  const name = nameAgent(prompt.path, names)
  const config = {
    ...prompt.config,
    ...(prompt.system === '' ? {} : { prompt: prompt.system }),
    ...(servers.length === 0 ? {} : { mcp: servers.map(({ server }) => server) }),
    ...(prompt.history.length === 0 ? {} : { history: prompt.history as unknown as Json }),
  }
  const key = Object.keys(config).find((word) => !/^[A-Za-z_]\w*$/.test(word))
  if (key !== undefined) return fail('config_invalid', `an agent has no key '${preview(key)}'`)
  // Before the declarations of types, since it adds to them.
  const head = `let ${name} : !${types.of(input)} -> !${types.of(output)} = agent {`
  const text = new PlacedPrinter()
  for (const declaration of types.declarations) text.line([{ text: declaration }])
  for (const { line, place } of tools) text.line([{ text: line, place }])
  text.line([{ text: head }])
  const entries = Object.entries(config).map(([word, value]): readonly Piece[] => {
    if (word === 'mcp' && servers.length > 0) return [{ text: '  mcp: [' }, ...listed(servers), { text: ']' }]
    return [{ text: `  ${word}: ${JSON.stringify(value)}`, place: word in prompt.config ? prompt.configPlace : undefined }]
  })
  if (names.length > 0) entries.push([{ text: `  tools: [${names.join(', ')}]` }])
  for (const [i, entry] of entries.entries()) text.line(i < entries.length - 1 ? [...entry, { text: ',' }] : entry)
  text.line([{ text: '}' }])
  return succeed({ name, text: text.text, places: text.places })
}

interface Piece {
  readonly text: string
  readonly place?: Span | undefined
}

const listed = (servers: readonly { readonly server: Json; readonly place?: Span | undefined }[]): Piece[] =>
  servers.map(({ server, place }, i) => ({ text: `${i > 0 ? ',' : ''}${JSON.stringify(server)}`, place }))

class PlacedPrinter {
  text = ''
  readonly places: PlacedText[] = []

  line(pieces: readonly Piece[]): void {
    for (const { text, place } of pieces) {
      const from = this.text.length
      this.text += text
      if (place) this.places.push({ from, to: this.text.length, place })
    }
    this.text += '\n'
  }
}

/** Those of a command that its sandbox goes by. */
const INHERITED: readonly string[] = ['fs.write', 'net']

type Local = Exclude<PromptTool, { kind: 'server' }>

// Bound to the name that the model sees.
const printBinding = (
  { kind, name, of, description, ...access }: Local,
  types: TypePrinter,
  { effectsOf, allowed }: Pick<PromptSpecOptions, 'effectsOf' | 'allowed'>,
): Result<{ name: string; line: string }> => {
  const say = description === undefined ? '' : `, description: ${JSON.stringify(description)}`
  const bind = (known: string, signature: string, effects = access.effects ?? []) => {
    const keys = [
      ...(effects.length > 0 || kind === 'agent' ? [`, effects: ${JSON.stringify(effects)}`] : []),
      ...(access.sandbox === undefined ? [] : [`, sandbox: ${JSON.stringify(access.sandbox)}`]),
    ]
    return succeed({ name: known, line: `let ${known} : ${signature} = tool { ${kind}: ${JSON.stringify(of)}${keys.join('')}${say} }` })
  }
  const inherited = allowed.filter((effect) => INHERITED.includes(effect))
  if (kind === 'command') return bind(name, '{ arguments?: [string] } -> string', access.effects ?? inherited)
  if (kind === 'agent') {
    const effects = effectsOf(of)
    if (!effects.ok) return effects
    const ofCommands = effects.value.includes('exec') ? inherited : []
    return bind(name, 'string -> string', [...new Set([...effects.value, ...(access.effects ?? ofCommands)])])
  }
  const builtin = findBuiltin(of)
  if (!builtin.ok) return builtin
  const declared = builtinDeclaration(builtin.value.name)
  if (!declared) throw new Error(`'${builtin.value.name}' is not declared`)
  const { input, output, description: own } = declared
  const line = bind(builtin.value.name, `${types.of(input)} -> ${types.of(output)}`)
  if (description !== undefined || own === undefined || !line.ok) return line
  return succeed({ ...line.value, line: `@description ${JSON.stringify(own)}\n${line.value.line}` })
}

// Named after the file, since telemetry and errors show this name.
const nameAgent = (path: string, taken: readonly string[]): string => {
  const word = basename(path)
    .replace(/\.[^.]*$/, '')
    .replace(/\W/g, '_')
  const name = /^[a-z_]/i.test(word) ? word : `_${word}`
  return RESERVED.has(name) || taken.includes(name) ? `${name}_prompt` : name
}
