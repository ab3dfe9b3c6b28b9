// The environment of a child: only variables on the list, so that no key reaches a foreign program.

import { ENDPOINT_VARIABLES, KEY_COMMAND_VARIABLES, KEY_VARIABLES } from '../accounts.js'
import { preview } from '../preview.js'
import { fail, type Result, succeed } from '../result.js'

const ALWAYS = ['PATH', 'HOME', 'LANG', 'TERM', 'TMPDIR', 'TZ', 'USER', 'LOGNAME', 'SHELL', 'PLUMB_SANDBOX']

const NETWORK = [
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
]

const OURS = [...KEY_VARIABLES, ...ENDPOINT_VARIABLES, ...KEY_COMMAND_VARIABLES, 'PIPELINE_DEBUG', ...NETWORK]

/** The further variables of a program that gets a key for us. */
export const FOR_KEY_COMMANDS: readonly string[] = [...KEY_COMMAND_VARIABLES, ...ENDPOINT_VARIABLES, ...NETWORK]

// They describe our own descriptors and our own tools.
const NEVER = new Set(['PLUMB_FDS', 'PLUMB_CLOSED', 'PLUMB_MCP_TOOLS'])

/**
 * `ours`: executables of this project, which write errors as objects unless stderr is a terminal. `names`: variables that the spec of this
 * child lists.
 */
export const childEnv = (
  kind: 'ours' | 'foreign',
  names: readonly string[] = [],
  from: NodeJS.ProcessEnv = process.env,
): Record<string, string> => {
  const listed = new Set([...ALWAYS, ...(kind === 'ours' ? OURS : []), ...names])
  const isMeant = (name: string) => listed.has(name) || name.startsWith('LC_') || (kind === 'ours' && name.startsWith('PLUMB_'))
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(from)) {
    // A value with this beginning is a function, which an old bash would run.
    if (value !== undefined && isMeant(name) && !NEVER.has(name) && !value.startsWith('()')) env[name] = value
  }
  if (kind === 'ours' && env.PLUMB_ERRORS === 'text') delete env.PLUMB_ERRORS
  // Else Python holds back what it prints into a pipe until a buffer is full, and its reader waits for ever.
  if (kind === 'foreign') env.PYTHONUNBUFFERED ??= '1'
  // The trace of the run that it is a part of, as OpenTelemetry's libraries look for it.
  if (kind === 'foreign' && from.PLUMB_TRACEPARENT !== undefined) env.TRACEPARENT ??= from.PLUMB_TRACEPARENT
  return env
}

/** PLUMB_SANDBOX: a run refuses to run anything without a sandbox. `isAsked`: by the command line. Children inherit it by their environment. */
export const requireSandbox = (isAsked: boolean): Result<undefined> => {
  const { PLUMB_SANDBOX: value = '' } = process.env
  if (value !== '' && value !== 'require')
    return fail(
      'usage',
      `PLUMB_SANDBOX is '${preview(value)}': it takes 'require', which refuses what cannot have a sandbox, and no other value`,
    )
  if (isAsked) process.env.PLUMB_SANDBOX = 'require'
  return succeed(undefined)
}
