// The options of plumb run --on, as they are spelt: which say nothing there, and which only to a command that stays until the run is over.

import { PATIENCE_SECONDS, type RunFlags, type RunOptions } from '@plumb/runtime/options'
import { endWith, type Fault, fault } from '@plumb/wire'
import { submit } from './submit.js'

const UNSERVED_SECONDS = 60

/** Options without meaning for a run by workers, and the remedy. */
const NOT_WITH_WORKERS: Partial<Record<keyof RunFlags, string>> = {
  resume: 'the same command with --run NAME goes on where it was',
  same: 'a run by workers goes on only with the same spec',
  park: 'what needs a person waits there anyhow',
  lane: 'what waits in a batch of a provider is known to one process alone',
  dryRun: 'plumb render --parts shows what workers run',
  telemetry: 'it is for a parent',
  mux: 'outputs are envelopes where there are several',
}

/** Options that need a submitter that stays until the run is over. */
const NOT_DETACHED = ['rejects', 'failFast', 'seq', 'output', 'ordered', 'progress', 'summary', 'record', 'trace'] as const

/** As it is spelt. */
const optionOf = (name: string): string => `--${name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`

const refusalWithWorkers = (flags: RunFlags): Fault | undefined => {
  const given = (Object.keys(NOT_WITH_WORKERS) as (keyof RunFlags)[]).find((name) => flags[name] !== undefined)
  if (given) return fault('usage', `${optionOf(given)} has no effect on a run by workers (--on): ${NOT_WITH_WORKERS[given]}`)
  const early = flags.detach ? NOT_DETACHED.find((name) => flags[name] !== undefined) : undefined
  return early && fault('usage', `${optionOf(early)} says nothing with --detach: say it to the command that fetches the outputs`)
}

/** Resolves to the exit status. */
export const submitRun = async (spec: string | undefined, flags: RunFlags, url: string, options: RunOptions): Promise<number> => {
  const refused = refusalWithWorkers(flags)
  if (refused) return endWith('plumb', refused)
  const {
    run: name,
    detach,
    ordered,
    insecureDatabase,
    output,
    keep,
    pin = [],
    unservedAfter = UNSERVED_SECONDS,
    patience = PATIENCE_SECONDS,
  } = flags
  const own = {
    name,
    isDetached: detach === true,
    isOrdered: ordered === true,
    isInsecure: insecureDatabase === true,
    isKept: keep === true,
    pins: pin,
  }
  return submit(spec, options, { url, patienceSeconds: patience, unservedSeconds: unservedAfter, output, ...own })
}
