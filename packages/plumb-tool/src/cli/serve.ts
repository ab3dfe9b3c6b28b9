// plumb-tool serve: the dispatcher alone, on stdin and stdout or on the descriptors of an agent's tool channel.

import type { Program } from '@plumb/lang'
import {
  type Fault,
  FDS,
  fail,
  inheritedFds,
  onStop,
  openLineInput,
  openLineOutput,
  type Result,
  type StopSignal,
  scrub,
  succeed,
} from '@plumb/wire'
import type { Session } from '../call/call.js'
import { callTelemetry } from '../call/call-telemetry.js'
import type { WalkedCalls } from '../protocol/walked-calls.js'
import { openDispatcher } from '../serve/dispatcher.js'
import { type Lines, serveLines } from '../serve/serve-lines.js'
import type { RunCommand } from './command.js'

export const serve: RunCommand = async (tools, { options, reporter }) => {
  const { registry, session, agent } = tools
  const fds = channelOf(options.verb.fds)
  if (!fds.ok) {
    reporter.report(fds.error)
    return undefined
  }
  const { openAgentServers } = agent ? await import('../source/mcp/agent-servers.js') : {}
  const opened = agent && (await openAgentServers?.({ plan: agent, declared: registry.list().map(({ plan }) => plan.name), session }))
  if (opened?.faults) {
    for (const error of opened.faults) reporter.report(error)
    return undefined
  }
  const servers = opened?.servers
  const names = [...registry.list().map(({ plan }) => plan.name), ...(servers?.offers() ?? []).map(({ name }) => name)]
  const calls = options.verb.protocol === undefined ? undefined : await openCalls(tools.program, options.verb.protocol, names)
  if (isFaults(calls)) {
    for (const error of calls) reporter.report(error)
    return undefined
  }
  // The sender of a request has asked for approval before (plumb-wire(5), Tools).
  const telemetry = options.verb.emitsTelemetry ? telemetryTo((json) => lines.say(json), session, agent?.name ?? 'plumb-tool') : {}
  const open = openDispatcher({ registry, servers, session: { ...session, ...telemetry, approve: async () => true } })
  const dispatcher = calls ? (await import('../protocol/walked-dispatcher.js')).walkedDispatcher(open, () => calls) : open
  const lines: Lines = serveLines({
    dispatcher,
    requests: openLineInput(fds.value.requests),
    answers: openLineOutput(fds.value.answers),
    maxLineBytes: options.verb.maxLine,
    report: (error) => {
      reporter.report(error)
      reporter.flush()
    },
  })
  if (options.verb.emitsOffers) {
    const writeOffers = () => lines.say(JSON.stringify(servers?.offers() ?? []))
    servers?.onChange(writeOffers)
    writeOffers()
  }
  let signal: StopSignal | undefined
  const forgetSignals = onStop(
    (first) => {
      signal = first
      lines.stop()
    },
    () => {},
  )
  // A paused stdin, as while a call waits for approval, does not keep Node running.
  const alive = setInterval(() => {}, 2 ** 30)
  await lines.finished
  await dispatcher.close()
  clearInterval(alive)
  forgetSignals()
  return signal
}

const isFaults = (calls: WalkedCalls | readonly Fault[] | undefined): calls is readonly Fault[] => Array.isArray(calls)

/** For all requests of this process. Faults: there is no such protocol of these tools. */
const openCalls = async (program: Program, name: string, tools: readonly string[]): Promise<WalkedCalls | readonly Fault[]> => {
  const { lackedBy, namedProtocol } = await import('../protocol/named.js')
  const found = namedProtocol([program], name)
  if (!found.ok) return [found.error]
  const lacked = lackedBy(found.value, tools)
  if (lacked.length > 0) return lacked
  const [{ WalkedProtocol }, { WalkedCalls }] = await Promise.all([import('../protocol/walk.js'), import('../protocol/walked-calls.js')])
  return new WalkedCalls(new WalkedProtocol(found.value).begin())
}

/** Telemetry that the requester cannot see itself: calls and tokens of agents and compositions inside tools. */
const telemetryTo = (say: (json: string) => void, { onCall }: Session, agent: string): Pick<Session, 'onCall' | 'onUsage'> => ({
  onCall: (envelope) => {
    onCall?.(envelope)
    for (const event of callTelemetry(envelope, agent)) say(scrub(JSON.stringify(event)))
  },
  onUsage: (usage) => say(scrub(JSON.stringify(usage))),
})

interface Channel {
  readonly requests: number
  readonly answers: number
}

// The table is the agent's, with its directions: what it writes is read here.
const { tool_req: REQUESTS, tool_resp: ANSWERS } = FDS

const channelOf = (option: string | undefined): Result<Channel> => {
  if (option === undefined || option === 'none') return succeed({ requests: FDS.input, answers: FDS.output })
  const named = option.split(',')
  if (named.some((fd) => fd !== String(REQUESTS) && fd !== String(ANSWERS))) {
    return fail('fd_invalid', `serve takes requests on ${REQUESTS} and answers on ${ANSWERS}, as in '--fds 4,5 4< requests 5> answers'`)
  }
  const open = inheritedFds()
  const missing = open.ok ? named.map(Number).find((fd) => !open.value.has(fd)) : undefined
  if (missing !== undefined) {
    const redirect = missing === REQUESTS ? `${REQUESTS}< requests` : `${ANSWERS}> answers`
    return fail('fd_invalid', `--fds names ${missing}, but ${missing} is not open; redirect it, as in '${redirect}'`)
  }
  return succeed({
    requests: named.includes(String(REQUESTS)) ? REQUESTS : FDS.input,
    answers: named.includes(String(ANSWERS)) ? ANSWERS : FDS.output,
  })
}
