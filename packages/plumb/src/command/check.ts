// plumb check: ok and how much there is, or every diagnostic (plumbing(5), DIAGNOSTICS).

import { setFlagsFromString } from 'node:v8'
import { type Bound, type Compiled, type Diagnostic, hasErrors, MAX_WRITTEN, type Need, printType, toJson } from '@plumb/lang'
import { escapeLines, Reporter } from '@plumb/wire'
import { load, type SpecOptions, shown } from './load.js'
import { findMissing } from './missing.js'
import { selectBinding } from './select-binding.js'
import { writeWhole } from './write-whole.js'

/** Exit 2 when a spec has errors or cannot be read. With `--json` everything stands on stdout. */
export const check = async (paths: readonly string[], options: SpecOptions & { readonly json: boolean }): Promise<number> => {
  hasten()
  const reporter = new Reporter('plumb')
  const out: string[] = []
  for (const path of options.eval === undefined || paths.length > 0 ? paths : [undefined]) {
    const loaded = await load(path, options)
    if (!loaded.ok) {
      reporter.report(loaded.error)
      continue
    }
    const { compiled } = loaded.value
    const diagnostics = [...compiled.diagnostics, ...(hasErrors(compiled.diagnostics) ? [] : whatCannotRun(compiled))]
    for (const d of diagnostics) {
      if (options.json) out.push(JSON.stringify(toJson(d)))
      else reporter.write(shown(d))
    }
    if (hasErrors(diagnostics)) reporter.status = 2
    else out.push(options.json ? JSON.stringify(summary(compiled)) : okay(compiled, paths.length > 1 ? path : undefined))
  }
  if (paths.length === 0 && options.eval === undefined) {
    const none = await load(undefined, options)
    if (!none.ok) reporter.report(none.error)
  }
  const failure = out.length > 0 ? await writeWhole(Buffer.from(escapeLines(`${out.join('\n')}\n`)), undefined) : undefined
  if (failure) reporter.report(failure)
  await reporter.end()
  return reporter.status
}

/** What a run would be refused for, of all that the file has. */
const whatCannotRun = ({ program }: Compiled): Diagnostic[] => {
  const bounds = [...program.entry.bindings.values()]
  const main = program.entry.bindings.get('main')
  const started = main && selectBinding(program, 'main')
  const refused: Diagnostic[] =
    main && started?.ok === false
      ? [{ severity: 'error', code: started.error.error, message: started.error.detail, span: main.binding.name.span }]
      : []
  const lacks = findMissing(bounds.filter(({ category }) => category === 'stream' || category === 'base'))
  const severityOf = ({ isOptional }: Need) => (isOptional ? ('warning' as const) : ('error' as const))
  return [...refused, ...lacks.map(({ code, message, need }) => ({ severity: severityOf(need), code, message, span: need.span }))]
}

// A check is over before optimised code has paid for itself: with the optimiser held back, a spec of 2,000 lines takes a fifth less.
// The flag is one of Node 20's V8; later ones would complain of it on stderr.
const hasten = (): void => {
  if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=600000')
}

const okay = ({ typeCount, bindingCount }: Compiled, path: string | undefined): string => {
  const text = `ok (${typeCount} types, ${bindingCount} bindings)`
  return path === undefined ? text : `${path}: ${text}`
}

/** Types by name, and bindings with their ports, for tools that read. */
const summary = ({ program }: Compiled) => ({
  ok: true,
  types: Object.fromEntries([...program.entry.types.values()].map((t) => [t.name, printType(t.target, MAX_WRITTEN)])),
  bindings: Object.fromEntries([...program.entry.bindings.values()].map((b) => [b.name, signature(b)])),
})

const signature = ({ category, inputs, outputs }: Bound) => {
  const mark = category === 'stream' ? '!' : ''
  const ports = (types: Bound['inputs']) => types.map((t) => (t ? mark + printType(t, MAX_WRITTEN) : '?'))
  return category === 'value' ? { kind: 'value' } : { kind: category, inputs: ports(inputs), outputs: ports(outputs) }
}
