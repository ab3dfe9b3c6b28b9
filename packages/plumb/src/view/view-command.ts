// plumb view: a recorded run, or a trace of one, as a page that shows it; or two records beside each other.

import { writeWhole } from '@plumb/runtime/record'
import { type Fault, fault, Reporter, type Result, succeed } from '@plumb/wire'
import type { Selection } from './page-limits.js'
import type { ServedPage } from './served-run.js'

export interface ViewOptions {
  /** Default, and `-`: stdout. */
  readonly output: string | undefined
  /** The first and the last input, from 1. */
  readonly seq: readonly [number, number] | undefined
  /** Seconds since the beginning. */
  readonly from: number | undefined
  /** The record to compare it with. */
  readonly against: string | undefined
  /** The page is served on this machine until a signal, and not written. */
  readonly serve: boolean
  /** Undefined: a free one. */
  readonly port: number | undefined
}

/** Resolves to the exit status. */
export const view = async (path: string, options: ViewOptions): Promise<number> => {
  const { output, serve, port } = options
  const reporter = new Reporter('plumb')
  const refused = refusalOf(options)
  if (refused) reporter.report(refused)
  else if (serve) {
    const [{ serveView }, { ServedRun }] = await Promise.all([import('./serve.js'), import('./served-run.js')])
    const paths = [path, ...(options.against === undefined ? [] : [options.against])]
    const failure = await serveView(new ServedRun(paths, () => pageOf(path, options)), port)
    if (failure) reporter.report(failure)
  } else {
    const page = await pageOf(path, options)
    const failure = page.ok ? await writeWhole(Buffer.from(page.value.page), output === '-' ? undefined : output) : page.error
    if (failure) reporter.report(failure)
  }
  await reporter.end()
  return reporter.status
}

const refusalOf = ({ serve, output, port, against, from }: ViewOptions): Fault | undefined => {
  if (serve && output !== undefined) return fault('usage', '--serve shows the page, and writes none: leave out -o, or --serve')
  if (!serve && port !== undefined) return fault('usage', '--port is for --serve')
  if (against !== undefined && from !== undefined) return fault('usage', '--against compares inputs, and not times: leave out --from')
  return undefined
}

const pageOf = async (path: string, { against, seq: seqs, from, serve: isServed }: ViewOptions): Promise<Result<ServedPage>> => {
  const selection: Selection = { seqs, from: from === undefined ? undefined : from * 1_000_000 }
  if (against !== undefined) {
    const runs = await (await import('./compared-runs.js')).readComparedRuns(path, against, selection)
    return runs.ok ? succeed((await import('./compared-page.js')).comparedPage(runs.value, { isServed })) : runs
  }
  const { readRunParts } = await import('./run-parts.js')
  const parts = await readRunParts(path, selection)
  if (!parts.ok) return parts
  const { runPage, listedInputs } = await import('./page.js')
  const { inputsOf } = await import('./inputs.js')
  return succeed({ page: runPage({ ...parts.value, isServed }), items: listedInputs(inputsOf(parts.value.run), parts.value) })
}
