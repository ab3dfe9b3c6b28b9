// For an agent that runs alone: a plumb-tool of its own opens its MCP servers, lists their tools and answers their calls.

import { setTimeout } from 'node:timers/promises'
import type { Json } from '@plumb/lang'
import { type Exit, type Fault, fault } from '@plumb/wire'
import type { PreparedAgent } from '../config/prepare.js'
import type { AgentOptions } from '../options.js'
import { ChildDispatcher } from './child-dispatcher.js'
import { NOTHING_OFFERED, type OfferedTools, readOfferedTools, type Servers } from './server-catalogue.js'
import { startPlumbTool } from './start-runner.js'

export interface OwnServersParts {
  readonly prepared: PreparedAgent
  readonly options: AgentOptions
  readonly report: (fault: Fault) => void
  readonly writeStderr: (line: string) => void
  /** For tests. */
  readonly timeoutMs?: number
}

/** Resolves when the servers are ready, or have failed. */
export const openOwnServers = async ({
  prepared,
  options,
  report,
  writeStderr,
  timeoutMs = startTimeoutMs(prepared.config.servers),
}: OwnServersParts): Promise<Servers | undefined> => {
  let catalogue: OfferedTools = NOTHING_OFFERED
  let isReady = false
  let stopRenewing = () => {}
  let resolveReady = () => {}
  const ready = new Promise<undefined>((resolve) => {
    resolveReady = () => resolve(undefined)
  })
  const own = new ChildDispatcher({
    program: 'plumb-tool',
    start: () => {
      const started = startPlumbTool(prepared, options, 'offers')
      if (!started.ok) return started
      stopRenewing = prepared.authority.keepRenewed(started.value.renew)
      return { ok: true, value: started.value.child }
    },
    // It has already reported what keeps it from starting.
    report: (error) => isReady && report(error),
    writeStderr,
    onClose: () => stopRenewing(),
    onOffers: (list) => {
      const read = readOfferedTools(list, prepared.config.servers)
      if (read.ok) catalogue = read.value
      else report(fault('internal', `plumb-tool says what MCP servers offer: ${read.error.detail}`))
      isReady = true
      resolveReady()
    },
  })
  const ended = own.open()
  const late: Promise<typeof LATE> = setTimeout(timeoutMs, LATE, { ref: false })
  const early = ended ? await Promise.race([ready, ended, late]) : NOT_STARTED
  if (!early) return { offered: () => catalogue, own, renew: () => {} }
  if (early === LATE) {
    report(fault('timeout', `plumb-tool, which opens MCP servers, was not ready within ${timeoutMs / 1000} s`))
    await own.close()
  } else if (early.status !== 2) report(endedEarly(early))
  return undefined
}

const LATE = 'late'

// The time that each server has to answer, plus a margin for a busy machine.
const startTimeoutMs = (servers: readonly Json[]): number => {
  const seconds = (key: string, standard: number): number =>
    Math.max(...servers.map((server) => Number((server as { readonly [key: string]: Json })[key] ?? standard)))
  return Math.min(MAX_TIMER_MS, (seconds('handshake_timeout', 30) + seconds('timeout', 60) + SLACK_SECONDS) * 1000)
}

const SLACK_SECONDS = 60
const MAX_TIMER_MS = 2 ** 31 - 1

const NOT_STARTED: Exit = { status: 127, signal: null }

const endedEarly = ({ status, signal }: Exit): Fault =>
  fault(
    'child_failed',
    `plumb-tool, which opens MCP servers, ${signal === null ? `ended with status ${status}` : `was ended by ${signal}`}`,
  )
