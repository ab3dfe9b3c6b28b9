// The life of a server from the command line, until a signal or the end of its client.

import { dieOf, isTerminal, onStop, Reporter, type StopSignal } from '@plumb/wire'
import type { ServeOptions } from './options.js'
import { serve } from './serve.js'

/**
 * Serves in the foreground, until the client is gone or a signal stops it. Resolves to the exit status; dies of the signal that stopped it.
 */
export const runServer = async (program: string, options: ServeOptions): Promise<number> => {
  const reporter = new Reporter(program)
  const served = await serve(options, reporter)
  if (served.ok) {
    const { url, finished, close } = served.value
    if (url !== undefined) reporter.write(reporter.isJson ? JSON.stringify({ listening: url }) : `${program}: listening on ${url}`)
    else if (isTerminal(0) && isTerminal(2) && !reporter.isJson)
      reporter.write(`${program}: reads MCP, which clients speak, until Ctrl-D; see --help`)
    const signal = await Promise.race([finished, stopped()])
    await close()
    await reporter.end()
    if (signal) dieOf(signal)
    return reporter.status
  }
  await reporter.end()
  return reporter.status
}

/** A second signal ends it at once: children end with this process. */
const stopped = (): Promise<StopSignal> => new Promise((resolve) => onStop(resolve, dieOf))
