// The options of the server, and its life until a signal or the end of its client.

import { dieOf, endWith, onStop, optionReaders, Reporter, requireSandbox, type StopSignal } from '@plumb/wire'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { DEFAULT_LIMITS, type ServeOptions } from './options.js'
import { serve } from './serve.js'

interface Flags {
  http?: number
  docroot?: string
  flows?: true
  prompts?: string
  tokenEnv?: string
  token: boolean
  allowOrigin?: string[]
  set?: string[]
  setFile?: string[]
  builtin?: string[]
  grant?: string[]
  policy?: string
  requireSandbox?: true
  context?: string[]
  provider?: string
  model?: string
  allowHost?: string[]
  agentCommand?: string
  gateway?: true
  maxOutput?: number
  maxLine: number
  maxSessions: number
  maxRequests: number
  idleTimeout: number
  timeout: number
}

const { whole } = optionReaders(InvalidArgumentError)

/** `run` gets the work, which resolves to the exit status. */
export const addServe = (command: Command, run: (work: () => Promise<number>) => void): void => {
  command
    .argument('[spec...]', 'specs, of which each tool and each agent is served')
    .option('--http <port>', 'Streamable HTTP at /mcp of 127.0.0.1; 0: a free port', port)
    .option('--docroot <dir>', 'directory whose files are resources, and for tools')
    .option('--prompts <dir>', 'directory of prompts, else MCP_PROMPTS_DIR or ./prompts')
    .option('--token-env <name>', 'HTTP: the variable that holds the bearer token')
    .option('--no-token', 'HTTP: want no token, whatever is granted')
    .addOption(list('--allow-origin <origin>', 'HTTP: a page that may use it, as http://localhost:6274'))
    .option('--gateway', 'all tools and MCP servers of the specs behind three tools')
    .option('--max-output <characters>', 'gateway: of what a chain gives; 10000', whole(1))
    .addOption(list('--set <name=value>', 'give a param of the specs this value'))
    .addOption(list('--set-file <file>', 'give params the values of this JSON object'))
    .option('--flows', 'check where data may go, whatever the specs say')
    .addOption(list('--builtin <list>', 'built-in tools to serve'))
    .addOption(list('--grant <list>', 'effects that tools may have, such as fs.write'))
    .option('--policy <file>', 'rules on what is allowed, asked for or denied')
    .addOption(list('--context <key=value>', 'what rules of a policy may ask for'))
    .option('--require-sandbox', 'refuse what cannot have a sandbox')
    .option('--provider <provider>', 'for agents')
    .option('--model <model>', 'for agents')
    .addOption(list('--allow-host <host>', 'for agents: a host that gets the key'))
    .option('--agent-command <program>', 'in place of plumb-agent')
    .option('--timeout <seconds>', 'for an agent, a prompt, or the tool call', whole(1), DEFAULT_LIMITS.timeout)
    .option('--max-line <bytes>', 'longest message taken', whole(1), DEFAULT_LIMITS.maxLine)
    .option('--max-requests <n>', 'calls that run at once; others wait', whole(1), DEFAULT_LIMITS.maxRequests)
    .option('--max-sessions <n>', 'HTTP: clients at once', whole(1), DEFAULT_LIMITS.maxSessions)
    .option('--idle-timeout <seconds>', 'HTTP: to forget a client after', whole(1), DEFAULT_LIMITS.idleTimeout)
    .action((specs: string[], flags: Flags) =>
      run(async () => {
        const sandbox = requireSandbox(flags.requireSandbox === true)
        return sandbox.ok ? runServer(command.name(), toOptions(specs, flags)) : endWith(command.name(), sandbox.error)
      }),
    )
}

// Lists may be given in one option, or in several.
const list = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((text: string, before: string[] = []) => [...before, text])

const port = (text: string): number => {
  const number = whole(0)(text)
  if (number > 65535) throw new InvalidArgumentError('a port is at most 65535')
  return number
}

const toOptions = (specs: readonly string[], flags: Flags): ServeOptions => {
  const { maxLine, maxSessions, maxRequests, idleTimeout, timeout, token, builtin, ...rest } = flags
  const names = builtin?.flatMap((names) => names.split(',').map((name) => name.trim())).filter((name) => name !== '')
  return {
    ...rest,
    specs,
    ...(names ? { builtins: names } : {}),
    isOpen: !token,
    limits: { maxLine, maxSessions, maxRequests, idleTimeout, timeout },
  }
}

/**
 * Serves in the foreground, until the client is gone or a signal stops it. Resolves to the exit status; dies of the signal that stopped it.
 */
const runServer = async (program: string, options: ServeOptions): Promise<number> => {
  const reporter = new Reporter(program)
  const served = await serve(options, reporter)
  if (served.ok) {
    const { url, finished, close } = served.value
    if (url !== undefined) reporter.write(reporter.isJson ? JSON.stringify({ listening: url }) : `${program}: listening on ${url}`)
    const signal = await Promise.race([finished, stopped()])
    await close()
    await reporter.end()
    if (signal) dieOf(signal)
    return reporter.status
  }
  await reporter.end()
  return reporter.status
}

/** A second signal ends it at once: children end with this process. */
const stopped = (): Promise<StopSignal> => new Promise((resolve) => onStop(resolve, dieOf))
