// An agent that answers from a script, in this process: over the same streams as plumb-agent, with its memory and its control.

import { type AgentPlan, conversationKey, type GraphNode, type Identity, type KeyReader } from '@plumb/lang'
import { openInProcessChild, type Spawned } from '@plumb/runtime/child'
import type { Walk } from '@plumb/tool/internal'
import {
  type Code,
  controlText,
  DEFAULT_PORT,
  doneText,
  errorText,
  type Fault,
  FDS,
  fault,
  isCode,
  LineReader,
  LineWriter,
  preview,
  type Result,
  telemetryText,
  valueText,
} from '@plumb/wire'
import type { ScriptPlayer } from './script-player.js'
import { ScriptedMemory } from './scripted-memory.js'
import type { ScriptedWalks } from './scripted-walks.js'

export interface ScriptedAgentOptions {
  readonly node: GraphNode
  readonly plan: AgentPlan
  readonly player: ScriptPlayer | undefined
  /** Returns a random answer of its output type. */
  readonly random: () => string
  /** Calls a tool by the agent's name for it. */
  readonly call: (tool: string, input: string) => Promise<Result<string>>
  readonly asked: (input: string) => void
  /** Its calls keep to a protocol. */
  readonly walks?: ScriptedWalks | undefined
  /** Called with each question that the script has no answer to. */
  readonly lacked: (message: string) => void
  /** Called with each answer. */
  readonly answered?: (input: string, answer: string) => void
}

/** The limit of consecutive tool calls of a script. */
const MAX_CALLS = 1000
/** As of an agent whose spec says nothing of it. */
const MAX_RETRIES = 3

export const startScriptedAgent = (options: ScriptedAgentOptions): Spawned => {
  const hasControl = options.node.inputs.some(({ name }) => name === 'ctrl_in')
  const { child, ends } = openInProcessChild(hasControl ? [FDS.ctrl_in] : [])
  const agent = new ScriptedAgent(options, ends)
  void agent.work()
  return { child, kind: 'agent', isEnveloped: false, isCounting: true, controls: 0 }
}

type Ends = ReturnType<typeof openInProcessChild>['ends']

class ScriptedAgent {
  readonly #o: ScriptedAgentOptions
  readonly #ends: Ends
  readonly #inputs: LineReader
  readonly #controls: LineReader | undefined
  readonly #out: LineWriter
  readonly #memory: ScriptedMemory
  readonly #key: KeyReader | undefined
  /** Messages so far. */
  readonly #taken = { inputs: 0, controls: 0 }
  #wake: () => void = () => {}

  constructor(options: ScriptedAgentOptions, ends: Ends) {
    this.#o = options
    this.#ends = ends
    const wakes = { onReadable: () => this.#wake() }
    this.#inputs = new LineReader(ends.stdin, wakes)
    const control = ends.fds.get(FDS.ctrl_in)
    this.#controls = control && new LineReader(control, wakes)
    this.#out = new LineWriter(ends.stdout)
    this.#key = conversationKey(options.plan.bound)
    const kind = options.plan.config.amnesiac === true ? 'none' : this.#key ? 'many' : 'one'
    this.#memory = new ScriptedMemory(kind, options.walks, (reply) => this.#out.writeText(valueText([], 'ctrl_out', JSON.stringify(reply))))
  }

  async work(): Promise<void> {
    const { stopped } = this.#ends
    stopped.addEventListener('abort', () => this.#wake())
    while (!stopped.aborted) {
      if (this.#controls?.next()) this.#control(this.#controls)
      else if (!this.#memory.isPaused && this.#inputs.next()) await this.#answer(this.#inputs)
      else if (this.#inputs.hasEnded && (this.#controls?.hasEnded ?? true)) break
      else await this.#awaitMore()
    }
    await this.#out.end()
    this.#ends.exit(0)
  }

  // Nothing can have come since the readers were checked.
  #awaitMore(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #control({ buf, start, end }: LineReader): void {
    this.#memory.apply(buf.toString('utf8', start, end))
    this.#out.writeText(controlText(++this.#taken.controls, this.#memory.isPaused))
  }

  async #answer({ buf, start, end }: LineReader): Promise<void> {
    const input = buf.toString('utf8', start, end)
    const { answered } = this.#o
    const seq = ++this.#taken.inputs
    const conversation = this.#key?.read(buf, start, end)
    const isNamed = !this.#key || conversation !== undefined
    const result: Result<string> = isNamed ? await this.#ask(input, conversation) : { ok: false, error: this.#unnamed() }
    if (result.ok) {
      this.#memory.add(input, result.value, conversation)
      this.#writeText(`{"kind":"output","value":${result.value},"seq":${seq}${this.#who()}`)
      this.#out.writeText(valueText([seq], DEFAULT_PORT, result.value))
      this.#out.writeText(doneText(seq))
      answered?.(input, result.value)
    } else {
      const error = { ...result.error, seq }
      this.#emit({ kind: 'error', ...error })
      this.#out.writeText(errorText([seq], result.error, { hasMore: false, isForOurs: true }))
    }
  }

  async #ask(input: string, conversation: Identity | undefined): Promise<Result<string>> {
    this.#o.asked(input)
    const walk = this.#o.walks?.begin(conversation)
    const result = await this.#resultFor(input, walk)
    if (result.ok) this.#o.walks?.keep(conversation, walk)
    // It looks at the whole memory.
    if (this.#hasTelemetry) this.#emit({ kind: 'usage', ...this.#usage(input, result, conversation), model: 'scripted', ms: 0 })
    return result
  }

  #unnamed(): Fault {
    return this.#key?.fault ?? fault('evaluation_failed', 'the message names no conversation')
  }

  async #resultFor(input: string, walk: Walk | undefined): Promise<Result<string>> {
    const { player, plan, lacked } = this.#o
    const max = typeof plan.config.max_retries === 'number' ? plan.config.max_retries : MAX_RETRIES
    let answer = player?.next(input)
    let called: string | undefined
    let retries = 0
    for (let calls = 0; answer && calls < MAX_CALLS; calls++) {
      if (answer.kind === 'call') {
        called = answer.tool
        await this.#call(answer.tool, answer.json, calls + 1, walk)
      } else {
        // An answer before the end of the protocol is made again, as by a model that is told what is missing.
        const unfinished = answer.kind === 'error' ? undefined : walk?.unfinished
        if (!unfinished) break
        if (retries === max) return { ok: false, error: exhausted(unfinished, retries) }
        this.#emit({ kind: 'retry', attempt: ++retries, reason: unfinished.detail, wait_ms: 0 })
      }
      answer = player?.next(input)
    }
    if (answer?.kind === 'value') return { ok: true, value: answer.json }
    if (answer?.kind === 'random') return { ok: true, value: this.#o.random() }
    if (answer?.kind === 'error')
      return { ok: false, error: faultOf(answer.code, `'${plan.name}' failed with '${answer.code}', as its script says`) }
    const message = `'${plan.name}' ${this.#lack(input, called, answer !== undefined)}`
    lacked(message)
    return { ok: false, error: fault('internal', message) }
  }

  async #call(tool: string, json: string, number: number, walk: Walk | undefined): Promise<void> {
    const id = `call-${number}`
    this.#emit({ kind: 'tool_call', id, name: tool, input: JSON.parse(json) })
    const refused = walk?.judge(tool)
    const { ok } = refused ? { ok: false } : await this.#o.call(tool, json)
    if (ok) walk?.made(tool)
    const why = refused ? { detail: refused.detail } : {}
    this.#emit({ kind: 'tool_result', id, name: tool, is_error: !ok, ms: 0, bytes: 0, ...why })
  }

  #lack(input: string, called: string | undefined, isCalling: boolean): string {
    if (isCalling) return `called tools ${MAX_CALLS} times and gave no answer: its script has only '${called}'`
    if (called !== undefined) return `has called '${called}', and its script has nothing that it says after the result`
    return this.#o.player?.lack(input, 'answer') ?? `was asked ${preview(input)}, and 'models' has no answers of it`
  }

  #usage(input: string, result: Result<string>, conversation: Identity | undefined) {
    const words = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length
    const before = this.#memory.of(conversation).reduce((sum, { content }) => sum + words(String(content)), 0)
    return {
      input_tokens: before + words(input),
      output_tokens: result.ok ? words(result.value) : 0,
      cache_read_tokens: 0,
      cache_creation_tokens: 0,
      ...(this.#memory.isPaused ? { paused: true } : {}),
    }
  }

  #emit(event: Readonly<Record<string, unknown>>): void {
    if (this.#hasTelemetry) this.#writeText(`${JSON.stringify(event).slice(0, -1)}${this.#who()}`)
  }

  // The other members of an object.
  #who(): string {
    return `,"agent":${JSON.stringify(this.#o.plan.name)},"time":"1970-01-01T00:00:00.000Z"}`
  }

  #writeText(line: string): void {
    if (this.#hasTelemetry) this.#out.writeText(telemetryText(line))
  }

  get #hasTelemetry(): boolean {
    return this.#o.plan.hasTelemetry
  }
}

const exhausted = (error: Fault, retries: number): Fault =>
  retries === 0 ? error : { ...error, detail: `${error.detail} (after ${retries} ${retries === 1 ? 'retry' : 'retries'})` }

/** A code in a script may be unknown. */
export const faultOf = (code: string, detail: string) =>
  isCode(code) ? fault(code as Code, detail) : { ...fault('tool_crashed', detail), error: code as Code }
