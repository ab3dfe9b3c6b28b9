// A started server: JSON-RPC on its stdin and stdout, a message a line. Other lines on stdout are counted, stderr is kept for error texts,
// and its process group ends with it.

import { dirname } from 'node:path'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { GRACE_MS, readStderr, type SandboxedChild, type StderrTail, spawnSandboxed, withGitGuard } from '@plumb/sandbox'
import {
  addSecret,
  andThen,
  childEnv,
  type Exit,
  isSecretName,
  LineReader,
  parseJson,
  preview,
  type Result,
  resolveProgram,
  scrub,
  succeed,
} from '@plumb/wire'
import type { Connecting, ServerConfig } from './connection.js'
import type { Link } from './link.js'
import { messagesIn } from './message.js'
import type { RawArguments } from './raw-arguments.js'
import { sandboxOf } from './server-entry.js'
import { waitAtMost } from './wait-at-most.js'

/** How long a server has to exit after the end of its stdin (MCP, Lifecycle, Shutdown). */
const LEAVE_MS = 500

/** `file_not_found`, `config_invalid` or `child_failed` if it cannot be started. */
export const openStdioLink = (
  config: ServerConfig,
  cwd: string | undefined,
  places: RawArguments,
  { note, onStderr, tracesSandbox, kept }: Pick<Connecting, 'note' | 'onStderr' | 'tracesSandbox' | 'kept'>,
): Result<Link> => {
  const { command = '', args = [], env = {}, specPath } = config
  for (const [name, value] of Object.entries(env)) if (isSecretName(name)) addSecret(value)
  const sandbox = andThen(sandboxOf(config, cwd), (own) => own({ warn: note, tracesSandbox }))
  if (!sandbox.ok) return sandbox
  const theirs = withGitGuard({ ...childEnv('foreign'), ...env })
  // For a sandbox it is resolved here, by the same rules.
  const program = sandbox.value ? resolveProgram(command, cwd ?? '.', theirs.PATH) : succeed(command)
  if (!program.ok) return program
  const spec = specPath === undefined ? [] : [specPath]
  const child = spawnSandboxed(
    sandbox.value,
    { command: [program.value, ...args], env: theirs, isForeign: true, ...(cwd === undefined ? {} : { cwd }) },
    {
      visible: spec.flatMap((path) => [dirname(path), path]),
      words: args,
      programFiles: { ...kept, paths: [...(kept?.paths ?? []), ...spec, program.value] },
    },
  )
  return child.ok ? succeed(attach(child.value, places, onStderr)) : child
}

interface State {
  stray: number
  /** The first and the last of them. */
  firstStray: string
  lastStray: string
  exit?: Exit
  /** Why it was terminated. */
  breach?: string
  /** The client is ready for messages. */
  hasStarted: boolean
  isClosed: boolean
}

const attach = (child: SandboxedChild, places: RawArguments, onStderr: ((line: string) => void) | undefined): Link => {
  const state: State = { stray: 0, firstStray: '', lastStray: '', hasStarted: false, isClosed: false }
  const stderr = readStderr(child.stderr, { line: onStderr })
  const transport: Transport = {
    start: async () => {
      state.hasStarted = true
      read()
    },
    // A server that does not read is not waited for: calls have their deadline.
    send: async (message) => void child.stdin.write(`${places.fill(JSON.stringify(message))}\n`),
    close: async () => close(),
  }
  const close = (): void => {
    if (state.isClosed) return
    state.isClosed = true
    transport.onclose?.()
  }
  const breakOff = (breach: string): void => {
    state.breach = breach
    close()
    void child.terminate(GRACE_MS)
  }
  const read = (): void => {
    if (!state.hasStarted && !state.isClosed) return
    while (reader.next()) {
      // Drained, so that a server that is asked to end is not blocked by its output.
      if (state.isClosed) continue
      // Longer than any message may be, so that the answer it may have been would never come.
      if (reader.fault?.error === 'line_too_long')
        return breakOff(`it wrote a line that is too long (line ${reader.line} is longer than ${reader.maxLine} bytes)`)
      const value = reader.fault ? readLossy(reader) : parseJson(reader.buf, reader.start, reader.end)
      if (value?.ok === false && value.error.error === 'too_deep') return breakOff('it wrote a message that is nested more than 512 deep')
      const messages = value?.ok ? messagesIn(value.value) : undefined
      if (!messages) {
        state.lastStray = shownLine(reader)
        if (state.stray++ === 0) state.firstStray = state.lastStray
      }
      for (const message of messages ?? []) transport.onmessage?.(message)
    }
    if (reader.hasEnded && !state.isClosed)
      void waitAtMost(LEAVE_MS, child.exited).then(() => !state.isClosed && breakOff('it closed its stdout'))
  }
  const reader = new LineReader(child.stdout, { onReadable: read })

  void child.exited.then((exit) => {
    state.exit = exit
    close()
  })

  const end = async (): Promise<void> => {
    close()
    read()
    child.stdin.end()
    await waitAtMost(LEAVE_MS, child.exited)
    await child.terminate(GRACE_MS)
  }
  const { findMissingAccess } = child
  return {
    transport,
    isStream: true,
    stderr,
    skipped: () => ({ count: state.stray, last: state.lastStray }),
    closeReason: () => closeReasonOf(state, stderr, findMissingAccess?.(stderr.tail)),
    findMissingAccess,
    end,
  }
}

/** A byte that is not UTF-8 costs its character, not the answer. */
const readLossy = ({ fault, buf, start, end }: LineReader): Result<unknown> | undefined => {
  if (fault?.error !== 'invalid_utf8') return undefined
  const text = Buffer.from(buf.toString('utf8', start, end))
  return parseJson(text, 0, text.length)
}

const MAX_SHOWN = 80

const shownLine = ({ buf, start, end }: LineReader): string =>
  preview(scrub(buf.toString('utf8', start, Math.min(end, start + 1000))), MAX_SHOWN)

const closeReasonOf = (
  { exit, breach, stray, firstStray }: State,
  { text }: StderrTail,
  lacked: string | undefined,
): string | undefined => {
  const ended = exit?.signal ? `it was ended by ${exit.signal}` : exit ? `it ended with status ${exit.status}` : undefined
  const said = text === '' ? undefined : `its stderr ends with: ${text}`
  const lines =
    stray === 1
      ? `1 line on its stdout was not JSON-RPC: '${firstStray}'`
      : `${stray} lines on its stdout were not JSON-RPC, the first '${firstStray}'`
  const skipped = stray === 0 ? undefined : lines
  const parts = [breach ?? ended, skipped, said, ended && lacked].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts.join('; ')
}
