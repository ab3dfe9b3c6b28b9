// Runs one agent: configures it, connects it to its descriptors, and ends it in good order.

import type { Readable } from 'node:stream'
import { holdsMedia, printType, takesText, toShown } from '@plumb/lang'
import {
  announceInput,
  type BudgetLimits,
  dieOf,
  FDS,
  isDebugging,
  isFileInput,
  joinDeliveries,
  LineReader,
  type Log,
  onStop,
  openInput,
  openLineInput,
  openLog,
  type Result,
  readControl,
  type StopSignal,
} from '@plumb/wire'
import type { InheritedSpec } from './config/load.js'
import { type PreparedAgent, type Problems, prepare } from './config/prepare.js'
import { askedAllowance, sharedAllowance } from './conversation/allowance.js'
import { openBilling } from './conversation/billing.js'
import { type ConversationOptions, openConversation } from './conversation/conversation.js'
import { type AgentMoney, openMoney } from './conversation/money.js'
import { type Framing, openIntake } from './io/intake.js'
import { openOutlets } from './io/outlets.js'
import { openStderr, type Stderr } from './io/stderr.js'
import { type Emit, openTelemetry } from './io/telemetry.js'
import { Loop } from './loop/loop.js'
import type { AgentOptions } from './options.js'
import type { openAgentTools } from './tool/agent-tools.js'
import { Approvals } from './tool/approvals.js'
import type { Composing } from './tool/composing.js'
import { NO_SERVERS, noTools } from './tool/no-tools.js'
import type { Servers } from './tool/server-catalogue.js'

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
  const composing = await openChains(prepared.value)
  const openTools = hasTools(prepared.value) ? (await import('./tool/agent-tools.js')).openAgentTools : undefined
  const kept = await openKept(prepared.value, options, stderr)
  if (kept?.ok === false) {
    report(kept.error)
    await stderr.end()
    return 2
  }
  const servers = await openServers(prepared.value, options, received, stderr)
  const signal =
    servers &&
    (await converse(
      prepared.value,
      servers,
      options,
      received,
      stderr,
      log,
      { readContent: readContent?.value, kept: kept?.value, deliveries: deliveriesOf(options), composing, openTools },
      money.value,
    ))
  const status = await stderr.end()
  if (signal) dieOf(signal)
  return servers ? status : 2
}

const reportProblems = ({ diagnostics, faults }: Problems, stderr: Stderr): void => {
  for (const diagnostic of diagnostics) stderr.write(toShown(diagnostic, process.env.PLUMB_ERRORS === 'json'))
  for (const fault of faults) stderr.report(fault)
}

const SILENT: Log = () => {}

/** Undefined: no input of this agent can contain media, and no files are attached. */
const openContent = async (
  { config, authority }: PreparedAgent,
  { run: { attach }, tools: { docroot = '.' } }: AgentOptions,
): Promise<Result<NonNullable<ConversationOptions['readContent']>> | undefined> => {
  if (attach.length === 0 && !holdsMedia(config.input)) return undefined
  const { openContentReader } = await import('./media/content.js')
  return openContentReader({ input: config.input, attach, reach: { docroot, authority: () => authority.current() } })
}

/** Undefined: each call of a tool is made separately. */
const openChains = async ({ config: { compose } }: PreparedAgent): Promise<Composing | undefined> => {
  if (!compose) return undefined
  const { openComposing } = await import('./tool/composing.js')
  return openComposing(compose.maxOutput)
}

/** Undefined: no answers are kept. */
const openKept = async (
  { config, agent }: PreparedAgent,
  options: AgentOptions,
  { warn }: Stderr,
): Promise<Result<NonNullable<ConversationOptions['kept']>> | undefined> => {
  if (options.kept.cache === undefined && options.kept.keptFd === undefined) return undefined
  const { openKeptQuestions } = await import('./kept/kept-questions.js')
  return openKeptQuestions({ config, options: options.kept, hasSecrets: agent.hasSecrets === true, warn })
}

/** Undefined: errors were reported. */
const openServers = async (
  prepared: PreparedAgent,
  options: AgentOptions,
  received: ReceivedInput | undefined,
  { report, write: writeStderr }: Stderr,
): Promise<Servers | undefined> => {
  if (prepared.config.servers.length === 0) return NO_SERVERS
  const { openServers } = await import('./tool/servers.js')
  return openServers({ prepared, options, given: received?.mcpTools, report, writeStderr })
}

const hasTools = ({ config: { tools, servers } }: PreparedAgent): boolean => tools.length + servers.length > 0

const deliveriesOf = ({ run: { deliveryFd } }: AgentOptions) => (deliveryFd === undefined ? undefined : joinDeliveries(deliveryFd))

/** Time for inputs in flight after a signal. */
const GRACE_MS = 5000

type Surroundings = Pick<ConversationOptions, 'readContent' | 'kept' | 'deliveries'> & {
  readonly composing: Composing | undefined
  /** Undefined: it has no tools. */
  readonly openTools: typeof openAgentTools | undefined
}

/** Resolves to the signal that stopped it, if any. */
const converse = (
  prepared: PreparedAgent,
  servers: Servers,
  options: AgentOptions,
  received: ReceivedInput | undefined,
  stderr: Stderr,
  log: Log,
  { composing, openTools, ...surroundings }: Surroundings,
  money: AgentMoney,
): Promise<StopSignal | undefined> =>
  new Promise((resolve) => {
    const { config, fds } = prepared
    const { isMux, isRawInput, isRawOutput, isNumbered, takesEnvelopes, maxLine, emitsMemory, isBrief } = options.lines
    const hasOthersTools = config.tools.length > 0 || (config.servers.length > 0 && !servers.own)
    // Without a reader of the outputs it ends as cat does, and failures of open answers are then no errors.
    let isOutputRead = true
    const report: Stderr['report'] = (error) => {
      outlets.flush()
      if (isOutputRead) stderr.report(error)
    }
    const outlets = openOutlets({
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
        onDrain: () => loop.advance(),
        onOutputClosed: () => {
          isOutputRead = false
          stopNow()
        },
        onOutputFault: (error) => {
          stderr.report(error)
          stopNow()
        },
        onRequestsClosed: () => tools.onRequestsClosed(),
      },
    })
    const emit = openTelemetry(config.agent, outlets.writeTelemetry, { isNumbered, isBrief })
    const stdin = received?.stdin ?? openLineInput(FDS.input)
    const reader = new LineReader(stdin, {
      raw: isRawInput,
      maxLine,
      onReadable: () => loop.advance(),
    })
    const control = fds.has(FDS.ctrl_in) ? openInput(FDS.ctrl_in) : undefined
    const isRecorded = control !== undefined && isFileInput(control)
    const asked = received?.budget ? askedAllowance(emit) : undefined
    const approvals = new Approvals({
      announce: (reply) => (isMux || isNumbered || fds.has(FDS.ctrl_out)) && outlets.reply(reply, 'envelope'),
      canBeAnswered: (): boolean => loop.canBeApproved,
      isRecorded,
      emit,
    })
    const tools =
      openTools?.({
        prepared,
        options,
        servers,
        outlets,
        approvals,
        report,
        writeStderr: stderr.write,
        isBacklogged: () => loop.isBacklogged,
        composing,
        warn: stderr.warn,
      }) ?? noTools(report)
    const allowance = asked ?? sharedAllowance()
    const billing =
      allowance &&
      openBilling({ ...money, allowance, provider: config.providerName, lane: config.lane, limit: config.limit, warn: stderr.warn })
    // A reader of usage that has paused the agent sees here that the pause is in effect.
    const emitPaused: Emit = (event) => emit(event.kind === 'usage' && loop.isPaused ? { ...event, paused: true } : event)
    const loop: Loop = new Loop({
      config,
      conversation: openConversation(config, tools, emitPaused, log, {
        emitsMemory,
        emitsText: !isBrief,
        allowance,
        billing,
        warn: stderr.warn,
        ...surroundings,
      }),
      approvals,
      toolAnswers: tools.answers,
      onAuthority: (message) => {
        const { authority, mcp_tools: offered, budget } = (message ?? {}) as Readonly<Record<string, unknown>>
        if (budget !== undefined) asked?.answer(budget)
        else if (offered !== undefined) servers.renew(offered)
        else prepared.authority.renew(authority)
      },
      intake: openIntake(reader, framingOf(options)),
      outlets,
      emit,
      report,
      count: stderr.count,
      onBacklog: () => asked?.end('what may be spent cannot be asked: more messages wait than may be held'),
      onStreamEnd: () => asked?.end('what may be spent cannot be asked any more: its parent has gone'),
      onFinish: async () => {
        release()
        signals.release()
        reader.stop()
        control?.destroy()
        config.provider.close?.()
        await tools.close()
        await outlets.end()
        resolve(signals.first())
      },
    })
    const stopNow = () => {
      loop.cancel()
      loop.stop()
    }
    const release = keepRunning()
    // No batch is over within the grace period.
    const signals = watchSignals(config.lane === 'batch' ? stopNow : () => loop.stop(), stopNow)
    if (control) {
      readControl(
        control,
        (message) => loop.control(message),
        (error) => loop.badControl(error),
        () => loop.endControl(),
      )
    }
    if (received === undefined && !isMux) {
      const { input } = config
      announceInput('plumb-agent', { type: printType(input), takesText: takesText(input), isRaw: isRawInput }, stderr.write)
    }
    loop.start(control === undefined ? 'none' : isRecorded ? 'willEnd' : 'open')
  })

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
