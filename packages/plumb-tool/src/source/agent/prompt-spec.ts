// Prints a prompt file as a spec: its tools, and one agent that has them.

import { basename } from 'node:path'
import { type Json, RESERVED, type Type } from '@plumb/lang'
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
  /** Name of the agent. */
  readonly name: string
}

/** Invalid values in `prompt.config` are reported by the compiler. */
export const printPromptSpec = (prompt: PromptFile, { input, output, ...context }: PromptSpecOptions): Result<PromptSpec> => {
  const types = new TypePrinter()
  const tools: { name: string; line: string }[] = []
  const servers: Json[] = Array.isArray(prompt.config.mcp) ? [...prompt.config.mcp] : []
  for (const tool of prompt.tools) {
    if (tool.kind === 'server') servers.push(tool.server)
    else {
      const line = printBinding(tool, types, context)
      if (!line.ok) return line
      tools.push(line.value)
    }
  }
  const names = tools.map((tool) => tool.name)
  const name = nameAgent(prompt.path, names)
  const config = {
    ...prompt.config,
    ...(prompt.system === '' ? {} : { prompt: prompt.system }),
    ...(servers.length === 0 ? {} : { mcp: servers }),
    ...(prompt.history.length === 0 ? {} : { history: prompt.history as unknown as Json }),
  }
  const key = Object.keys(config).find((word) => !/^[A-Za-z_]\w*$/.test(word))
  if (key !== undefined) return fail('config_invalid', `an agent has no key '${preview(key)}'`)
  const entries = Object.entries(config).map(([word, value]) => `  ${word}: ${JSON.stringify(value)}`)
  if (names.length > 0) entries.push(`  tools: [${names.join(', ')}]`)
  const agent = `let ${name} : !${types.of(input)} -> !${types.of(output)} = agent {\n${entries.join(',\n')}\n}`
  return succeed({ name, text: `${[...types.declarations, ...tools.map(({ line }) => line), agent].join('\n')}\n` })
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
      ...(effects.length > 0 ? [`, effects: ${JSON.stringify(effects)}`] : []),
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
