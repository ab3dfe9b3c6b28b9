// tool { … }: one source and its keys (plumb-tools(7)).

import { once } from '@plumb/wire/once'
import { error, ignore, type Report } from '../diagnostic/diagnostic.js'
import type { Bound, Scope } from '../names/names.js'
import type { ToolImplementation } from '../parse/ast.js'
import { type Config, type KeyTable, readConfig } from './config.js'
import { lower } from './lower.js'
import { warnOfNarrowSandbox } from './narrow-sandbox.js'
import { COMBINING } from './parts.js'
import {
  ANYTHING,
  EFFECTS,
  ERROR_CATEGORIES,
  ERROR_KINDS,
  FLAG,
  manyOf,
  NAME,
  numberIn,
  OVER_ZERO,
  objectOf,
  oneOf,
  PARTS,
  ROOTS,
  serverOf,
  TEXT,
  WORD,
  wholeFrom,
} from './rules.js'
import { SANDBOX } from './sandbox.js'
import { mcpServer } from './server.js'
import { checkCommand, checkMock, checkPart } from './tool-types.js'

const SOURCES = ['process', 'mcp', 'command', 'function', 'builtin', 'agent', 'pool', 'handoff', 'mock', 'spy', 'flaky', 'failing'] as const
export type ToolSource = (typeof SOURCES)[number]
const FOREVER = Number.POSITIVE_INFINITY

export const toolKeys = once(
  (): KeyTable => ({
    process: NAME,
    mcp: serverOf(mcpServer()),
    name: TEXT,
    command: WORD,
    function: WORD,
    builtin: WORD,
    roots: ROOTS,
    agent: WORD,
    pool: PARTS,
    by: oneOf('round-robin', 'least-busy'),
    handoff: PARTS,
    on: ERROR_KINDS,
    mock: ANYTHING,
    spy: NAME,
    record: TEXT,
    flaky: NAME,
    rate: numberIn(0, 1),
    seed: wholeFrom(0),
    failing: oneOf(...ERROR_CATEGORIES),
    description: TEXT,
    timeout: OVER_ZERO,
    retry: wholeFrom(1),
    idempotent: FLAG,
    breaker: objectOf('a breaker', { failures: wholeFrom(1), reset: numberIn(0, FOREVER) }),
    cache: numberIn(0, FOREVER),
    effects: manyOf(...EFFECTS),
    approval: oneOf('ask'),
    sandbox: SANDBOX,
    max_output: wholeFrom(0),
  }),
)

export const toolConfig = (impl: ToolImplementation, scope: Scope, report: Report = ignore): Config =>
  readConfig('a tool', impl.config, toolKeys(), scope, report)

const keysOf = ({ config }: ToolImplementation): readonly string[] => config.entries.map((e) => e.key.text)

/** The only one, in a tool without errors. */
export const sourcesOf = (impl: ToolImplementation): readonly ToolSource[] => SOURCES.filter((s) => keysOf(impl).includes(s))

export const checkTool = (bound: Bound, impl: ToolImplementation, report: Report): void => {
  const config = toolConfig(impl, bound.scope, report)
  const given = keysOf(impl)
  const sources = sourcesOf(impl)
  if (sources.length !== 1) {
    // A misspelt key, which is reported, may have been meant as the source.
    if (sources.length === 0 && given.some((key) => !Object.hasOwn(toolKeys(), key))) return
    const message =
      sources.length === 0 ? `tool '${bound.name}' has no source` : `tool '${bound.name}' has several sources: ${sources.join(', ')}`
    report(error('config_invalid', message, bound.binding.name.span, `give it one of ${SOURCES.join(', ')}`))
    return
  }
  for (const process of config.get('process')?.names ?? []) lower(bound, process, report)
  for (const key of COMBINING) for (const part of config.get(key)?.names ?? []) checkPart(bound, part, report)
  checkMock(bound, config, report)
  checkCommand(bound, config, report)
  checkKeys(impl, sources, report)
  warnOfNarrowSandbox(bound, config, report)
}

/** Keys that belong to one source, and those that it requires. */
const KEYS_OF: Readonly<
  Partial<Record<ToolSource, { readonly own: readonly string[]; readonly needed?: string; readonly help?: string }>>
> = {
  mcp: { own: ['name'], needed: 'name', help: 'which tool of the server it is, as in { mcp: server, name: "search" }' },
  builtin: { own: ['roots'] },
  pool: { own: ['by'] },
  handoff: { own: ['on'] },
  spy: { own: ['record'] },
  flaky: { own: ['rate', 'seed'], needed: 'rate', help: 'how many of its calls fail, as in { flaky: f, rate: 0.1, seed: 1 }' },
}

const checkKeys = ({ config: { entries, span } }: ToolImplementation, [source]: readonly ToolSource[], report: Report): void => {
  for (const { key } of entries) {
    const owner = SOURCES.find((s) => KEYS_OF[s]?.own.includes(key.text))
    if (owner && owner !== source) report(error('config_invalid', `'${key.text}' is for tools with '${owner}'`, key.span))
  }
  const { needed, help } = (source && KEYS_OF[source]) ?? {}
  if (needed === undefined || entries.some(({ key }) => key.text === needed)) return
  report(error('config_invalid', `'${source}' needs '${needed}'`, span, help))
}
