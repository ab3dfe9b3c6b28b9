// plumb deps: the files that a spec reads, as a make rule, so that `include` makes targets of a Makefile follow them.

import { namedFiles } from '@plumb/lang'
import { Reporter } from '@plumb/wire'
import { load, refuseErrors } from './load.js'
import { writeWhole } from './write-whole.js'

export const deps = async (path: string): Promise<number> => {
  const reporter = new Reporter('plumb')
  const loaded = await load(path, {})
  if (!loaded.ok) reporter.report(loaded.error)
  else if (!refuseErrors(loaded.value, reporter)) {
    const { compiled, files } = loaded.value
    const entry = compiled.program.entry.module.path
    // What comes with plumb has no file that could change.
    const modules = compiled.program.scopes.map((s) => s.module.path).filter((p) => p !== entry && !p.startsWith('<'))
    const named = namedFiles(compiled.program).map((f) => files.beside(f.path, f.from))
    const all = [...new Set([...modules, ...named])].sort()
    const failure = await writeWhole(Buffer.from(`${[`${escape(path)}:`, ...all.map(escape)].join(' ')}\n`), undefined)
    if (failure) reporter.report(failure)
  }
  await reporter.end()
  return reporter.status
}

// As make reads names: a blank and a '#' behind a backslash, a '$' doubled.
const escape = (path: string): string => path.replace(/([ \t#\\])/g, '\\$1').replace(/\$/g, '$$$$')
