// tool { … }: one source, its keys, and what its types ask of the tools that it combines (tools.md).

import type { QualifiedName, ToolImplementation } from '../ast.js'
import { error, type Report } from '../diagnostic.js'
import { type Bound, findBinding, shown } from '../names.js'
import { checkTree, describeMisfit } from '../types/check.js'
import { printType } from '../types/print.js'
import { parseTree } from '../types/tree.js'
import { isWirable } from '../types/wirable.js'
import { type Config, type KeyTable, readConfig } from './config.js'
import { lower } from './lower.js'
import { ANYTHING, ERROR_CATEGORIES, ERROR_KINDS, listOf, NAME, NAMES, numberIn, OBJECT, oneOf, SERVER, TEXT, wholeFrom } from './rules.js'

const SOURCES = ['process', 'mcp', 'command', 'function', 'builtin', 'agent', 'pool', 'handoff', 'mock', 'spy', 'flaky', 'failing'] as const
const EFFECTS = ['fs.read', 'fs.write', 'net', 'net.private', 'exec', 'model'] as const
const FOREVER = Number.POSITIVE_INFINITY

export const TOOL_KEYS: KeyTable = {
  process: NAME,
  mcp: SERVER,
  name: TEXT,
  command: TEXT,
  function: TEXT,
  builtin: TEXT,
  roots: OBJECT,
  agent: TEXT,
  pool: NAMES,
  by: oneOf('round-robin', 'least-busy'),
  handoff: NAMES,
  on: ERROR_KINDS,
  mock: ANYTHING,
  spy: NAME,
  record: TEXT,
  flaky: NAME,
  rate: numberIn(0, 1),
  seed: wholeFrom(0),
  failing: oneOf(...ERROR_CATEGORIES),
  description: TEXT,
  timeout: numberIn(0, FOREVER),
  retry: wholeFrom(1),
  breaker: OBJECT,
  cache: numberIn(0, FOREVER),
  effects: listOf(...EFFECTS),
  approval: oneOf('ask'),
  sandbox: OBJECT,
  max_output: wholeFrom(0),
}

/** Keys whose values name tools that take and give what this one does. */
const COMBINING = ['pool', 'handoff', 'spy', 'flaky'] as const

export const checkTool = (bound: Bound, impl: ToolImplementation, report: Report): void => {
  const config = readConfig('a tool', impl.config, TOOL_KEYS, bound.scope, report)
  const given = impl.config.entries.map((e) => e.key.text)
  const sources = SOURCES.filter((s) => given.includes(s))
  if (sources.length !== 1) {
    // A key that is misspelt, and told of, may have been meant as the source.
    if (sources.length === 0 && given.some((key) => !Object.hasOwn(TOOL_KEYS, key))) return
    const message =
      sources.length === 0 ? `tool '${bound.name}' has no source` : `tool '${bound.name}' has several sources: ${sources.join(', ')}`
    report(error('config_invalid', message, bound.binding.name.span, `give it one of ${SOURCES.join(', ')}`))
    return
  }
  for (const process of config.get('process')?.names ?? []) lower(bound, process, report)
  for (const key of COMBINING) for (const part of config.get(key)?.names ?? []) checkPart(bound, part, report)
  checkMock(bound, config, report)
  if (config.has('mcp') && !given.includes('name')) {
    report(
      error(
        'config_invalid',
        "'mcp' needs 'name': which tool of the server it is",
        impl.config.span,
        'as in { mcp: server, name: "search" }',
      ),
    )
  }
}

const checkPart = (tool: Bound, name: QualifiedName, report: Report): void => {
  const part = findBinding(name, tool.scope, report, (b) => b.category === 'base')
  if (part === 'unknown' || part.category === 'unknown') return
  if (part.category !== 'base') {
    const help = part.category === 'stream' ? `lower it: 'tool { process: ${shown(name)} }'` : undefined
    report(error('stream_in_base', `'${shown(name)}' is no bare morphism (base category)`, name.span, help))
    return
  }
  const [takes, gives] = [tool.inputs[0], tool.outputs[0]]
  if (takes && part.inputs[0] && isWirable(takes, part.inputs[0]) === 'no') {
    report(
      error(
        'type_mismatch',
        `'${tool.name}' takes '${printType(takes)}', '${shown(name)}' takes '${printType(part.inputs[0])}'`,
        name.span,
      ),
    )
  } else if (gives && part.outputs[0] && isWirable(part.outputs[0], gives) === 'no') {
    report(
      error(
        'type_mismatch',
        `'${shown(name)}' gives '${printType(part.outputs[0])}', '${tool.name}' gives '${printType(gives)}'`,
        name.span,
      ),
    )
  }
}

const checkMock = ({ name, outputs: [output] }: Bound, config: Config, report: Report): void => {
  const mock = config.get('mock')
  if (!mock || !output) return
  const bytes = Buffer.from(JSON.stringify(mock.value))
  const tree = parseTree(bytes, 0, bytes.length)
  const misfit = tree.kind === 'fault' ? undefined : checkTree(output, bytes, tree)
  if (misfit) report(error('type_mismatch', `the mock does not fit what '${name}' gives: ${describeMisfit(misfit)}`, mock.valueSpan))
}
