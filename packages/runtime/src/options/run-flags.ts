// What the command line of run, stage and work may say, as it is parsed.

import type { ProviderLane } from '@plumb/wire'
import type { WatchFlags } from './watch-options.js'

/** How long a database that is away is waited for, by default. */
export const PATIENCE_SECONDS = 300

export interface RunFlags extends WatchFlags {
  eval?: string
  sourcesFd?: number
  binding?: string
  rawInput?: boolean
  rawOutput?: boolean
  provider?: string
  model?: string
  docroot?: string
  flows?: boolean
  set?: string[]
  setFile?: string[]
  grant?: string[]
  policy?: string
  requireSandbox?: boolean
  context?: string[]
  allowHost?: string[]
  agentCommand?: string
  toolCommand?: string
  parallelToolCalls: boolean
  maxInFlight?: number
  maxLine?: number
  mux?: boolean
  envelopes: boolean
  telemetry?: boolean
  seq?: boolean
  numbered?: boolean
  dryRun?: boolean
  failFast?: boolean
  record?: string
  resume?: string
  same?: true
  park?: true
  rejects?: string
  maxCost?: number
  rate?: readonly string[]
  lane?: ProviderLane
  maxCalls?: number
  maxTotalTokens?: number
  deadline?: number
  cache?: string
  cacheOnly?: boolean
  keptFd?: number
  deliveryFd?: number
  eventsFd?: number
  place?: string
  letGoFd?: number
  budgetFd?: string
  part?: number
  stateFd?: number
  on?: string
  run?: string
  detach?: true
  ordered?: true
  insecureDatabase?: true
  unservedAfter?: number
  output?: string
  keep?: true
  pin?: string[]
  patience?: number
}
