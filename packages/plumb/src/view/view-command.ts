// plumb view: a recorded run, or a trace of one, as a page that shows it.

import { writeWhole } from '@plumb/runtime/record'
import { fail, Reporter } from '@plumb/wire'
import { runPage } from './page.js'
import { readRunParts } from './run-parts.js'

export interface ViewOptions {
  /** Default, and `-`: stdout. */
  readonly output: string | undefined
  /** The first and the last input, from 1. */
  readonly seq: readonly [number, number] | undefined
  /** Seconds since the beginning. */
  readonly from: number | undefined
  /** The page is served on this machine until a signal, and not written. */
  readonly serve: boolean
  /** Undefined: a free one. */
  readonly port: number | undefined
}

/** Resolves to the exit status. */
export const view = async (path: string, options: ViewOptions): Promise<number> => {
  const { output, seq: seqs, from, serve, port } = options
  const selection = { seqs, from: from === undefined ? undefined : from * 1_000_000 }
  const reporter = new Reporter('plumb')
  if (serve && output !== undefined)
    reporter.report(fail('usage', '--serve shows the page, and writes none: leave out -o, or --serve').error)
  else if (!serve && port !== undefined) reporter.report(fail('usage', '--port is for --serve').error)
  else if (serve) {
    const failure = await (await import('./serve.js')).serveView(path, { selection, port })
    if (failure) reporter.report(failure)
  } else {
    const parts = await readRunParts(path, selection)
    const failure = parts.ok
      ? await writeWhole(Buffer.from(runPage({ ...parts.value, isServed: false })), output === '-' ? undefined : output)
      : parts.error
    if (failure) reporter.report(failure)
  }
  await reporter.end()
  return reporter.status
}
