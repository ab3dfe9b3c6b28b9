// A server in the foreground: until its client has gone, or a signal stops it.

import { dieOf, onStop, Reporter, type StopSignal } from '@plumb/wire'
import type { ServeOptions } from './options.js'
import { serve } from './serve.js'

/** Resolves to the exit status; dies of the signal that stopped it. */
export const runServer = async (program: string, options: ServeOptions): Promise<number> => {
  const reporter = new Reporter(program)
  const served = await serve(options, reporter)
  if (served.ok) {
    const { url, finished, close } = served.value
    if (url !== undefined) reporter.write(reporter.isJson ? JSON.stringify({ listening: url }) : `${program}: listening on ${url}`)
    const signal = await Promise.race([finished, stopped()])
    await close()
    await reporter.end()
    if (signal) dieOf(signal)
    return reporter.status
  }
  await reporter.end()
  return reporter.status
}

/** By a second signal at once: children end with this process. */
const stopped = (): Promise<StopSignal> => new Promise((resolve) => onStop(resolve, dieOf))
