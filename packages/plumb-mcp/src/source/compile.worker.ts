// Compiles a client's source and checks it against the policy, in a thread: checking the types of a hostile source may take any time.

import { parentPort, workerData } from 'node:worker_threads'
import { bindingNamed, type Compiled, compile, diagnosticToJson, hasErrors, printPorts, toText } from '@plumb/lang'
import { checkFlows } from '@plumb/lang/flow'
import { effectsOf } from '@plumb/policy'
import type { CompiledSource, SourceQuestion } from './compiled-source.js'
import { sourceFiles } from './source-files.js'
import { checkSource } from './source-policy.js'

const compileSource = ({ docroot, grant, path, text }: SourceQuestion): CompiledSource => {
  const files = sourceFiles(docroot, { path, text })
  const checked = compile({ path, text, files })
  const { refusals, prompts } = hasErrors(checked.diagnostics) ? NOTHING : checkSource(checked.program, { docroot, grant })
  // Refused data is sent nowhere.
  const compiled = refusals.length > 0 ? checked : withClientsFlows(checked)
  const { diagnostics, typeCount, bindingCount } = compiled
  const counts = { types: typeCount, bindings: bindingCount }
  const said = { diagnostics: diagnostics.map(diagnosticToJson), text: diagnostics.map(toText).join('\n') }
  if (hasErrors(diagnostics)) return { ok: false, ...counts, ...said }
  return {
    ok: true,
    ...counts,
    ...said,
    signatures: signaturesOf(compiled),
    refusals,
    prompts,
    bundle: files.bundle(path),
    main: mainOf(compiled),
  }
}

const NOTHING: ReturnType<typeof checkSource> = { refusals: [], prompts: [] }

// A client's source is checked as with --flows, and so is its input.
const withClientsFlows = (compiled: Compiled): Compiled => {
  if (hasErrors(compiled.diagnostics)) return compiled
  const found = checkFlows(compiled.program, { effectsOf, isStrict: true, isInputUntrusted: true })
  return { ...compiled, diagnostics: [...compiled.diagnostics, ...found] }
}

const signaturesOf = ({ program }: Compiled): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...program.entry.bindings.values()].map((bound) => {
      const { inputs, outputs } = printPorts(bound)
      return [bound.name, bound.category === 'value' ? 'value' : `${sideOf(inputs)} -> ${sideOf(outputs)}`]
    }),
  )

const sideOf = (ports: readonly string[]): string => (ports.length === 1 ? (ports[0] ?? '') : `(${ports.join(', ')})`)

const mainOf = ({ program }: Compiled) => {
  const main = bindingNamed(program, 'main')
  return main?.category === 'stream' ? { inputs: main.inputs.length, outputs: main.outputs.length } : undefined
}

parentPort?.postMessage(compileSource(workerData as SourceQuestion))
