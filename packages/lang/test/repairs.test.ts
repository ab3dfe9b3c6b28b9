// long
// Of mistakes in the specs of this repository nearly all are repaired by the edits that `plumb check --json` prints.

import { diskFiles } from '@plumb/wire'
import fc from 'fast-check'
import t from 'tap'
import { type Compiled, compile, type Diagnostic, STANDARD_LIBRARY } from '../src/index.js'
import { edited, repairsOf } from '../src/service/index.js'
import { arbitraryMistakeIn } from './arbitrary-mistake.js'
import { ownSpecs } from './own-specs.js'

const SEED = Number(process.env.PLUMB_SEED ?? 28)
const MISTAKES = 200

const files = diskFiles([], STANDARD_LIBRARY)

const check = (text: string): Compiled => compile({ path: 'packages/plumb/examples/a.plumb', text, files, checksTests: true })

const errorsOf = (text: string) => check(text).diagnostics.filter(({ severity }) => severity === 'error')

/** With the repair of each error. */
const repaired = (text: string): string => {
  const errors = errorsOf(text)
  const [first] = errors as [Diagnostic]
  const repairs = [...repairsOf(first.span.source, errors, errorsOf).values()]
  return edited(text, repairs)
}

t.test(`${MISTAKES} mistakes, mended (seed ${SEED})`, async (t) => {
  const right = ownSpecs.filter((text) => text.length > 80 && errorsOf(text).length === 0)
  t.ok(right.length > 30, `${right.length} specs that are right`)
  const count = new Map<string, { made: number; repaired: number }>()
  let made = 0
  let isRight = 0
  let isAsBefore = 0
  // What is left right by a mistake, as a stray letter in a name that nothing uses, is none.
  for (const { kind, text, right: before } of fc.sample(arbitraryMistakeIn(right), { numRuns: 10 * MISTAKES, seed: SEED })) {
    if (made === MISTAKES) break
    if (errorsOf(text).length === 0) continue
    made++
    const own = count.get(kind) ?? { made: 0, repaired: 0 }
    count.set(kind, own)
    own.made++
    const after = repaired(text)
    const errors = errorsOf(after)
    if (after.replace(/\s/g, '') === before.replace(/\s/g, '')) isAsBefore++
    if (errors.length === 0) {
      isRight++
      own.repaired++
    } else if (process.env.MENDS_SHOW) {
      const [first] = errorsOf(text)
      t.comment(
        `${kind}: ${first?.message}; ${first?.help} at ${first && JSON.stringify(text.slice(first.span.start - 30, first.span.end + 20))} -> ${errors[0]?.message}`,
      )
    }
  }
  for (const [kind, { made, repaired }] of count) t.comment(`${kind}: ${repaired} of ${made}`)
  t.comment(`${isRight} of ${made}, ${isAsBefore} as they were before`)
  t.equal(made, MISTAKES)
  t.ok(isRight >= 0.9 * MISTAKES, `${isRight} of ${made} are right after the repair`)
})
