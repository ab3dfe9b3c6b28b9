// The tests that are in a file, as an editor lists them.

import type { Compiled } from '../compile.js'
import type { Span } from '../diagnostic/source.js'

export interface ListedTest {
  readonly name: string
  /** Of the whole test. */
  readonly span: Span
  /** From the word `test` to the name of the binding. */
  readonly head: Span
}

/** In their order; those of a spec with errors, too. */
export const testsIn = ({ program }: Compiled): readonly ListedTest[] =>
  program.entry.module.program.items.flatMap((item) =>
    item.kind === 'test' ? [{ name: item.name.text, span: item.span, head: { ...item.span, end: item.of.span.end } }] : [],
  )
