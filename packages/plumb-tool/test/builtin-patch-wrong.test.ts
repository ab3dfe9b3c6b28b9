// Patches that were right and are made wrong by a rule, as models do: each is refused, or edits the place that was meant.

import fc from 'fast-check'
import t from 'tap'
import { runs } from '../../wire/test/property.js'
import { applyHunks } from '../src/source/builtin/apply-patch/apply-hunks.js'
import { joinLines, splitLines } from '../src/source/builtin/apply-patch/lines.js'
import { parsePatch } from '../src/source/builtin/apply-patch/parse-patch.js'
import { patchOf } from './patch.js'

/** Functions that look alike, with the same lines in each of them. */
const fileOf = (names: readonly string[], bodies: readonly (readonly string[])[]): string[] =>
  names.flatMap((name, i) => [`function ${name}() {`, ...(bodies[i] ?? []).map((line) => (line === '' ? '' : `  ${line}`)), '}', ''])

interface Made {
  readonly file: readonly string[]
  readonly hunks: readonly (readonly string[])[]
  /** The file as it is meant to become. */
  readonly after: readonly string[]
}

const LINES = ['const x = 1', 'x = 1', '', 'return x', 'log(x)', 'x += 1']

const made = fc
  .record({
    bodies: fc.array(fc.array(fc.constantFrom(...LINES), { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 6 }),
    edits: fc.array(
      fc.record({
        at: fc.nat(60),
        remove: fc.integer({ min: 0, max: 2 }),
        add: fc.array(fc.constantFrom('new()', '', 'x = 2'), { maxLength: 2 }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    around: fc.integer({ min: 0, max: 4 }),
  })
  .map(({ bodies, edits, around }): Made => {
    const file = fileOf(
      bodies.map((_, i) => `f${i}`),
      bodies,
    )
    const places = edits.map(({ at, ...edit }) => ({ ...edit, at: at % file.length })).sort((a, b) => a.at - b.at)
    const hunks: string[][] = []
    const after: string[] = []
    let done = 0
    for (const { at, remove, add } of places) {
      // Hunks do not overlap.
      if (at - around < done) continue
      const gone = file.slice(at, at + remove)
      if (gone.length === 0 && (add.length === 0 || around === 0)) continue
      const from = at - around
      const to = Math.min(file.length, at + gone.length + around)
      after.push(...file.slice(done, at), ...add.map((line) => (line === '' ? '' : `  ${line}`)), ...file.slice(at + gone.length, to))
      const kept = (lines: readonly string[]) => lines.map((line) => ` ${line}`)
      const added = add.map((line) => (line === '' ? '+' : `+  ${line}`))
      hunks.push([...kept(file.slice(from, at)), ...gone.map((line) => `-${line}`), ...added, ...kept(file.slice(at + gone.length, to))])
      done = to
    }
    return { file, hunks, after: [...after, ...file.slice(done)] }
  })
  .filter(({ hunks }) => hunks.length > 0)

type Rule = (hunks: readonly (readonly string[])[], pick: (most: number) => number) => readonly string[]

const joined = (hunks: readonly (readonly string[])[], between: readonly string[] = []): string[] =>
  hunks.flatMap((hunk) => ['@@', ...hunk, ...between])

const inOne = (
  hunks: readonly (readonly string[])[],
  pick: (most: number) => number,
  change: (hunk: readonly string[]) => readonly string[],
) => {
  const which = pick(hunks.length)
  return joined(hunks.map((hunk, i) => (i === which ? change(hunk) : hunk)))
}

/** What models do to patches. */
const RULES: Readonly<Record<string, Rule>> = {
  'an empty line before the first hunk': (hunks) => ['', ...joined(hunks)],
  'blank lines before the first hunk': (hunks) => ['', '  ', '', ...joined(hunks)],
  'an empty line behind each hunk': (hunks) => joined(hunks, ['']),
  'two empty lines behind each hunk': (hunks) => joined(hunks, ['', '']),
  'no header at the first hunk': (hunks) => joined(hunks).slice(1),
  'an empty line in place of it': (hunks) => ['', ...joined(hunks).slice(1)],
  'white space lost at the ends of lines': (hunks) => joined(hunks.map((hunk) => hunk.map((line) => line.trimEnd()))),
  'no context before': (hunks, pick) => inOne(hunks, pick, (hunk) => hunk.slice(hunk.findIndex((line) => line[0] !== ' '))),
  'no context behind': (hunks, pick) => inOne(hunks, pick, (hunk) => hunk.slice(0, hunk.findLastIndex((line) => line[0] !== ' ') + 1)),
  'all indentation lost': (hunks, pick) => inOne(hunks, pick, (hunk) => hunk.map((line) => `${line[0]}${line.slice(1).trimStart()}`)),
  'all indented by two more': (hunks, pick) =>
    inOne(hunks, pick, (hunk) => hunk.map((line) => (line.length > 1 ? `${line[0]}  ${line.slice(1)}` : line))),
  'tabs for spaces': (hunks, pick) => inOne(hunks, pick, (hunk) => hunk.map((line) => line.replace(/^(.) {2}/, '$1\t'))),
  'a line that is not in the file': (hunks, pick) =>
    inOne(hunks, pick, (hunk) => hunk.toSpliced(pick(hunk.length + 1), 0, ' notInTheFile()')),
  'a word changed': (hunks, pick) =>
    inOne(hunks, pick, (hunk) => {
      const at = pick(hunk.length)
      return hunk.map((line, i) => (i === at && line[0] !== '+' && line.length > 1 ? `${line}Wrong` : line))
    }),
  'the name of a function changed': (hunks) => joined(hunks.map((hunk) => hunk.map((line) => line.replace(/(?<=^[ -]function )f/, 'g')))),
  'the hunks in reverse': (hunks) => joined(hunks.toReversed()),
  'a hunk twice': (hunks, pick) => {
    const which = pick(hunks.length)
    return joined(hunks.flatMap((hunk, i) => (i === which ? [hunk, hunk] : [hunk])))
  },
  'numbers before lines': (hunks, pick) => inOne(hunks, pick, (hunk) => hunk.map((line, i) => `${line[0]}${i + 1}: ${line.slice(1)}`)),
  'numbers of a diff that are wrong': (hunks) => joined(hunks).map((line) => (line === '@@' ? '@@ -1,2 +1,3 @@' : line)),
  'headers of a diff': (hunks) => ['--- a/f', '+++ b/f', ...joined(hunks)],
  'a sign lost': (hunks, pick) => inOne(hunks, pick, (hunk) => hunk.with(pick(hunk.length), 'lost its sign')),
  'minus for a line that stays': (hunks, pick) =>
    inOne(hunks, pick, (hunk) => hunk.map((line, i) => (i === hunk.length - 1 && line[0] === ' ' ? `-${line.slice(1)}x` : line))),
  'an anchor that is not there': (hunks) => ['@@ function nowhere() {', ...joined(hunks).slice(1)],
  'the end of the file where it is not': (hunks) => [...joined(hunks.slice(0, 1)), '*** End of File', ...joined(hunks.slice(1))],
  'an ellipsis for what is between': (hunks, pick) => inOne(hunks, pick, (hunk) => hunk.toSpliced(pick(hunk.length + 1), 0, ' ...')),
  'a sign that looks alike': (hunks, pick) =>
    inOne(hunks, pick, (hunk) => hunk.map((line) => (line[0] === '+' ? line : line.replace(' = ', ' \u2013 ')))),
}

// So many by each rule; PLUMB_PATCHES=1000 for more, PLUMB_SEED=7 for the same again.
const EACH = Number(process.env.PLUMB_PATCHES ?? runs(160))
const SEED = Number(process.env.PLUMB_SEED ?? Date.now() % 1_000_000)

/** Also without empty lines: on which side of one a line is added, a patch without context does not say. */
const withoutSpaces = (text: string): string => text.replace(/[ \t]+/g, '').replace(/\n+/g, '\n')

/** The file as it becomes, or the error: what the tool does, without a file. */
const applied = (old: string, patch: string): { readonly text: string } | { readonly error: string } => {
  const sections = parsePatch(patch)
  if (!sections.ok) return { error: sections.error.detail }
  const [section, another] = sections.value
  if (another || section?.kind !== 'update') return { error: 'it is not about one file' }
  const result = applyHunks(section.path, splitLines(old), section.hunks)
  return result.ok ? { text: joinLines(result.value.lines) } : { error: result.error.detail }
}

t.test('a patch made wrong edits no other place than the one that was meant', async (t) => {
  let [tried, refused, asMeant] = [0, 0, 0]
  for (const [name, rule] of Object.entries(RULES)) {
    fc.assert(
      fc.property(made, fc.infiniteStream(fc.nat(1000)), ({ file, hunks, after }, numbers) => {
        const old = `${file.join('\n')}\n`
        const meant = `${after.join('\n')}\n`
        // Only a patch that is right can be made wrong.
        const right = applied(old, patchOf('*** Update File: f', ...joined(hunks)))
        if ('error' in right || right.text !== meant) return
        const lines = rule(hunks, (most) => (numbers.next().value as number) % most)
        const patch = patchOf('*** Update File: f', ...lines)
        const now = applied(old, patch)
        tried++
        // What would change nothing is refused.
        if ('error' in now || now.text === old) {
          refused++
          return
        }
        // White space is what such a patch may not know.
        if (withoutSpaces(now.text) !== withoutSpaces(meant))
          throw new Error(`another place, or another text:\n${old}\n${patch}\n${now.text}`)
        asMeant++
      }),
      { numRuns: EACH, seed: SEED },
    )
    t.pass(name)
  }
  t.ok(tried > 100 && refused > 20 && asMeant > 20, `seed ${SEED}, ${tried} patches: ${refused} refused, ${asMeant} as meant`)
})
