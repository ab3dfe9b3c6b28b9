// plumb-chat --acp: the program as an agent of an editor that speaks the Agent Client Protocol (https://agentclientprotocol.com), version 1.

import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type {
  AgentContext,
  ContentBlock,
  NewSessionRequest,
  PromptRequest,
  RequestError,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk'
import {
  dieOf,
  type Fault,
  fail,
  fault,
  onStop,
  openInput,
  openOutput,
  preview,
  type Reporter,
  type Result,
  type StopSignal,
  succeed,
} from '@plumb/wire'
import { version } from '../../package.json'
import type { ChatProgram } from '../program/program.js'
import { type AcpSession, openAcpSession } from './acp-session.js'
import { openMessages } from './stream.js'

const PROTOCOL_VERSION = 1
/** Each is a child process. */
const MAX_SESSIONS = 32
const [ALLOW, EDIT] = ['allow', 'edit']

/**
 * Serves sessions on stdin and stdout until stdin ends. `args`: options and spec of the program; `hasDocroot`: they name the directory that
 * tools may use, else it is the session's. Resolves to the exit status; if a signal stopped it, this process dies of the same signal.
 */
export const serveAcp = async (
  program: ChatProgram,
  args: readonly string[],
  hasDocroot: boolean,
  reporter: Reporter,
): Promise<0 | 1 | 2> => {
  if (!program.input.isText) {
    reporter.report(fault('spec_invalid', `an editor sends text, and '${program.binding}' takes ${program.input.type ?? 'something else'}`))
    return 2
  }
  const late = await import('./acp.late.js')
  const source = openInput(0)
  const { stream, ended } = openMessages(source, openOutput(1))
  const sessions = new AcpSessions({ program, args, hasDocroot, reporter, ended, RequestError: late.RequestError })
  const connection = late
    .agent({ name: 'plumb-chat' })
    .onRequest('initialize', () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'plumb-chat', title: program.binding, version },
      agentCapabilities: {
        loadSession: false,
        promptCapabilities: { image: false, audio: false, embeddedContext: true },
        sessionCapabilities: { close: {} },
      },
      authMethods: [],
    }))
    .onRequest('session/new', ({ params, client }) => ({ sessionId: sessions.open(params, client) }))
    .onRequest('session/prompt', async ({ params }) => ({ stopReason: await sessions.prompt(params) }))
    .onRequest('session/close', async ({ params }) => {
      await sessions.close(params.sessionId)
      return {}
    })
    .onNotification('session/cancel', ({ params }) => sessions.cancel(params.sessionId))
    .connect(stream)
  let stoppedBy: StopSignal | undefined
  const forget = onStop(
    (signal) => {
      stoppedBy = signal
      source.destroy()
      connection.close()
    },
    (signal) => dieOf(signal),
  )
  await connection.closed
  await sessions.closeAll()
  source.destroy()
  forget()
  if (stoppedBy) dieOf(stoppedBy)
  return 0
}

interface SessionsOptions {
  readonly program: ChatProgram
  readonly args: readonly string[]
  readonly hasDocroot: boolean
  readonly reporter: Reporter
  /** Aborted when the editor has ended its messages. */
  readonly ended: AbortSignal
  readonly RequestError: typeof RequestError
}

class AcpSessions {
  readonly #options: SessionsOptions
  readonly #sessions = new Map<string, AcpSession>()
  readonly #ended: Promise<undefined>

  constructor(options: SessionsOptions) {
    this.#options = options
    this.#ended = new Promise((resolve) => options.ended.addEventListener('abort', () => resolve(undefined)))
  }

  open({ cwd, mcpServers }: NewSessionRequest, client: AgentContext): string {
    const { program, args, hasDocroot, reporter } = this.#options
    if (this.#sessions.size >= MAX_SESSIONS) throw this.#refuse(fault('overflow', `${MAX_SESSIONS} sessions are open: close one first`))
    this.#orRefuse(checkDirectory(cwd))
    if (mcpServers.length > 0)
      reporter.warn(
        fault('usage', `the tools of a program are those of its spec: the ${mcpServers.length} MCP servers of the editor are left out`),
      )
    const sessionId = randomUUID()
    const session = openAcpSession({
      program,
      args: hasDocroot ? args : ['--docroot', cwd, ...args],
      send: (update) => void client.notify('session/update', { sessionId, update }).catch(() => {}),
      ask: async (toolCall) => {
        const asked = client.request<RequestPermissionResponse>('session/request_permission', { sessionId, toolCall, options: OPTIONS })
        // An editor that has ended, or cannot ask, allows nothing.
        const answer = await Promise.race([asked, this.#ended]).catch(() => undefined)
        const chosen = answer?.outcome.outcome === 'selected' ? answer.outcome.optionId : undefined
        return chosen === EDIT ? 'edit' : chosen === ALLOW
      },
      report: (failure, severity) => (severity === 'error' ? reporter.report(failure) : reporter.warn(failure)),
      write: (line) => reporter.write(line),
    })
    this.#sessions.set(sessionId, this.#orRefuse(session))
    return sessionId
  }

  async prompt({ sessionId, prompt }: PromptRequest) {
    const session = this.#sessionOf(sessionId)
    return this.#orRefuse(await session.prompt(this.#orRefuse(promptText(prompt))))
  }

  cancel(id: string): void {
    this.#sessions.get(id)?.cancel()
  }

  async close(id: string): Promise<void> {
    const session = this.#sessionOf(id)
    this.#sessions.delete(id)
    await session.close()
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.close()))
  }

  #sessionOf(id: string): AcpSession {
    const session = this.#sessions.get(id)
    if (!session) throw this.#refuse(fault('usage', `there is no session '${preview(id)}'`))
    return session
  }

  #orRefuse<T>(result: Result<T>): T {
    if (!result.ok) throw this.#refuse(result.error)
    return result.value
  }

  #refuse({ error, detail, ...rest }: Fault): RequestError {
    const code = rest.category === 'internal' || rest.category === 'unavailable' ? INTERNAL_ERROR : INVALID_PARAMS
    return new this.#options.RequestError(code, detail, { error, ...rest })
  }
}

/** JSON-RPC 2.0, section 5.1. */
const INVALID_PARAMS = -32_602
const INTERNAL_ERROR = -32_603

/** A client that answers for a person (acpx --deny-all) takes the first option of a kind: the plain one comes first. */
const OPTIONS = [
  { optionId: ALLOW, name: 'Allow this call', kind: 'allow_once' as const },
  { optionId: 'reject', name: 'Reject it', kind: 'reject_once' as const },
  { optionId: EDIT, name: 'Change its input', kind: 'reject_once' as const },
]

const checkDirectory = (cwd: string): Result<void> => {
  if (!isAbsolute(cwd)) return fail('usage', `cwd is an absolute path, not '${preview(cwd)}'`)
  try {
    if (statSync(cwd).isDirectory()) return { ok: true, value: undefined }
  } catch {}
  return fail('file_not_found', `there is no directory '${preview(cwd)}' to work in`)
}

/** Files come as links, or whole where the editor embeds them; images and audio are not announced, and refused. */
const promptText = (blocks: readonly ContentBlock[]): Result<string> => {
  const texts: string[] = []
  for (const block of blocks) {
    const text = textOfBlock(block)
    if (text === undefined) return fail('unsupported_media', `a program of plumb takes text here, and no ${kindOf(block)}`)
    texts.push(text)
  }
  const text = texts.join('\n\n')
  return text.trim() === '' ? fail('input_type_mismatch', 'the message is empty') : succeed(text)
}

const textOfBlock = (block: ContentBlock): string | undefined => {
  if (block.type === 'text') return block.text
  if (block.type === 'resource_link') return `[${block.title ?? block.name}](${block.uri})`
  if (block.type !== 'resource' || !('text' in block.resource)) return undefined
  const { uri, text } = block.resource
  const fence = fenceFor(text)
  return `${uri}\n${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`
}

const kindOf = (block: ContentBlock): string => (block.type === 'resource' ? 'embedded file of bytes' : block.type)

// Longer than any run of backquotes in the text, as CommonMark requires.
const fenceFor = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  return '`'.repeat(longest + 1)
}
