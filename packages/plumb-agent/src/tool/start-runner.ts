// Starts the dispatcher of an agent that runs alone: plumb-tool, or an external program that speaks the dispatch protocol.

import {
  type Child,
  childEnv,
  MAX_LINE_ROW,
  MODEL_ROWS,
  optionWords,
  PERMISSION_ROWS,
  type Result,
  spawnChild,
  spawnPlumb,
  succeed,
} from '@plumb/wire'
import type { PreparedAgent } from '../config/prepare.js'
import type { AgentOptions } from '../options.js'

export interface Started {
  readonly child: Child
  /** Passes renewed authority on. */
  readonly renew: (authority: unknown) => void
}

/** A program that is not plumb's own gets no spec, authority or keys. */
export const startExternalDispatcher = ({ agent }: PreparedAgent, toolCommand: string): Result<Child> =>
  spawnChild({ command: [toolCommand], env: childEnv('foreign', namesIn(agent)), isForeign: true })

/** With `emits: 'offers'` its first line lists what the agent's MCP servers offer. */
export const startPlumbTool = (
  { agent, files, config, authority }: PreparedAgent,
  { model, lines, tools }: AgentOptions,
  emits?: 'offers',
): Result<Started> => {
  const args = [
    ...['serve', '--agent', agent.binding, '--provider', config.providerName, '--model', config.model],
    ...optionWords(HANDED_ON, { ...model, ...lines, ...tools }),
    ...(emits ? ['--offers'] : []),
    ...(config.hasTelemetry ? ['--telemetry'] : []),
  ]
  const own = spawnPlumb({
    program: 'plumb-tool',
    args,
    files,
    entry: agent.specPath,
    env: childEnv('ours', [...namesIn(agent), ...agent.serverVariables]),
    authority: authority.current(),
  })
  return own.ok ? succeed({ child: own.value.child, renew: own.value.renew }) : own
}

const HANDED_ON = { docroot: PERMISSION_ROWS.docroot, allowHosts: MODEL_ROWS.allowHosts, maxLine: MAX_LINE_ROW }

const namesIn = ({ config }: PreparedAgent['agent']): readonly string[] => (config.env as readonly string[] | undefined) ?? []
