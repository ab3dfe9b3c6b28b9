// The command line of plumb-agent: its options, and the spec that they name.

import { fail, type GroupsOf, type ProgramForm, preview, type Result, readCommandLine, requireSandbox, succeed } from '@plumb/wire'
import { version } from '../package.json'
import { AGENT_GROUPS, type AgentOptions } from './options.js'
import { printProviders } from './provider/print-providers.js'

export const AGENT_FORM: ProgramForm<typeof AGENT_GROUPS> = {
  name: 'plumb-agent',
  version,
  description: 'One conversation: JSON Lines in, one checked answer a line out.',
  operands: { '[spec.plumb]': 'the program that holds the agent' },
  maxOperands: 1,
  whenTooMany: "the input is standard input, as in 'plumb-agent spec.plumb <in.jsonl'",
  groups: AGENT_GROUPS,
  examples: ["echo 'I feel sad' | plumb-agent -Rr bot.plumb", 'plumb-agent --agent critic --telemetry a.plumb <in.jsonl 3>telemetry'],
}

/** The options, or the text that --help, --version or --providers ask for. */
export const readAgentArguments = async (argv: readonly string[]): Promise<Result<AgentOptions | string>> => {
  const read = await readCommandLine(AGENT_FORM, argv, async () => (await import('commander')).Command)
  if (!read.ok || typeof read.value === 'string') return read as Result<string>
  const { values, operands } = read.value
  if (values.run.isListing) return succeed(printProviders())
  const sandbox = requireSandbox(values.tools.requireSandbox)
  const spec = sandbox.ok ? specOf(values, operands[0]) : sandbox
  return spec.ok ? succeed({ ...values, spec: spec.value }) : spec
}

/** Its provider and model are chosen by other options. */
const PROBED = 'let probe : !string -> !string = agent {}'

const specOf = ({ program, run }: GroupsOf<typeof AGENT_GROUPS>, path: string | undefined): Result<AgentOptions['spec']> => {
  const { eval: text, isEnvelope } = program
  const inPlace = text !== undefined ? '--eval' : isEnvelope ? '--spec-envelope' : undefined
  if (inPlace !== undefined && path !== undefined)
    return fail('usage', `${inPlace} takes the place of a file, so '${preview(path)}' is one program too many`)
  if (text !== undefined) return succeed({ kind: 'text', text })
  if (isEnvelope) return succeed({ kind: 'envelope' })
  if (path !== undefined) return succeed({ kind: 'file', path })
  if (run.isProbe) return succeed({ kind: 'text', text: PROBED })
  return fail('usage', "no spec is given: name a file, or give its text with -e, as in 'plumb-agent bot.plumb'")
}
