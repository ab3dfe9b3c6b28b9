// plumb --dry-run: prints each process that a run would start, as a command line for bash with its descriptors. Nothing is started.

import type { AgentPlan, Graph } from '@plumb/lang'
import { escapeLines, optionWords, PERMISSION_ROWS, type Result, type SourceFiles, succeed } from '@plumb/wire'
import type { SpawnSettings } from '../child/agent-start.js'
import { agentPlan, type ChildPlan, plumbPlan } from '../child/plan.js'
import { quoted as quotedPlainly, SPEC_PORT, specSent, viaArguments } from '../child/spawn-via.js'
import { placesOf, wiresOf } from '../event/wires.js'
import { type Permissions, wordsOfAgents } from '../options/run-options.js'

export interface DryRunOptions {
  readonly graph: Graph
  readonly settings: Omit<SpawnSettings, 'authoritySource'>
  readonly permissions: Permissions
  readonly files: SourceFiles
}

/**
 * Several lines for each: comments with its name and its neighbours, then the command line to paste. Empty: the run needs no other process.
 */
export const dryRun = (options: DryRunOptions): Result<string> => {
  const { graph, settings } = options
  const wires = [...wiresOf(graph).values()]
  const texts: string[] = []
  for (const [node, place] of placesOf(graph)) {
    const { work } = node
    if (work.kind !== 'agent' && work.kind !== 'plumb') continue
    const at = { node, place, settings: settings as SpawnSettings }
    const plan = work.kind === 'agent' ? agentPlan(at, work.bound) : plumbPlan(at, work.bound)
    const ends = [
      ...wires.filter((wire) => wire.to === place).map((wire) => `${wire.toPort} from ${wire.from}`),
      ...wires.filter((wire) => wire.from === place).map((wire) => `${wire.fromPort} to ${wire.to}`),
    ]
    const lines = commandLines(plan, place, options)
    if (!lines.ok) return lines
    texts.push([`# ${place}: ${kindOf(plan)}; ${ends.join(', ')}`, ...lines.value, ''].join('\n'))
  }
  return succeed(texts.join('\n'))
}

const { grant, policy, context } = PERMISSION_ROWS
const SAID = { grant, policy, context }

const kindOf = (plan: ChildPlan): string => {
  if (plan.kind === 'own') return plan.agent ? 'agent' : 'plumb'
  return plan.kind === 'via' ? 'agent elsewhere, spoken to in envelopes' : "program in an agent's place"
}

const commandLines = (plan: ChildPlan, place: string, options: DryRunOptions): Result<string[]> => {
  if (plan.kind === 'program') return succeed([shellLine(plan.command, Object.keys(plan.fds).map(Number))])
  if (plan.kind === 'via') {
    const words = viaArguments(plan.via, plan.start).map(quoted).join(' ')
    if (plan.start.program) return succeed([words])
    const spec = JSON.stringify({ __port: SPEC_PORT, msg: specSent(plan.start) })
    return succeed([`{ printf '%s\\n' ${quoted(spec)}; cat; } | ${words}`])
  }
  const spec = specArguments(plan.entry, options.files)
  if (!spec.ok) return spec
  const fds = Object.keys(plan.fds).map(Number)
  const command = [
    plan.program,
    ...plan.args,
    ...paramArguments(plan.entry, options.files),
    ...optionWords(SAID, options.permissions),
    ...spec.value,
  ]
  const { agent } = plan
  if (!agent || !fds.includes(TOOL_REQUESTS)) return succeed([shellLine(command, fds)])
  // Its tools are answered over a named pipe: bash has none for both directions.
  const pipe = quoted(`${place}.5`)
  const served = toolArguments(agent, options, plan.entry, spec.value).map(quoted).join(' ')
  const others = fds.filter((fd) => fd !== TOOL_REQUESTS && fd !== TOOL_ANSWERS)
  return succeed([`mkfifo ${pipe}`, `${shellLine(command, others)} 4> >(${served} > ${pipe}) 5< ${pipe}`, `rm ${pipe}`])
}

// bash can write terminal controls as escapes.
const quoted = (word: string): string => {
  if (escapeLines(word) === word) return quotedPlainly(word)
  const bytes = (c: string) => [...Buffer.from(c)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  return `$'${[...word].map((c) => (c === "'" || c === '\\' ? `\\${c}` : escapeLines(c) === c ? c : bytes(c))).join('')}'`
}

const TOOL_REQUESTS = 4
const TOOL_ANSWERS = 5

// Its telemetry is shown; control ends at once.
const REDIRECTIONS: Readonly<Record<number, string>> = { 3: '3>&2', 4: '4>&2', 5: '5< /dev/null', 6: '6< /dev/null', 7: '7>&2' }

const shellLine = (command: readonly string[], fds: readonly number[]): string =>
  [...command.map(quoted), ...fds.flatMap((fd) => REDIRECTIONS[fd] ?? [])].join(' ')

// A spec that is not a file, such as the standard library, is passed as text.
const specArguments = (entry: string, files: SourceFiles): Result<string[]> => {
  if (!entry.startsWith('<')) return succeed(['--', entry])
  const bundled = files.bundle(entry).files[entry]
  const text = bundled === undefined ? files.read(entry) : succeed(bundled)
  return text.ok ? succeed(['--eval', text.value]) : text
}

// The params of the file that it runs. A text is the same as its JSON, or is parsed as JSON anyway.
const paramArguments = (entry: string, files: SourceFiles): string[] =>
  Object.entries(files.bundle(entry).params?.[entry] ?? {}).flatMap(([name, json]) => ['--set', `${name}=${plainText(json)}`])

const plainText = (json: string): string => (json.startsWith('"') ? (JSON.parse(json) as string) : json)

const toolArguments = (
  { bound }: AgentPlan,
  { settings, permissions, files }: DryRunOptions,
  entry: string,
  spec: readonly string[],
): string[] => {
  const docroot = settings.docroot === undefined ? [] : ['--docroot', settings.docroot]
  const words = spec[0] === '--' ? spec.slice(1) : spec
  const given = [...docroot, ...paramArguments(entry, files)]
  return [
    'plumb-tool',
    '--agent',
    bound.name,
    ...given,
    ...optionWords(SAID, permissions),
    ...wordsOfAgents(settings.options.agents),
    ...words,
    'serve',
  ]
}
