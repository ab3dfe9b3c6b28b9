// A conversation: what is typed goes to the program or is a command, and what comes back is shown. All order is decided here.

import { type Fault, fail, fault, onStop, parseJson, preview, type Result, type StopSignal } from '@plumb/wire'
import { openAnswers } from './answers.js'
import { Approvals } from './approvals.js'
import type { Desk } from './command/command.js'
import { readCommand } from './command/table.js'
import type { Options } from './options.js'
import type { Program } from './program/program.js'
import { Requests } from './requests.js'
import { type Listener, openSession, type Session, type Told } from './session.js'
import { unfenced } from './terminal/continuation.js'
import type { Screen } from './terminal/screen.js'
import type { Person, Terminal } from './terminal/terminal.js'
import { openUsage } from './usage.js'
import { faultWords, toldWords } from './words.js'

export interface TalkParts {
  readonly program: Program
  readonly options: Options
  readonly specText: string
  /** Options and spec of the program. */
  readonly args: readonly string[]
  readonly screen: Screen
  readonly openTerminal: (person: Person) => Terminal
  readonly remember: (said: string) => void
  /** Answers are shown as they come. */
  readonly isStreamed: boolean
}

export interface Farewell {
  readonly status: 0 | 1 | 2
  /** What ended it. */
  readonly signal: StopSignal | undefined
}

/** The program has so long to end by itself once nobody talks to it any more. */
const GRACE_MS = 3000

export class Talk {
  readonly #parts: TalkParts
  readonly #terminal: Terminal
  readonly #usage = openUsage()
  readonly #answers
  readonly #approvals
  readonly #requests = new Requests()
  readonly #inputs = new Map<string, unknown>()
  #session: Session | undefined
  /** Told beside an answer, and shown behind it. */
  #asides: [string, string][] = []
  #isBusy = false
  #isPaused = false
  #isLeaving = false
  /** Ctrl-C was pressed, and nothing came of it yet. */
  #isInterrupted = false
  #forgetSignals: () => void = () => {}
  #end: (farewell: Farewell) => void = () => {}

  constructor(parts: TalkParts) {
    this.#parts = parts
    const { screen, program, isStreamed, openTerminal } = parts
    this.#answers = openAnswers({ screen, isStreamed, isNamed: program.agents.length > 1 })
    this.#terminal = openTerminal({
      onMessage: (text) => void this.#hear(text),
      onInterrupt: () => this.#interrupt(),
      onEnd: () => this.#leave(0),
    })
    screen.terminal = this.#terminal
    this.#approvals = new Approvals({
      ask: (question) => {
        screen.endAnswer()
        return this.#terminal.ask(question)
      },
      reword: (question) => this.#terminal.reword(question),
      withdraw: (why) => this.#terminal.withdraw(why),
      notice: screen.notice,
      control: (message) => void this.#session?.control(message),
    })
  }

  /** Nobody sees it any more. */
  hangUp(): void {
    this.#leave(0)
  }

  /** What is answered can be shown no more. */
  giveUp(failure: Fault): void {
    if (!this.#isLeaving) this.#fault(failure)
    this.#leave(1)
  }

  /** Resolves when it is over and no child is left. */
  run(): Promise<Farewell> {
    return new Promise((resolve) => {
      this.#end = resolve
      this.#listenToSignals()
      const failure = this.#start()
      if (failure) {
        this.#parts.screen.fault(faultWords(failure))
        this.#leave(2)
      } else this.#ready()
    })
  }

  #start(): Fault | undefined {
    const { program, args } = this.#parts
    const session = openSession(program, args, this.#listener())
    if (!session.ok) return session.error
    this.#session = session.value
    return undefined
  }

  #listener(): Listener {
    const { program, screen } = this.#parts
    return {
      onOutput: (json, port) => {
        this.#answers.output(json, program.outputs.length > 1 ? port : undefined)
        this.#tellAsides()
      },
      onTold: (told) => this.#told(told),
      onReply: (reply) => {
        if (reply.kind === 'approval') this.#approvals.add(reply)
        else if (!this.#requests.settle(reply) && reply.kind === 'error') this.#fault(reply as unknown as Fault)
      },
      onFault: (error) => this.#fault(error),
      onLine: (line) => screen.notice(line),
      onQuiet: () => {
        this.#approvals.end()
        this.#ready()
      },
      onExit: ({ status, signal }) => {
        this.#requests.end()
        this.#approvals.end()
        if (this.#isLeaving) return
        const { runs } = program
        if (signal) this.#fault(fault('child_failed', `${runs} was ended by ${signal}`))
        else if (status === 0) screen.notice(`${runs} has come to its end`)
        this.#leave(status === 0 ? 0 : status === 2 ? 2 : 1)
      },
    }
  }

  #told(told: Told): void {
    if (told.kind === 'thinking') {
      if (this.#parts.options.showsThinking) this.#parts.screen.tell(told.agent, `[${told.agent} thinking] ${told.text}`)
      return
    }
    if (told.kind === 'approval') this.#approvals.settle(told.id, told.outcome)
    if (told.kind === 'usage') this.#usage.add(told)
    if (told.kind === 'tool_call') this.#inputs.set(told.id, told.input)
    this.#answers.told(told)
    const words = toldWords(told, (id) => this.#inputs.get(id))
    if (told.kind === 'tool_result') this.#inputs.delete(told.id)
    if (words === undefined) return
    this.#asides.push([told.agent, `[${told.agent}] ${words}`])
    // What it used is told behind the answer, which may still be on its way.
    if (told.kind !== 'usage') this.#tellAsides()
  }

  #tellAsides(): void {
    for (const [agent, text] of this.#asides.splice(0)) this.#parts.screen.tell(agent, text)
  }

  #fault(error: Fault): void {
    const { screen } = this.#parts
    if (error.error === 'cancelled') screen.notice('the answer was dropped')
    else screen.fault(faultWords(error))
  }

  // Something may be said now, unless an answer is on its way.
  #ready(): void {
    if (this.#isLeaving || this.#isBusy || !(this.#session?.isQuiet || this.#isPaused)) return
    this.#answers.end()
    this.#tellAsides()
    this.#isInterrupted = false
    this.#terminal.open()
  }

  async #hear(text: string): Promise<void> {
    const { screen, remember } = this.#parts
    const isCommand = /^\/(?!\/)/.test(text)
    this.#isInterrupted = false
    if (text.trim() !== '') remember(text)
    this.#isBusy = true
    const failure = isCommand ? await this.#command(text) : this.#say(unfenced(text).replace(/^\/\//, '/'))
    this.#isBusy = false
    if (failure) screen.fault(faultWords(failure))
    this.#ready()
  }

  #say(text: string): Fault | undefined {
    if (text.trim() === '') return undefined
    const { isText, type } = this.#parts.program.input
    // Outside its strings JSON may have line ends, and in them it has none.
    const json = isText ? JSON.stringify(text) : text.replace(/[\r\n]/g, ' ')
    const parsed = isText ? undefined : parseJson(Buffer.from(json), 0, Buffer.byteLength(json))
    if (parsed?.ok === false)
      return fault('invalid_json', `${parsed.error.detail}; it takes ${preview(type ?? 'JSON', 200)}, written as JSON`)
    this.#session?.send(json)
    return undefined
  }

  async #command(text: string): Promise<Fault | undefined> {
    const found = readCommand(text.trim())
    return 'error' in found ? found.error : found.command.run(found.argument, this.#desk())
  }

  #desk(): Desk {
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
        // A plumb that holds messages back settles later.
        const isSilent = this.#isPaused && program.runs === 'plumb'
        return isSilent ? undefined : this.#requests.refusal(session.heardControl())
      },
      request: async (message, kind): Promise<Result<Readonly<Record<string, unknown>> & { kind: string }>> => {
        if (!program.hasControl) return fail('unknown_port', NO_CONTROL)
        const reply = this.#requests.wait(kind)
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
    if (this.#isLeaving) return
    if (this.#isInterrupted) return this.#leave(0, signal ?? 'SIGINT')
    this.#isInterrupted = true
    if (this.#session?.isQuiet) return screen.notice('Ctrl-C again leaves, and so does Ctrl-D')
    if (!this.#session?.control({ cancel: true })) this.#restart()
  }

  // It cannot be told to drop one answer.
  #restart(): void {
    const old = this.#session
    this.#requests.end()
    this.#approvals.end()
    void old?.abandon()
    const failure = this.#start()
    if (failure) {
      this.#fault(failure)
      return this.#leave(1)
    }
    this.#answers.end()
    this.#asides = []
    this.#parts.screen.notice('the answer was dropped; this program hears no control, so it was started anew and has forgotten all')
    this.#ready()
  }

  // Each SIGINT is as Ctrl-C, which is what it comes from where the terminal makes it a signal.
  #listenToSignals(): void {
    this.#forgetSignals = onStop(
      (signal) => {
        this.#forgetSignals()
        this.#listenToSignals()
        if (signal === 'SIGINT') this.#interrupt(signal)
        else this.#leave(0, signal)
      },
      () => {},
      { mayStay: true },
    )
  }

  #leave(status: Farewell['status'], signal?: StopSignal): void {
    if (this.#isLeaving) return
    this.#isLeaving = true
    const { screen } = this.#parts
    screen.endAnswer()
    this.#terminal.close()
    screen.terminal = undefined
    void this.#session?.close(signal || !this.#session.isQuiet ? 0 : GRACE_MS).then(() => {
      this.#forgetSignals()
      this.#end({ status, signal })
    })
    if (!this.#session) this.#end({ status, signal })
  }
}

const NO_CONTROL = "this program hears no control: let its main have the ports 'ctrl_in' and 'ctrl_out', or talk to one agent with --agent"
