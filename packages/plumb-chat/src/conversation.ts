// A conversation: what is typed goes to the program or is a command, and what comes back is shown. All order is decided here.
//
//   state      message typed                          program is quiet       Ctrl-C                                leave
//   ready      → handling                             the terminal opens     cancels the answer; twice: → leaving  → leaving
//   handling   –  (then → ready)                      –                      the same                              → leaving
//   leaving    –                                      –                      –                                     –

import { consentText } from '@plumb/ledger'
import { type Fault, fail, fault, hasStyles, onStop, parseJson, preview, type Result, type StopSignal } from '@plumb/wire'
import { type Answers, openAnswers } from './answers.js'
import { ApprovalPrompts } from './approvals.js'
import type { CommandContext } from './command/context.js'
import { readCommand } from './command/table.js'
import { openGrowing } from './growing.js'
import { formatEvent, formatFault } from './messages.js'
import type { ChatOptions } from './options.js'
import type { ControlEvent, ProgramEvent } from './program/events.js'
import { openDescriptions } from './program/list-tools.js'
import type { ChatProgram } from './program/program.js'
import { QuestionPrompts } from './questions.js'
import { Requests } from './requests.js'
import { type ChatSession, openChatSession, type SessionListener } from './session.js'
import { removeFences } from './terminal/continuation.js'
import type { Screen } from './terminal/screen.js'
import type { Terminal, TerminalListener } from './terminal/terminal.js'
import { openUsage } from './usage.js'

export interface ConversationParts {
  readonly program: ChatProgram
  readonly options: ChatOptions
  readonly specText: string
  /** Options and spec of the program. */
  readonly args: readonly string[]
  readonly screen: Screen
  readonly openTerminal: (listener: TerminalListener) => Terminal
  readonly remember: (message: string) => void
  /** Answers are shown piece by piece. */
  readonly isStreamed: boolean
  /** A person reads what is said about answers. */
  readonly isForPerson: boolean
  /** The conversation has ended, and no child is left. */
  readonly onEnd: (end: ConversationEnd) => void
}

export interface ConversationEnd {
  readonly status: 0 | 1 | 2
  /** The signal that ended it, if one did. */
  readonly signal: StopSignal | undefined
}

/** How long the program may take to end by itself after its input has ended. */
const GRACE_TIMEOUT_MS = 3000

export class ChatConversation {
  readonly #parts: ConversationParts
  readonly #terminal: Terminal
  readonly #usage = openUsage()
  readonly #answers: Answers
  readonly #grow: ReturnType<typeof openGrowing>
  readonly #approvals: ApprovalPrompts
  readonly #questions: QuestionPrompts
  readonly #requests = new Requests()
  /** Inputs of tool calls that have no result yet, by id. */
  readonly #toolInputs = new Map<string, string>()
  #state: 'ready' | 'handling' | 'leaving' = 'ready'
  #session: ChatSession | undefined
  /** Notes about an answer, by agent, that are shown after it. */
  #notes: { readonly agent: string; readonly text: string; readonly isError: boolean }[] = []
  #isPaused = false
  /** Ctrl-C was pressed, and nothing has happened since. */
  #isInterrupted = false
  #stopListening: () => void = () => {}
  readonly #leaving = new AbortController()

  constructor(parts: ConversationParts) {
    this.#parts = parts
    const { screen, program, isStreamed, openTerminal } = parts
    const { agents, talkers, growers } = program
    const isProse = (agent: string) => talkers.includes(agent) || !agents.includes(agent)
    const isGrowing = (agent: string) => parts.isForPerson && growers.includes(agent)
    this.#answers = openAnswers({ screen, isStreamed, isNamed: agents.length > 1, isProse, isGrowing })
    this.#grow = openGrowing((agent, text) => isGrowing(agent) && screen.agentNotice(agent, `[${agent}] ${text}`))
    this.#terminal = openTerminal({
      onMessage: (text) => void this.#handleMessage(text),
      onInterrupt: () => this.#interrupt(),
      onEnd: () => this.#leave(0),
    })
    screen.attach(this.#terminal)
    this.#approvals = new ApprovalPrompts({
      ask: (question) => {
        screen.endAnswer()
        screen.clear()
        return this.#terminal.ask(question).finally(() => screen.clear())
      },
      reword: (question) => this.#terminal.reword(question),
      withdraw: (why) => this.#terminal.withdraw(why),
      notice: screen.dimNotice,
      decide: (id, consent) => this.#session?.answer(id, consentText(id, consent)),
      edit: async (input) => (await import('./edit-input.js')).editInput(input, this.#terminal, screen, this.#leaving.signal),
      columns: () => (parts.isStreamed ? process.stdout.columns : undefined),
      isStyled: hasStyles(parts.isStreamed),
      describe: openDescriptions(parts),
    })
    this.#questions = new QuestionPrompts({ notice: screen.notice, answer: (id, json) => this.#session?.answer(id, json) })
  }

  start(): void {
    this.#listenToSignals()
    const failure = this.#startSession()
    if (failure) {
      this.#parts.screen.fault(formatFault(failure))
      this.#leave(2)
    } else this.#openTerminalIfQuiet()
  }

  /** The terminal has closed: ends without an error. */
  hangUp(): void {
    this.#leave(0)
  }

  /** Answers cannot be shown any more: ends with an error. */
  abort(failure: Fault): void {
    if (this.#state !== 'leaving') this.#showFault(failure)
    this.#leave(1)
  }

  #startSession(): Fault | undefined {
    const { program, args } = this.#parts
    const session = openChatSession(program, args, this.#sessionListener())
    if (!session.ok) return session.error
    this.#session = session.value
    return undefined
  }

  #sessionListener(): SessionListener {
    const { program, screen } = this.#parts
    return {
      onOutput: (json, port) => {
        this.#answers.output(json, program.outputs.length > 1 ? port : undefined)
        this.#showNotes()
      },
      onEvent: (event) => this.#handleEvent(event),
      onReply: (reply) => {
        if (reply.kind === 'approval') this.#approvals.add(reply)
        else if (reply.kind === 'question') this.#takeQuestion(reply)
        else if (!this.#requests.settle(reply) && reply.kind === 'error') this.#showFault(reply as unknown as Fault)
      },
      onFault: (error) => this.#showFault(error),
      onWarning: (warning) => screen.notice(formatFault(warning, 'warning')),
      onStderrLine: (line) => screen.notice(line),
      onQuiet: () => {
        this.#approvals.end()
        this.#questions.end()
        this.#openTerminalIfQuiet()
      },
      onExit: ({ status, signal }) => {
        this.#requests.end()
        this.#approvals.end()
        if (this.#state === 'leaving') return
        const { runs } = program
        if (signal) this.#showFault(fault('child_failed', `${runs} was ended by ${signal}`))
        else if (status === 0) screen.notice(`${runs} has come to its end`)
        this.#leave(status === 0 ? 0 : status === 2 ? 2 : 1)
      },
    }
  }

  #takeQuestion(reply: ControlEvent): void {
    this.#parts.screen.endAnswer()
    this.#questions.add(reply)
    this.#openTerminalIfQuiet()
  }

  #handleEvent(event: ProgramEvent): void {
    if (event.kind === 'thinking') {
      if (this.#parts.options.chat.showsThinking) this.#parts.screen.agentNotice(event.agent, `[${event.agent} thinking] ${event.text}`)
      return
    }
    if (event.kind === 'partial') return this.#grow(event)
    if (event.kind === 'approval') {
      this.#approvals.settle(event.id, event.outcome)
      // The call is shown with what it runs with.
      if (event.inputText !== undefined) this.#toolInputs.set(event.id.replace(/~\d+$/, ''), event.inputText)
    }
    if (event.kind === 'usage') this.#usage.add(event)
    if (event.kind === 'tool_call') this.#toolInputs.set(event.id, event.inputText ?? JSON.stringify(event.input) ?? '')
    this.#answers.addEvent(event)
    const { isForPerson, program } = this.#parts
    const text = formatEvent(event, { inputOf: (id) => this.#toolInputs.get(id), isForPerson })
    if (event.kind === 'tool_result') this.#toolInputs.delete(event.id)
    if (text === undefined) return
    const name = isForPerson && program.agents.length <= 1 ? '' : `[${event.agent}] `
    const isError = isForPerson && event.kind === 'tool_result' && event.is_error
    this.#notes.push({ agent: event.agent, text: `${name}${text}`, isError })
    // Usage is shown after the answer, which may still be on its way.
    if (event.kind !== 'usage') this.#showNotes()
  }

  #showNotes(): void {
    const { screen } = this.#parts
    for (const { agent, text, isError } of this.#notes.splice(0)) {
      if (isError) screen.fault(text)
      else screen.agentNotice(agent, text)
    }
  }

  // After all answers to what was said.
  #showTurn(): void {
    const turn = this.#usage.takeTurn()
    if (turn !== undefined && this.#parts.isForPerson) this.#parts.screen.dimNotice(turn)
  }

  #showFault(error: Fault): void {
    const { screen } = this.#parts
    if (error.error === 'cancelled') screen.notice('the answer was dropped')
    else screen.fault(formatFault(error))
  }

  #openTerminalIfQuiet(): void {
    const isAwaited = this.#session?.isQuiet || this.#isPaused || this.#questions.isWaiting
    if (this.#state === 'ready') this.#parts.screen.wait(!isAwaited)
    if (this.#state !== 'ready' || !isAwaited) return
    this.#answers.end()
    this.#showNotes()
    this.#showTurn()
    this.#isInterrupted = false
    this.#terminal.open()
  }

  async #handleMessage(text: string): Promise<void> {
    const { screen, remember } = this.#parts
    const isCommand = /^\/(?!\/)/.test(text)
    this.#isInterrupted = false
    if (text.trim() !== '') remember(text)
    if (this.#state === 'ready') this.#state = 'handling'
    if (!isCommand) await this.#usage.ready()
    const isAnswer = !isCommand && this.#questions.isWaiting
    if (isAnswer) this.#questions.take(removeFences(text))
    const failure = isCommand
      ? await this.#runCommand(text)
      : isAnswer
        ? undefined
        : this.#sendMessage(removeFences(text).replace(/^\/\//, '/'))
    if (this.#state === 'handling') this.#state = 'ready'
    if (failure) screen.fault(formatFault(failure))
    this.#openTerminalIfQuiet()
  }

  #sendMessage(text: string): Fault | undefined {
    if (text.trim() === '') return undefined
    const { isText, type } = this.#parts.program.input
    // JSON may have line ends between its tokens, but not inside its strings.
    const json = isText ? JSON.stringify(text) : text.replace(/[\r\n]/g, ' ')
    const parsed = isText ? undefined : parseJson(Buffer.from(json), 0, Buffer.byteLength(json))
    if (parsed?.ok === false)
      return fault('invalid_json', `${parsed.error.detail}; it takes ${preview(type ?? 'JSON', 200)}, written as JSON`)
    this.#session?.send(json)
    return undefined
  }

  async #runCommand(text: string): Promise<Fault | undefined> {
    const found = readCommand(text.trim())
    return 'error' in found ? found.error : found.command.run(found.argument, this.#commandContext())
  }

  #commandContext(): CommandContext {
    const { screen, program, options, specText } = this.#parts
    const control = (message: Readonly<Record<string, unknown>>): boolean => this.#session?.control(message) === true
    return {
      screen,
      program,
      options,
      specText,
      usage: this.#usage,
      control: async (message) => {
        const session = this.#session
        if (!session || !control(message)) return fault('unknown_port', NO_CONTROL)
        // A plumb settles only after the pause.
        const cannotSettle = this.#isPaused && program.runs === 'plumb'
        return cannotSettle ? undefined : this.#requests.waitForError(session.controlProcessed())
      },
      request: async (message, kind): Promise<Result<ControlEvent>> => {
        if (!program.hasControl) return fail('unknown_port', NO_CONTROL)
        const reply = this.#requests.waitFor(kind)
        control(message)
        return reply
      },
      setPaused: (isPaused) => {
        this.#isPaused = isPaused
      },
      leave: () => this.#leave(0),
    }
  }

  #interrupt(signal?: StopSignal): void {
    const { screen } = this.#parts
    if (this.#state === 'leaving') return
    if (this.#isInterrupted) return this.#leave(0, signal ?? 'SIGINT')
    this.#isInterrupted = true
    if (this.#session?.isQuiet) return screen.notice('Ctrl-C again leaves, and so does Ctrl-D')
    if (!this.#session?.control({ cancel: true })) this.#restartSession()
  }

  // For a program without control, which cannot cancel a single answer.
  #restartSession(): void {
    const old = this.#session
    this.#requests.end()
    this.#approvals.end()
    this.#questions.end()
    void old?.abandon()
    const failure = this.#startSession()
    if (failure) {
      this.#showFault(failure)
      return this.#leave(1)
    }
    this.#answers.end()
    this.#notes = []
    this.#parts.screen.notice('the answer was dropped; this program takes no control, so it was restarted and has lost its memory')
    this.#openTerminalIfQuiet()
  }

  // Each SIGINT counts as Ctrl-C: a terminal that is not in raw mode turns the key into the signal.
  #listenToSignals(): void {
    this.#stopListening = onStop(
      (signal) => {
        this.#stopListening()
        this.#listenToSignals()
        if (signal === 'SIGINT') this.#interrupt(signal)
        else this.#leave(0, signal)
      },
      () => {},
      { mayStay: true },
    )
  }

  #leave(status: ConversationEnd['status'], signal?: StopSignal): void {
    if (this.#state === 'leaving') return
    this.#state = 'leaving'
    this.#leaving.abort()
    const { screen, onEnd } = this.#parts
    screen.endAnswer()
    screen.wait(false)
    this.#terminal.close()
    screen.detach()
    void this.#session?.close(signal || !this.#session.isQuiet ? 0 : GRACE_TIMEOUT_MS).then(() => {
      this.#stopListening()
      onEnd({ status, signal })
    })
    if (!this.#session) onEnd({ status, signal })
  }
}

const NO_CONTROL = "this program takes no control: let its main have the ports 'ctrl_in' and 'ctrl_out', or talk to one agent with --agent"
