// What a graph is wired with in this process alone: nothing is started, and no file is read.

import { bindingNamed, compile, type Graph, hasErrors, planOf, toText } from '@plumb/lang'
import { type Fault, fail } from '@plumb/wire'
import { AuthoritySource } from '../../runtime/src/child/authority-source.js'
import { InputContext } from '../../runtime/src/graph/input-context.js'
import { runOptions } from '../../runtime/src/options/run-options.js'
import { NOT_INSTRUMENTED } from '../../runtime/src/run/instrument.js'

const NO_FILES = { read: () => fail('file_not_found', 'none'), find: () => undefined, beside: (path: string) => path }

/** The graph of `main`. Throws what is wrong with the text. */
export const graphOf = (text: string): Graph => {
  const { diagnostics, program } = compile({ path: 'main.plumb', text, files: NO_FILES })
  if (hasErrors(diagnostics)) throw new Error(diagnostics.map(toText).join('\n'))
  const bound = bindingNamed(program, 'main')
  if (!bound) throw new Error('there is no main')
  return planOf(bound)
}

export const bareWiring = ({ maxLine, report }: { readonly maxLine: number; readonly report: (fault: Fault) => void }) => ({
  report,
  settings: {
    files: { ...NO_FILES, bundle: () => ({ entry: '', files: {}, modules: {} }) },
    options: runOptions('run', { maxInFlight: 100_000, maxLine }),
    docroot: undefined,
    authoritySource: new AuthoritySource({ policy: [], context: {} }, undefined),
    report,
    ...NOT_INSTRUMENTED,
  },
  rejects: undefined,
  parent: undefined,
  tools: new Map(),
  mapped: new Map(),
  envelopes: 'some' as const,
  hasSeq: false,
  lines: undefined,
  current: new InputContext(),
})
