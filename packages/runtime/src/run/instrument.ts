// Opens the record, the limits and the listeners of a run. Most runs have none of them, and then no code for them is loaded.

import { type Bound, type Graph, writesFlowWords } from '@plumb/lang'
import { type Reporter, type Result, succeed } from '@plumb/wire'
import { hasDisplay } from '../display/display.js'
import type { RunEmitter } from '../event/emitter.js'
import type { Secrets } from '../event/secrets.js'
import type { RunOptions } from '../options/run-options.js'
import { sharesAgentLimits } from '../record/agent-limits.js'
import type { Instrumentation, InstrumentationOptions } from '../record/instrumentation.js'

export const NOT_INSTRUMENTED = {
  emitter: undefined,
  resumed: undefined,
  isRecorded: false,
  nestedRecord: () => [],
  release: () => {},
} as const

/** If it fails nothing was started; directories and files may have been made. `reporter` hides secrets from then on. */
export const instrument = async ({
  bound,
  reporter,
  ...o
}: Omit<InstrumentationOptions, 'secrets'> & { readonly bound: Bound; readonly reporter: Reporter }): Promise<Result<Instrumentation>> => {
  const { recording, limits } = o.options
  const secrets = await openSecrets(o, bound)
  if (secrets) reporter.shown = (fault) => secrets.fault(fault)
  const isInstrumented =
    hasDisplay(o.options) ||
    o.options.parent.eventsFd !== undefined ||
    Object.values({ ...recording, ...limits }).some((given) => given !== undefined && given !== false) ||
    sharesAgentLimits(o.loaded.compiled.program, o.options)
  if (!isInstrumented) return succeed({ ...NOT_INSTRUMENTED, secrets, rejects: undefined, budget: undefined, parked: undefined })
  const { openInstrumentation } = await import('../record/instrumentation.js')
  return openInstrumentation({ ...o, secrets })
}

// The parent hides secrets in the output of a nested plumb.
const openSecrets = async (
  { loaded, graph, options }: Omit<InstrumentationOptions, 'secrets'>,
  bound: Bound,
): Promise<Secrets | undefined> => {
  const { program } = loaded.compiled
  if (options.spec.sourcesFd !== undefined || !writesFlowWords(program)) return undefined
  const { secretsOf } = await import('../event/secrets.js')
  return secretsOf(program, bound, graph)
}

/** Emits the first event of a run; `spec` as it was named. */
export const emitBegin = async (emitter: RunEmitter, graph: Graph, spec: string, options: RunOptions): Promise<void> => {
  const { beginOf } = await import('./begin.js')
  emitter.emit(beginOf(graph, spec, options))
}
