// The settings of a tool's stages, from the keys that every tool { … } may have (plumbing(5), Tools).

import type { ToolBody, ToolPlan } from '@plumb/lang'
import type { Effect, Subject } from '@plumb/policy'
import type { BreakerOptions } from './breaker.js'
import type { TargetsOf } from './targets.js'
import type { Wrap } from './tool.js'

export interface CallSettings {
  readonly effects: readonly Effect[]
  readonly deferred?: Subject['deferred']
  /** For tools whose input names the files and hosts that they reach. */
  readonly targetsOf?: TargetsOf
  readonly needsApproval: boolean
  /** Replaces the check against the input type. */
  readonly validation?: Wrap
  /** Absent: not cached. */
  readonly cacheMs?: number
  readonly attempts: number
  /** Work on local files alone: what took too long takes as long again. */
  readonly isLocal?: true
  /** Absent: no breaker. */
  readonly breaker?: BreakerOptions
  /** Absent: its parts have deadlines of their own. */
  readonly timeoutMs?: number
  /** In characters; absent: not cut. */
  readonly maxOutput?: number
}

/** Built-in tools that cut within what they give. */
const CUT_BY_THEMSELVES: ReadonlySet<string> = new Set(['webpage_to_markdown', 'http_get'])

type Source = Extract<ToolBody, { kind: 'tool' }>['source']

const DEFAULT_TIMEOUT = 30
const TIMEOUTS: Readonly<Partial<Record<Source, number>>> = { command: 60 }
const DEFAULT_ATTEMPTS = 3
const DEFAULT_FAILURES = 5
const DEFAULT_RESET = 60
const MAX_OUTPUT_OF_COMMANDS = 10_000

/** Made of other tools, whose calls have stages of their own: nothing is retried or timed twice. */
const COMBINING: readonly Source[] = ['pool', 'handoff', 'spy', 'flaky']
/** Tools with inner calls, which are decided on separately. */
const REACHING: readonly Source[] = ['process', 'agent']

export const settingsOf = ({ body }: Pick<ToolPlan, 'body'>, effects: readonly Effect[]): CallSettings => {
  if (body.kind === 'chain') return { effects, deferred: 'parts', needsApproval: false, attempts: 1 }
  const { source, config } = body
  const isCombined = COMBINING.includes(source)
  const timeout = timeoutOf(source, config.timeout)
  const cacheMs = seconds(config.cache)
  const maxOutput = CUT_BY_THEMSELVES.has(String(config.builtin)) ? undefined : (number(config.max_output) ?? defaultMaxOutput(source))
  const deferred = isCombined ? 'parts' : REACHING.includes(source) ? 'targets' : undefined
  return {
    effects,
    ...(deferred ? { deferred } : {}),
    needsApproval: config.approval === 'ask',
    ...(cacheMs ? { cacheMs } : {}),
    attempts: number(config.retry) ?? defaultAttempts(source, effects),
    ...(source === 'builtin' && effects.every((effect) => effect === 'fs.read') ? { isLocal: true } : {}),
    ...(config.breaker === undefined ? {} : { breaker: breakerOf(config.breaker as Readonly<Record<string, number>>) }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
  }
}

const defaultMaxOutput = (source: Source): number | undefined => (source === 'command' ? MAX_OUTPUT_OF_COMMANDS : undefined)

const timeoutOf = (source: Source, said: unknown): number | undefined => {
  // Its connection enforces the deadline, and is dead after it.
  if (source === 'mcp') return undefined
  return seconds(said) ?? (COMBINING.includes(source) ? undefined : (TIMEOUTS[source] ?? DEFAULT_TIMEOUT) * 1000)
}

// A flaky tool fails by itself; the others fail through their parts, which were retried already.
const defaultAttempts = (source: Source, effects: readonly Effect[]): number => {
  if (effects.includes('fs.write') || effects.includes('exec')) return 1
  return COMBINING.includes(source) && source !== 'flaky' ? 1 : DEFAULT_ATTEMPTS
}

const breakerOf = ({ failures = DEFAULT_FAILURES, reset = DEFAULT_RESET }: { failures?: number; reset?: number }): BreakerOptions => ({
  failures,
  resetMs: reset * 1000,
})

const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

const seconds = (value: unknown): number | undefined => (typeof value === 'number' ? value * 1000 : undefined)
