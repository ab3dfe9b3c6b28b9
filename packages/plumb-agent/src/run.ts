// Runs one agent: configures it, connects it to its descriptors, and ends it in good order.

import type { Readable } from 'node:stream'
import { printType, showDiagnostics, takesText } from '@plumb/lang'
import type { BudgetLimits } from '@plumb/ledger'
import {
  announceInput,
  dieOf,
  FDS,
  fault,
  isDebugging,
  isFileInput,
  joinDeliveries,
  LineReader,
  type Log,
  onStop,
  openInput,
  openLineInput,
  openLog,
  readControl,
  type StopSignal,
} from '@plumb/wire'
import { PERSON } from './config/config.js'
import type { InheritedSpec } from './config/load.js'
import { type PreparedAgent, type Problems, prepare } from './config/prepare.js'
import { askedAllowance, sharedAllowance } from './conversation/allowance.js'
import { openBilling } from './conversation/billing.js'
import { type Conversation, type ConversationOptions, openConversation } from './conversation/conversation.js'
import { type AgentMoney, openMoney } from './conversation/money.js'
import { type Framing, openIntake } from './io/intake.js'
import { type Outlets, openOutlets } from './io/outlets.js'
import { openStderr, type Stderr } from './io/stderr.js'
import { type Emit, openTelemetry } from './io/telemetry.js'
import { openChains, openContent, openKept, openPartialsOf, openWalks } from './late-parts.js'
import { Loop } from './loop/loop.js'
import type { AgentOptions } from './options.js'
import type { AgentToolsParts, openAgentTools } from './tool/agent-tools.js'
import { Approvals } from './tool/approvals.js'
import type { Composing } from './tool/composing.js'
import { type AgentTools, NO_SERVERS, noTools } from './tool/no-tools.js'
import type { Questions } from './tool/questions.js'
import type { Servers } from './tool/server-catalogue.js'
import type { withSkills } from './tool/skill-reader.js'

/** A spec from stdin, and the rest of the stream. */
export type ReceivedInput = InheritedSpec & { readonly stdin: Readable; readonly budget: BudgetLimits | undefined }

/** Resolves to the exit status when everything has been written. Dies of the signal that stopped it. */
export const runAgent = async (options: AgentOptions, program: string, received?: ReceivedInput): Promise<number> => {
  const stderr = openStderr(program)
  const prepared = await prepare(options, received)
  if (!prepared.ok) {
    reportProblems(prepared.error, stderr)
    await stderr.end()
    return 2
  }
  const money = await openMoney(prepared.value, received?.budget)
  if (!money.ok) {
    stderr.report(money.error)
    await stderr.end()
    return 2
  }
  if (options.run.isCheck) return stderr.end()
  if (options.run.isProbe) {
    const { probe } = await import('./probe/probe.js')
    await probe(prepared.value, money.value, stderr)
    return stderr.end()
  }
  const log = isDebugging() ? await openLog(program, stderr.write) : SILENT
  const { report } = stderr
  const readContent = await openContent(prepared.value, options)
  if (readContent?.ok === false) {
    report(readContent.error)
    await stderr.end()
    return 2
  }
  const openTools = hasTools(prepared.value) ? (await import('./tool/agent-tools.js')).openAgentTools : undefined
  const withSkills = prepared.value.config.skills.length > 0 ? (await import('./tool/skill-reader.js')).withSkills : undefined
  const AgentQuestions = prepared.value.config.providerName === PERSON ? (await import('./tool/questions.js')).Questions : undefined
  const kept = await openKept(prepared.value, options, stderr)
  if (kept?.ok === false) {
    report(kept.error)
    await stderr.end()
    return 2
  }
  const servers = await openServers(prepared.value, options, received, stderr)
  const isHeld = !servers || (await mayHold(prepared.value, servers, report))
  const surroundings = {
    readContent: readContent?.value,
    kept: kept?.value,
    deliveries: deliveriesOf(options),
    composing: await openChains(prepared.value),
    openTools,
    withSkills,
    openPartials: await openPartialsOf(prepared.value),
    beginWalk: await openWalks(prepared.value),
    AgentQuestions,
  }
  const signal =
    servers &&
    isHeld &&
    (await new RunningAgent({ prepared: prepared.value, servers, options, received, stderr, log, surroundings, money: money.value }).run())
  const status = await stderr.end()
  if (signal) dieOf(signal)
  return servers && isHeld ? status : 2
}

/** Its protocol names the tools that it really has, with those of its servers. Else that is reported. */
const mayHold = async ({ agent, config }: PreparedAgent, servers: Servers, report: Stderr['report']): Promise<boolean> => {
  if (!agent.protocol || config.servers.length === 0) return true
  const { whyNotHeld } = await import('@plumb/tool/protocol/not-held')
  const wrong = whyNotHeld(agent.protocol, agent.name, [...config.tools.map(({ name }) => name), ...servers.offered().keys()])
  for (const error of wrong) report(error)
  if (wrong.length > 0) await servers.own?.close()
  return wrong.length === 0
}

const reportProblems = ({ diagnostics, faults }: Problems, stderr: Stderr): void => {
  showDiagnostics(diagnostics, stderr, process.env.PLUMB_ERRORS === 'json')
  for (const fault of faults) stderr.report(fault)
}

const SILENT: Log = () => {}

/** Undefined: errors were reported. */
const openServers = async (
  prepared: PreparedAgent,
  options: AgentOptions,
  received: ReceivedInput | undefined,
  { report, write: writeStderr, warn }: Stderr,
): Promise<Servers | undefined> => {
  if (prepared.config.servers.length === 0) {
    if (process.env.PLUMB_MCP_TOOLS)
      warn(fault('config_invalid', "PLUMB_MCP_TOOLS is not read: the agent has no servers, by the key 'mcp'"))
    return NO_SERVERS
  }
  const { openServers } = await import('./tool/servers.js')
  return openServers({ prepared, options, given: received?.mcpTools, report, writeStderr })
}

const hasTools = ({ config: { tools, servers } }: PreparedAgent): boolean => tools.length + servers.length > 0

const deliveriesOf = ({ run: { deliveryFd } }: AgentOptions) => (deliveryFd === undefined ? undefined : joinDeliveries(deliveryFd))

/** Time for inputs in flight after a signal. */
const GRACE_MS = 5000

type Surroundings = Pick<ConversationOptions, 'readContent' | 'kept' | 'deliveries' | 'openPartials' | 'beginWalk'> & {
  readonly composing: Composing | undefined
  /** Undefined: it has no tools. */
  readonly openTools: typeof openAgentTools | undefined
  /** Undefined: it has no skills. */
  readonly withSkills: typeof withSkills | undefined
  /** Undefined: its answers are a model's. */
  readonly AgentQuestions: typeof Questions | undefined
}

interface AgentParts {
  readonly prepared: PreparedAgent
  readonly servers: Servers
  readonly options: AgentOptions
  readonly received: ReceivedInput | undefined
  readonly stderr: Stderr
  readonly log: Log
  readonly surroundings: Surroundings
  readonly money: AgentMoney
}

/** The parts of a running agent, which call each other. */
class RunningAgent {
  readonly #parts: AgentParts
  readonly #outlets: Outlets
  readonly #emit: Emit
  readonly #reader: LineReader
  readonly #control: Readable | undefined
  readonly #isRecorded: boolean
  /** The budget, if the parent says what may be spent. */
  readonly #asked: ReturnType<typeof askedAllowance> | undefined
  readonly #approvals: Approvals
  readonly #questions: Questions | undefined
  readonly #tools: AgentTools
  readonly #loop: Loop
  /** Without a reader of the outputs it ends as cat does, and failures of open answers are then not errors. */
  #isOutputRead = true
  /** Ends the run. */
  #onFinish = () => {}

  constructor(parts: AgentParts) {
    this.#parts = parts
    const { prepared, options, received, stderr } = parts
    const { config, fds } = prepared
    const { isMux, isNumbered, isRawInput, isBrief, maxLine } = options.lines
    this.#outlets = this.#openOutlets()
    this.#emit = openTelemetry(config.agent, this.#outlets.writeTelemetry, { isNumbered, isBrief })
    this.#reader = new LineReader(received?.stdin ?? openLineInput(FDS.input), {
      raw: isRawInput,
      maxLine,
      onReadable: () => this.#loop.advance(),
    })
    this.#control = fds.has(FDS.ctrl_in) ? openInput(FDS.ctrl_in) : undefined
    this.#isRecorded = this.#control !== undefined && isFileInput(this.#control)
    this.#asked = received?.budget ? askedAllowance(this.#emit) : undefined
    const canBeAnswered = () => !options.tools.asksBesideControl && this.#loop.canBeApproved
    const announce = (reply: { readonly kind: string }) =>
      (isMux || isNumbered || fds.has(FDS.ctrl_out)) && this.#outlets.reply(reply, 'envelope')
    const { AgentQuestions } = parts.surroundings
    this.#questions = AgentQuestions && new AgentQuestions({ announce, canBeAnswered })
    this.#approvals = new Approvals({
      announce,
      canBeAnswered,
      questions: this.#questions,
      isRecorded: this.#isRecorded,
      emit: this.#emit,
      askTerminal: options.tools.asksParent ? async (request, signal) => this.#tools.askPerson?.(request, signal) : undefined,
    })
    const others = parts.surroundings.openTools?.(this.#toolsParts()) ?? noTools(this.#report)
    this.#tools = parts.surroundings.withSkills?.(config.skills, others) ?? others
    this.#loop = new Loop({
      config,
      conversation: this.#openConversation(),
      approvals: this.#approvals,
      toolAnswers: this.#tools.answers,
      onAuthority: (message) => this.#takeAuthority(message),
      intake: openIntake(this.#reader, framingOf(options), options.lines.hasRequests),
      outlets: this.#outlets,
      emit: this.#emit,
      report: this.#report,
      count: stderr.count,
      onBacklog: () => this.#asked?.end('the budget cannot be requested: more messages wait than may be held'),
      onStreamEnd: () => this.#asked?.end('the budget cannot be requested any more: the parent has ended'),
      onFinish: () => this.#onFinish(),
    })
  }

  /** Resolves to the signal that stopped it, if any. */
  run(): Promise<StopSignal | undefined> {
    return new Promise((resolve) => {
      const { prepared, options, received, stderr } = this.#parts
      const { config } = prepared
      const { isMux, isRawInput } = options.lines
      const stopNow = () => this.#stopNow()
      const release = keepRunning()
      // No batch ends within the grace period.
      const signals = watchSignals(config.lane === 'batch' ? stopNow : () => this.#loop.stop(), stopNow)
      this.#onFinish = async () => {
        release()
        signals.release()
        this.#reader.stop()
        this.#control?.destroy()
        config.provider.close?.()
        await this.#tools.close()
        await this.#outlets.end()
        resolve(signals.first())
      }
      this.#readControl()
      if (received === undefined && !isMux) {
        const { input } = config
        announceInput('plumb-agent', { type: printType(input), takesText: takesText(input), isRaw: isRawInput }, stderr.write)
      }
      this.#loop.start(this.#control === undefined ? 'none' : this.#isRecorded ? 'willEnd' : 'open')
    })
  }

  readonly #report: Stderr['report'] = (error) => {
    this.#outlets.flush()
    if (this.#isOutputRead) this.#parts.stderr.report(error)
  }

  #openOutlets(): Outlets {
    const { prepared, servers, options, stderr } = this.#parts
    const { config, fds } = prepared
    const { isMux, isRawOutput, takesEnvelopes, isNumbered } = options.lines
    const hasOthersTools = config.tools.length > 0 || (config.servers.length > 0 && !servers.own)
    return openOutlets({
      fds,
      isMux,
      takesEnvelopes,
      isRawOutput,
      isNumbered,
      isForOurs: options.program.sourcesFd !== undefined || options.spec.kind === 'envelope',
      hasTelemetry: config.hasTelemetry,
      sendsToolRequests: hasOthersTools && (isMux || hasDispatcher(fds)),
      warn: stderr.warn,
      listeners: {
        onDrain: () => this.#loop.advance(),
        onOutputClosed: () => {
          this.#isOutputRead = false
          this.#stopNow()
        },
        onOutputFault: (error) => {
          stderr.report(error)
          this.#stopNow()
        },
        onRequestsClosed: () => this.#tools.onRequestsClosed(),
      },
    })
  }

  #toolsParts(): AgentToolsParts {
    const { prepared, servers, options, stderr, surroundings } = this.#parts
    return {
      prepared,
      options,
      servers,
      outlets: this.#outlets,
      approvals: this.#approvals,
      report: this.#report,
      writeStderr: stderr.write,
      isBacklogged: () => this.#loop.isBacklogged,
      composing: surroundings.composing,
      warn: stderr.warn,
    }
  }

  #openConversation(): Conversation {
    const { prepared, options, stderr, log, surroundings, money } = this.#parts
    const { config } = prepared
    const { openTools: _tools, withSkills: _skills, composing: _chains, ...ofInputs } = surroundings
    const allowance = this.#asked ?? sharedAllowance()
    const billing =
      allowance &&
      openBilling({
        ...money,
        allowance,
        provider: config.providerName,
        priceAs: config.priceAs,
        lane: config.lane,
        limit: config.limit,
        warn: stderr.warn,
      })
    // A reader of usage that has paused the agent sees here that the pause is in effect.
    const emit: Emit = (event) => this.#emit(event.kind === 'usage' && this.#loop.isPaused ? { ...event, paused: true } : event)
    const { emitsMemory, tellsPrompt, isBrief } = options.lines
    const askPerson: ConversationOptions['askPerson'] =
      this.#questions && ((question, signal) => (this.#questions as Questions).ask({ ...question, agent: config.agent }, signal))
    const around = { askPerson, emitsMemory, tellsPrompt, emitsText: !isBrief, allowance, billing, warn: stderr.warn, ...ofInputs }
    return openConversation(config, this.#tools, emit, log, around)
  }

  #takeAuthority(message: unknown): void {
    const { authority, mcp_tools: offered, budget } = (message ?? {}) as Readonly<Record<string, unknown>>
    if (budget !== undefined) this.#asked?.answer(budget)
    else if (offered !== undefined) this.#parts.servers.renew(offered)
    else this.#parts.prepared.authority.renew(authority)
  }

  #readControl(): void {
    if (!this.#control) return
    readControl(
      this.#control,
      (message, _line, text) => this.#loop.control(message, Buffer.from(text)),
      (error) => this.#loop.badControl(error),
      () => this.#loop.endControl(),
    )
  }

  #stopNow(): void {
    this.#loop.cancel()
    this.#loop.stop()
  }
}

/** Calls can be sent to an external dispatcher, and its answers can be read. */
const hasDispatcher = (fds: ReadonlySet<number>): boolean => fds.has(FDS.tool_req) && fds.has(FDS.tool_resp)

// A paused stdin does not keep Node running. The timer that does is created on demand.
const keepRunning = (): (() => void) => {
  let timer: NodeJS.Timeout | undefined
  const stay = () => {
    timer = setInterval(() => {}, 2 ** 30)
  }
  process.once('beforeExit', stay)
  return () => {
    process.off('beforeExit', stay)
    clearInterval(timer)
  }
}

/** The first signal stops what is not started, a second one or the end of the grace period everything. */
const watchSignals = (stop: () => void, stopNow: () => void) => {
  let signal: StopSignal | undefined
  let grace: NodeJS.Timeout | undefined
  const forget = onStop((first) => {
    signal = first
    grace = setTimeout(stopNow, GRACE_MS)
    stop()
  }, stopNow)
  return {
    first: () => signal,
    release: () => {
      clearTimeout(grace)
      forget()
    },
  }
}

const framingOf = ({ spec, lines: { isMux, takesEnvelopes, isRawInput } }: AgentOptions): Framing => {
  if (isMux) return spec.kind === 'envelope' ? 'mux-spec' : 'mux'
  return takesEnvelopes && !isRawInput ? 'mixed' : 'data'
}
