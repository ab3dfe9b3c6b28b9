// A spec that is written: what is known from its versions before never changes what is said of it, and what is looked at in part says what
// the whole would.

import { diskFiles } from '@plumb/wire'
import fc from 'fast-check'
import t from 'tap'
import { runs } from '../../wire/test/property.js'
import { checkFlows, followFlows } from '../src/flow/check.js'
import { compile, diagnosticToJson, hasErrors, STANDARD_LIBRARY } from '../src/index.js'
import { CheckReuse, completionsAt, TextAround } from '../src/service/index.js'
import { ownSpecs } from './own-specs.js'

const SEED = Number(process.env.PLUMB_SEED ?? 31)
const WALKS = Number(process.env.PLUMB_WALKS ?? runs(300))
const STEPS = 25

const PATH = 'packages/plumb/examples/a.plumb'
const BESIDE = 'packages/plumb/examples/b.plumb'
const disk = diskFiles([], STANDARD_LIBRARY)
const filesWith = (beside: string) => ({
  ...disk,
  read: (path: string) => (path === BESIDE ? ({ ok: true, value: beside } as const) : disk.read(path)),
})

interface Edit {
  readonly kind: 'insert' | 'delete' | 'word' | 'line' | 'again' | 'back' | 'beside'
  /** Where, as a part of the length. */
  readonly at: number
  readonly other: number
  readonly text: string
}

const PIECES = [
  ...[
    '(',
    ')',
    '{',
    '}',
    '[',
    ']',
    '"',
    '"""',
    '$"',
    '(*',
    '*)',
    ';',
    ',',
    ':',
    '.',
    '@',
    '|',
    '!',
    '->',
    '=',
    '?',
    '\\',
    '\n',
    ' ',
    'a',
    '1',
  ],
  ...[
    'let x : !int -> !int = id\n',
    'type T = { a: int }\n',
    'use mem\n',
    'param p : int = 1\n',
    '\n@tool\n',
    ' ; map(',
    ' ; filter(value)',
  ],
  ...[
    'let ',
    'type ',
    'string',
    'int',
    'agent { }',
    'plumb(input, output) {\n',
    'upper(',
    'nothing_of_that_name',
    'value',
    ' ; each(',
    'main',
  ],
]

const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('insert', 'insert', 'delete', 'word', 'line', 'again', 'back', 'beside'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  other: fc.double({ min: 0, max: 1, noNaN: true }),
  text: fc.constantFrom(...PIECES),
})

const wordsOf = (text: string) => [...text.matchAll(/[A-Za-z_][A-Za-z0-9_]*/g)]

const lineAt = (text: string, at: number) => {
  const start = text.lastIndexOf('\n', at - 1) + 1
  const end = text.indexOf('\n', at)
  return { start, end: end < 0 ? text.length : end + 1 }
}

const applied = (before: string, { kind, at, other, text: piece }: Edit): string => {
  const place = Math.floor(at * before.length)
  const put = (from: number, to: number, text: string) => before.slice(0, from) + text + before.slice(to)
  switch (kind) {
    case 'insert':
      return put(place, place, piece)
    case 'delete':
      return put(place, place + 1 + Math.floor(other * 12), '')
    case 'word': {
      const words = wordsOf(before)
      const word = words[Math.floor(at * words.length)]
      const with_ = words[Math.floor(other * words.length)]
      return word && with_ ? put(word.index, word.index + word[0].length, with_[0]) : before
    }
    case 'line': {
      const line = lineAt(before, place)
      return put(line.start, line.end, '')
    }
    case 'again': {
      const line = lineAt(before, place)
      return put(line.end, line.end, before.slice(line.start, line.end))
    }
    default:
      return before
  }
}

/** The versions of a text, each with the text of the module beside it and a place in it. */
const versionsOf = (spec: string, beside: string, edits: readonly Edit[]) => {
  const versions = [{ text: spec, beside, offset: 0 }]
  for (const one of edits) {
    const last = versions.at(-1) as (typeof versions)[number]
    const before = one.kind === 'back' ? versions[Math.floor(one.at * versions.length)] : last
    const text = applied(before?.text ?? '', one)
    const inBeside = one.kind === 'beside' ? applied(last.beside, { ...one, kind: 'insert' }) : last.beside
    versions.push({ text, beside: inBeside, offset: Math.min(text.length, Math.floor(one.at * text.length) + one.text.length) })
  }
  return versions
}

const walk = fc.tuple(fc.constantFrom(...ownSpecs), fc.constantFrom(...ownSpecs), fc.boolean(), fc.array(edit, { maxLength: STEPS }))

t.test(`${WALKS} specs while they are written (seed ${SEED})`, async (t) => {
  let versions = 0
  let withErrors = 0
  const run = ([spec, beside, usesBeside, edits]: [string, string, boolean, Edit[]]) => {
    const reuse = new CheckReuse()
    const around = new TextAround()
    for (const { text, beside: module, offset } of versionsOf(usesBeside ? `use "./b.plumb" as B\n${spec}` : spec, beside, edits)) {
      const files = filesWith(module)
      const entry = { path: PATH, text }
      const checked = (of?: CheckReuse) => compile({ ...entry, files, checksTests: true, reuse: of }).diagnostics.map(diagnosticToJson)
      const fresh = checked()
      const show = `seed ${SEED}:\n${text}\n-- b.plumb --\n${usesBeside ? module : ''}\n-- at ${offset}`
      if (JSON.stringify(checked(reuse)) !== JSON.stringify(fresh)) t.same(checked(reuse), fresh, show)
      const whole = completionsAt(entry, files, offset)
      const parted = completionsAt(entry, files, offset, around)
      if (JSON.stringify(parted) !== JSON.stringify(whole)) t.same(parted, whole, show)
      versions++
      if (fresh.length > 0) withErrors++
    }
    return t.passing()
  }
  fc.assert(fc.property(walk, run), { numRuns: WALKS, seed: SEED, endOnFailure: true })
  t.ok(versions > 5 * WALKS && withErrors > versions / 5 && withErrors < versions, `${versions} versions, ${withErrors} with diagnostics`)
})

t.test('where nothing can have a label, none is found', async (t) => {
  let quick = 0
  for (const text of ownSpecs) {
    const { program, diagnostics } = compile({ path: PATH, text, files: disk })
    if (hasErrors(diagnostics)) continue
    for (const isStrict of [true, false]) {
      const options = { effectsOf: () => ['net', 'exec', 'fs.read'] as const, isStrict }
      const found = followFlows(program, options).map(diagnosticToJson)
      t.same(checkFlows(program, options).map(diagnosticToJson), found, text)
      if (found.length === 0) quick++
    }
  }
  t.ok(quick > 20, `${quick} without any`)
})
