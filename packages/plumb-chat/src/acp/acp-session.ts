// One conversation of an editor with the program: its messages are turns, and updates are sent while a turn runs.
//
//   state      prompt()            output, event   cancel()     all is settled            the child exits
//   idle       → turn              sent            –            –                         → ended
//   turn       refused             sent            → cancelled  → idle, answers prompt()  → ended, the error answers prompt()
//   cancelled  refused             sent            –            → idle, answers prompt()  → ended, the same
//   ended      refused, with why   –               –            –                         –

import type { SessionUpdate, StopReason, ToolCallUpdate, ToolKind } from '@agentclientprotocol/sdk'
import { consentText } from '@plumb/ledger'
import { escapeLines, type Fault, fail, fault, preview, type Result, succeed } from '@plumb/wire'
import { inOneLine } from '@plumb/wire/edit-json'
import { textOfJson } from '../answers.js'
import { formatFault } from '../messages.js'
import type { ControlEvent, ProgramEvent } from '../program/events.js'
import type { ChatProgram } from '../program/program.js'
import { QuestionPrompts } from '../questions.js'
import { type ChatSession, openChatSession, type SessionListener } from '../session.js'

export interface AcpSessionParts {
  readonly program: ChatProgram
  /** Options and spec of the program. */
  readonly args: readonly string[]
  readonly send: (update: SessionUpdate) => void
  /** Resolves to whether the person allows the call, or will write another input for it. */
  readonly ask: (call: ToolCallUpdate) => Promise<boolean | 'edit'>
  /** Text that belongs to no turn, for stderr. */
  readonly report: (failure: Fault, severity: 'error' | 'warning') => void
  readonly write: (line: string) => void
}

interface Turn {
  readonly faults: Fault[]
  readonly end: (ended: Result<StopReason>) => void
  isCancelled: boolean
  hasOutput: boolean
}

/** Faults that ACP has a stop reason for; every other is the error of the turn. */
const STOP_REASONS: Readonly<Record<string, StopReason>> = { answer_refused: 'refusal', tool_limit: 'max_turn_requests' }

const KINDS: Readonly<Record<string, ToolKind>> = {
  ...Object.fromEntries(['read_file', 'read_directory', 'import_image'].map((name) => [name, 'read' as const])),
  ...Object.fromEntries(['apply_patch', 'write_file', 'append_to_file', 'find_and_replace'].map((name) => [name, 'edit' as const])),
  ...Object.fromEntries(['grep', 'glob', 'markdown_search', 'code_search'].map((name) => [name, 'search' as const])),
  ...Object.fromEntries(['webpage_to_markdown', 'http_get'].map((name) => [name, 'fetch' as const])),
  delete_file: 'delete',
}

export const openAcpSession = (parts: AcpSessionParts): Result<AcpSession> => {
  const session = new AcpSession(parts)
  const failure = session.start()
  return failure ? { ok: false, error: failure } : succeed(session)
}

export class AcpSession {
  readonly #parts: AcpSessionParts
  #session: ChatSession | undefined
  #turn: Turn | undefined
  /** Why no further message is accepted. */
  #ended: Fault | undefined
  /** The part of the current streamed answer that was sent, and the last streamed answer. */
  #streamed = ''
  #last = ''
  /** The agent whose thoughts were sent last. */
  #thinker = ''
  /** Calls that wait for approval. */
  readonly #asked = new Set<string>()
  /** The call whose other input is the next message of the editor. */
  #edited: string | undefined
  /** A question ends its turn, and the next message of the editor answers it. */
  readonly #questions: QuestionPrompts

  constructor(parts: AcpSessionParts) {
    this.#parts = parts
    this.#questions = new QuestionPrompts({
      notice: (text) => this.#sendMessage(text),
      answer: (id, json) => this.#session?.answer(id, json),
    })
  }

  start(): Fault | undefined {
    const { program, args } = this.#parts
    const session = openChatSession(program, args, this.#listener())
    if (!session.ok) return session.error
    this.#session = session.value
    return undefined
  }

  /** Resolves when the program has settled the message, and every update of the turn was sent. */
  prompt(text: string): Promise<Result<StopReason>> {
    if (this.#ended) return Promise.resolve({ ok: false, error: this.#ended })
    if (this.#turn) return Promise.resolve(fail('usage', 'the message before is still being answered: cancel it, or wait'))
    return new Promise((end) => {
      this.#turn = { faults: [], end, isCancelled: false, hasOutput: false }
      if (this.#edited !== undefined) return this.#takeEdited(this.#edited, text)
      if (!this.#questions.isWaiting) return this.#session?.send(JSON.stringify(text))
      this.#questions.take(text)
      // A field of the answer is still missing.
      if (this.#questions.isWaiting) this.#endTurn(succeed('end_turn'))
    })
  }

  /** Cancels the turn, if there is one. A program without control is restarted, and loses its memory. */
  cancel(): void {
    const turn = this.#turn
    if (!turn || turn.isCancelled) return
    turn.isCancelled = true
    if (this.#session?.control({ cancel: true })) return
    void this.#session?.abandon()
    const failure = this.start()
    if (failure) this.#ended = failure
    this.#endTurn(succeed('cancelled'))
  }

  /** Resolves when no child is left. */
  async close(): Promise<void> {
    this.#ended ??= fault('cancelled', 'the session was closed')
    this.#endTurn(succeed('cancelled'))
    await this.#session?.close(0)
  }

  #listener(): SessionListener {
    const { report, write, program } = this.#parts
    return {
      onOutput: (json, port) => this.#sendOutput(json, program.outputs.length > 1 ? port : undefined),
      onEvent: (event) => this.#sendEvent(event),
      onReply: (reply) => void this.#takeReply(reply),
      onFault: (failure) => this.#takeFault(failure),
      onWarning: (warning) => report(warning, 'warning'),
      onStderrLine: write,
      onQuiet: () => {
        this.#questions.end()
        this.#edited = undefined
        this.#endTurn(this.#outcome())
      },
      onExit: ({ status, signal }) => {
        const why = signal ? `was ended by ${signal}` : `has come to its end, with status ${status}`
        this.#ended ??= this.#turn?.faults[0] ?? fault('child_failed', `${program.runs} ${why}; begin another session`)
        this.#endTurn({ ok: false, error: this.#ended })
      },
    }
  }

  #outcome(): Result<StopReason> {
    const { faults = [], isCancelled = false } = this.#turn ?? {}
    if (isCancelled) return succeed('cancelled')
    const [first] = faults
    if (!first) return succeed('end_turn')
    const reason = STOP_REASONS[first.error]
    if (reason === undefined) return { ok: false, error: first }
    this.#sendText('agent_message_chunk', formatFault(first))
    return succeed(reason)
  }

  #endTurn(ended: Result<StopReason>): void {
    const turn = this.#turn
    this.#turn = undefined
    this.#streamed = this.#last = this.#thinker = ''
    this.#asked.clear()
    if (!turn) return
    // The first fault ends the turn.
    for (const failure of turn.faults.slice(1)) this.#parts.report(failure, 'error')
    turn.end(ended)
  }

  #takeFault(failure: Fault): void {
    if (failure.error === 'cancelled') return
    if (this.#turn) this.#turn.faults.push(failure)
    else {
      // A fault that says why the program cannot start comes before its exit.
      if (failure.category === 'config') this.#ended ??= failure
      this.#parts.report(failure, 'error')
    }
  }

  #sendText(sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', text: string): void {
    if (text !== '') this.#parts.send({ sessionUpdate, content: { type: 'text', text } })
  }

  // A streamed answer is not sent again.
  #sendOutput(json: string, name: string | undefined): void {
    const text = textOfJson(json)
    const wasSent = this.#last !== '' && this.#last.trim() === text.trim()
    this.#last = ''
    if (!wasSent) this.#sendMessage(name === undefined ? text : `${name}: ${text}`)
  }

  #sendMessage(text: string): void {
    const gap = this.#turn?.hasOutput ? '\n\n' : ''
    if (this.#turn) this.#turn.hasOutput = true
    this.#sendText('agent_message_chunk', `${gap}${text}`)
  }

  #sendEvent(event: ProgramEvent): void {
    const { program, send } = this.#parts
    const isAlone = program.runs === 'plumb-agent'
    switch (event.kind) {
      case 'text':
        // Output of an agent within a program is not yet the answer.
        if (!isAlone) return this.#sendThought(event.agent, event.delta)
        if (this.#streamed === '') this.#sendMessage(event.delta)
        else this.#sendText('agent_message_chunk', event.delta)
        this.#streamed += event.delta
        return
      case 'thinking':
        return this.#sendThought(event.agent, event.text)
      case 'usage':
        this.#last = this.#streamed
        this.#streamed = ''
        return
      // The answer is requested again, and streamed from its beginning.
      case 'retry':
        this.#last = this.#streamed = ''
        return this.#sendThought(event.agent, `asks again: ${event.reason}`)
      case 'tool_call':
        return send({ sessionUpdate: 'tool_call', ...describeCall(event.id, event.name, event.input), status: 'in_progress' })
      case 'tool_result':
        return send({ sessionUpdate: 'tool_call_update', toolCallId: event.id, status: event.is_error ? 'failed' : 'completed' })
      case 'approval':
        this.#asked.delete(event.id)
        if (this.#edited === event.id) this.#edited = undefined
        return
    }
  }

  #sendThought(agent: string, text: string): void {
    const isNew = this.#thinker !== agent && this.#parts.program.agents.length > 1
    const start = this.#thinker === '' ? '' : '\n\n'
    this.#thinker = agent
    this.#sendText('agent_thought_chunk', isNew ? `${start}[${agent}] ${text}` : text)
  }

  /** It is asked about again, or refused by `skip`. */
  #takeEdited(id: string, text: string): void {
    const isSkipped = text.trim() === 'skip'
    const json = inOneLine(text)
    if (!isSkipped && !json.ok) return this.#askInput(`That is not JSON: ${json.error.detail}`)
    this.#edited = undefined
    this.#session?.answer(id, consentText(id, json.ok && { edited: json.value }))
  }

  #askInput(text: string): void {
    this.#sendMessage(`${text}\n\nThe next message is its input, as JSON, or skip:`)
    this.#endTurn(succeed('end_turn'))
  }

  async #takeReply(reply: ControlEvent): Promise<void> {
    if (reply.kind === 'error') return this.#takeFault(reply as unknown as Fault)
    if (reply.kind === 'question') {
      this.#questions.add(reply)
      return this.#endTurn(succeed('end_turn'))
    }
    const { id, tool, input, inputText = JSON.stringify(input), wrong } = reply
    if (reply.kind !== 'approval' || typeof id !== 'string') return
    this.#asked.add(id)
    if (typeof wrong === 'string') this.#sendMessage(`Not changed: ${escapeLines(wrong)}`)
    const consent = await this.#parts.ask({ ...describeCall(id, String(tool), input), status: 'pending' })
    // It may have been decided meanwhile: it timed out, or its turn was cancelled.
    if (!this.#asked.delete(id)) return
    if (consent !== 'edit') return this.#session?.answer(id, consentText(id, consent))
    this.#edited = id
    this.#askInput(`The input of '${preview(String(tool))}' is ${preview(inputText, MAX_INPUT)}`)
  }
}

const MAX_INPUT = 4000

const describeCall = (toolCallId: string, title: string, rawInput: unknown) => ({
  toolCallId,
  title,
  rawInput,
  kind: Object.hasOwn(KINDS, title) ? (KINDS[title] as ToolKind) : ('other' as const),
})
