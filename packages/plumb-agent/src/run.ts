// One agent from start to end: configured, connected to its descriptors, and ended in good order.

import type { Readable } from 'node:stream'
import { printType, takesText } from '@plumb/lang'
import {
  dieOf,
  FDS,
  isDebugging,
  isFileInput,
  LineReader,
  type Log,
  onStop,
  openInput,
  openLineInput,
  openLog,
  readControl,
  type StopSignal,
  sayWhatIsRead,
} from '@plumb/wire'
import type { Given } from './config/load.js'
import { type Prepared, prepare } from './config/prepare.js'
import { Approvals } from './control/approvals.js'
import { askedAllowance, sharedAllowance } from './conversation/allowance.js'
import { openConversation } from './conversation/conversation.js'
import { type Framing, openIntake } from './io/intake.js'
import { openOutlets } from './io/outlets.js'
import { openStderr, type Stderr } from './io/stderr.js'
import { openTelemetry, type Tell } from './io/telemetry.js'
import { Loop } from './loop/loop.js'
import type { Options } from './options.js'
import { openAgentTools } from './tool/agent-tools.js'
import { hasExternalDispatcher } from './tool/open-caller.js'
import type { Servers } from './tool/server-catalogue.js'
import { openServers } from './tool/servers.js'

/** A spec that came on stdin, and the rest of that. */
export type ReceivedInput = Given & { readonly stdin: Readable; readonly hasBudget: boolean }

/** Resolves to the exit status when everything has been written. Dies of the signal that stopped it. */
export const run = async (options: Options, program: string, received?: ReceivedInput): Promise<number> => {
  const stderr = openStderr(program)
  const prepared = prepare(options, received, stderr)
  if (options.isCheck) return Math.max(await stderr.end(), prepared ? 0 : 2)
  const log = isDebugging() ? await openLog(program, stderr.write) : SILENT
  const { report, write: writeStderr } = stderr
  const servers = prepared && (await openServers({ prepared, options, given: received?.mcpTools, report, writeStderr }))
  const signal = prepared && servers && (await converse(prepared, servers, options, received, stderr, log))
  const status = await stderr.end()
  if (signal) dieOf(signal)
  return servers ? status : 2
}

const SILENT: Log = () => {}

/** After a signal, what is being answered has so long to come to its end. */
const GRACE_MS = 5000

const converse = (
  prepared: Prepared,
  servers: Servers,
  options: Options,
  received: ReceivedInput | undefined,
  stderr: Stderr,
  log: Log,
): Promise<StopSignal | undefined> => {
  const { config, fds } = prepared
  const { isMux, isRawInput, isRawOutput, takesEnvelopes, maxLineBytes } = options
  const hasOthersTools = config.tools.length > 0 || (config.servers.length > 0 && !servers.own)
  const asksForTools = hasOthersTools && hasExternalDispatcher(fds, isMux)
  const outlets = openOutlets({
    fds,
    isMux,
    takesEnvelopes,
    isRawOutput,
    hasTelemetry: config.hasTelemetry,
    asksForTools,
    warn: stderr.warn,
  })
  const tell = openTelemetry(config.agent, outlets.writeTelemetry)
  const stdin = received?.stdin ?? openLineInput(FDS.input)
  const reader = new LineReader(stdin, { raw: isRawInput, ...(maxLineBytes === undefined ? {} : { maxLine: maxLineBytes }) })
  const control = fds.has(FDS.ctrl_in) ? openInput(FDS.ctrl_in) : undefined
  const asked = received?.hasBudget ? askedAllowance(tell) : undefined
  const isRecorded = control !== undefined && isFileInput(control)

  return new Promise((resolve) => {
    let signal: StopSignal | undefined
    let grace: NodeJS.Timeout | undefined
    // Whoever read the outputs has gone: that ends it as it ends cat, and an answer that was being made for nobody is no error.
    let isHeard = true
    // A stdin that is held back, as while paused, does not keep Node running. Most need no timer for it.
    let alive: NodeJS.Timeout | undefined
    const stay = () => {
      alive = setInterval(() => {}, 2 ** 30)
    }
    process.once('beforeExit', stay)
    const report: Stderr['report'] = (error) => {
      outlets.flush()
      if (isHeard) stderr.report(error)
    }
    const approvals = new Approvals({
      announce: (reply) => (isMux || fds.has(FDS.ctrl_out)) && outlets.reply(reply, 'by-envelope'),
      isHeard: (): boolean => loop.hearsApprovals,
      isRecorded,
      tell,
    })
    const tools = openAgentTools({
      prepared,
      options,
      servers,
      outlets,
      approvals,
      report,
      writeStderr: stderr.write,
      isBacklogged: () => loop.isBacklogged,
    })
    const finish = async () => {
      process.off('beforeExit', stay)
      clearInterval(alive)
      clearTimeout(grace)
      forgetSignals()
      reader.stop()
      control?.destroy()
      config.provider.close?.()
      await tools.close()
      await outlets.end()
      resolve(signal)
    }
    // Who pauses it because of what it used can see that somebody has done so by now.
    const tellPaused: Tell = (event) => tell(event.kind === 'usage' && loop.isPaused ? { ...event, paused: true } : event)
    const loop: Loop = new Loop({
      config,
      conversation: openConversation(config, tools, tellPaused, log, {
        tellsMemory: options.tellsMemory,
        allowance: asked ?? sharedAllowance(),
        warn: stderr.warn,
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
      tell,
      report,
      onBacklog: () => asked?.end('what may be spent cannot be asked: more messages wait than may be held'),
      onStreamEnd: () => asked?.end('what may be spent cannot be asked any more: its parent has gone'),
      onFinish: finish,
    })
    const giveUp = () => {
      loop.cancel()
      loop.stop()
    }
    const forgetSignals = onStop(
      (first) => {
        signal = first
        grace = setTimeout(giveUp, GRACE_MS)
        loop.stop()
      },
      () => giveUp(),
    )
    outlets.output.onClosed = () => {
      isHeard = false
      giveUp()
    }
    outlets.output.onFault = (error) => {
      stderr.report(error)
      giveUp()
    }
    outlets.onDrain = () => loop.advance()
    reader.onReadable = () => loop.advance()
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
      sayWhatIsRead('plumb-agent', { type: printType(input), takesText: takesText(input), isRaw: isRawInput }, stderr.write)
    }
    loop.start(control === undefined ? 'none' : isRecorded ? 'willEnd' : 'open')
  })
}

const framingOf = ({ spec, isMux, takesEnvelopes, isRawInput }: Options): Framing => {
  if (isMux) return spec.kind === 'envelope' ? 'mux-spec' : 'mux'
  return takesEnvelopes && !isRawInput ? 'mixed' : 'data'
}
