// The keys `protocol`, `protocol_per` and `free` of an agent: all of its tools have a place in the order, and the order names no other.

import { nearest } from '@plumb/wire/nearest'
import { preview } from '@plumb/wire/preview'
import { labelsOf } from '@plumb/wire/protocol'
import { error, type Report } from '../diagnostic/diagnostic.js'
import { type Bound, findProtocol, printName } from '../names/names.js'
import type { AgentImplementation, QualifiedName } from '../parse/ast.js'
import type { Config } from './config.js'
import { withPrefixes } from './server.js'

/** The tool that reads `skills`, which is free in every protocol. */
export const SKILL = 'skill'
const COMPOSE = 'compose'

export const checkProtocol = (bound: Bound, impl: AgentImplementation, config: Config, report: Report): void => {
  const entry = config.get('protocol')
  const [name] = entry?.names ?? []
  if (!entry || !name) {
    if (impl.config.entries.some(({ key }) => key.text === 'protocol')) return
    for (const key of ['protocol_per', 'free']) {
      const span = config.get(key)?.valueSpan
      if (span) report(error('config_invalid', `'${key}' is for an agent with 'protocol'`, span))
    }
    return
  }
  if (config.get('protocol_per')?.value === 'conversation' && config.get('amnesiac')?.value === true) {
    const message = `'protocol_per: "conversation"' and 'amnesiac: true' exclude each other: what remembers nothing has no conversation`
    report(error('config_invalid', message, config.get('protocol_per')?.valueSpan ?? entry.valueSpan))
  }
  if (config.get('answers')?.value === 'some') {
    const message = `'protocol' and 'answers: "some"' exclude each other: no call of it belongs to a known input`
    report(error('config_invalid', message, entry.valueSpan))
  }
  checkTools(bound, impl, config, name, report)
}

const checkTools = (bound: Bound, impl: AgentImplementation, config: Config, name: QualifiedName, report: Report): void => {
  const protocol = findProtocol(name, bound.scope, report)
  if (protocol === 'unknown' || !protocol.automaton) return
  const [order, agent] = [printName(name), bound.name]
  const declared = { message: `'${protocol.name}' is declared here`, span: protocol.declaration.name.span }
  const fail = (message: string, span: QualifiedName['span'], help?: string) =>
    report({ ...error('protocol_invalid', message, span, help), related: [declared] })
  if (protocol.use === 'processes') {
    fail(`'${order}' is for messages between processes: a protocol of tools has no 'send' or 'recv'`, name.span)
    return
  }
  const tools = toolsOf(impl, config)
  // What is wrong with them is told already.
  if (!tools) return
  const labels = new Set(labelsOf(protocol.automaton))
  const free = config.get('free')
  const freed = new Set((free?.value ?? []) as readonly string[])
  for (const label of labels) {
    if (label === SKILL && config.has('skills')) {
      fail(`'${order}' names 'skill', which is free in every protocol: it only reads`, name.span)
    } else if (!tools.has(label))
      fail(`'${order}' names '${preview(label)}', and agent '${agent}' has no tool of that name`, name.span, tools.help(label))
    if (freed.has(label))
      fail(`'${preview(label)}' is in 'free', and '${order}' names it too: it is one or the other`, free?.valueSpan ?? name.span)
  }
  for (const one of freed) {
    if (!tools.has(one) && !labels.has(one))
      fail(`'free' names '${preview(one)}', and agent '${agent}' has no tool of that name`, free?.valueSpan ?? name.span, tools.help(one))
  }
  for (const one of tools.known) {
    if (labels.has(one) || freed.has(one)) continue
    fail(
      `tool '${preview(one)}' of agent '${agent}' occurs neither in '${order}' nor in 'free'`,
      name.span,
      `write free: [${JSON.stringify(one)}] if it may be called at any time`,
    )
  }
}

interface Tools {
  readonly known: readonly string[]
  /** A server that lists no tools may have any behind its prefix: that is looked at when it is connected. */
  readonly has: (name: string) => boolean
  readonly help: (name: string) => string
}

/** By the names that a model sees. Undefined: some of them have an error. */
const toolsOf = (impl: AgentImplementation, config: Config): Tools | undefined => {
  const isWrong = (key: string) => !config.has(key) && impl.config.entries.some((e) => e.key.text === key)
  if (['tools', 'mcp', 'free', 'compose', 'skills'].some(isWrong)) return undefined
  const own = (config.get('tools')?.names ?? []).map(printName)
  const composes = (config.get('compose')?.value ?? false) !== false
  const servers = withPrefixes(impl, config.get('mcp')?.value)
  const listed = servers.flatMap(({ prefix, tools }) =>
    typeof prefix === 'string' && Array.isArray(tools) ? tools.map((tool) => `${prefix}:${String(tool)}`) : [],
  )
  const open = servers.filter(({ prefix, tools }) => typeof prefix !== 'string' || !Array.isArray(tools))
  const mayHave = (name: string) =>
    name.includes(':') && open.some(({ prefix }) => typeof prefix !== 'string' || name.startsWith(`${prefix}:`))
  const known = [...new Set([...own, ...(composes ? [COMPOSE] : []), ...listed])]
  const all = new Set(known)
  const help = (name: string): string => {
    const near = nearest(name, known)
    if (near !== undefined) return `did you mean '${near}'?`
    return known.length === 0 ? 'it has none' : `it has ${preview(known.join(', '), 200)}`
  }
  return { known, has: (name) => all.has(name) || mayHave(name), help }
}
