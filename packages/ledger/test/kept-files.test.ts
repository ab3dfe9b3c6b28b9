// Answers in a directory are found by an index, which may be missing, old, cut, or wrong: the reference reads all lines whole.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { canonicalJson } from '../../wire/src/json/canonical.js'
import { holds, runs } from '../../wire/test/property.js'
import { makeTestDirectory } from '../../wire/test/shell.js'
import { canonicalText } from '../src/kept/canonical.js'
import { openDirectoryStore } from '../src/kept/directory-store.js'
import { type EntryKey, type KeptEntry, readEntry, writeEntry } from '../src/kept/entry.js'
import { entryLine, readEntryIndex } from '../src/kept/entry-index.js'
import type { Store } from '../src/kept/store.js'

const HASHES = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(64))
const PLACES = ['a', 'b~c', 'long-name.of_one@1']
const KEYS: readonly EntryKey[] = HASHES.flatMap((hash) => PLACES.flatMap((place) => [1, 2].map((nth) => ({ hash, place, nth }))))

const open = (directory: string): Store => {
  const store = openDirectoryStore(directory, true)
  if (!store.ok) throw new Error(store.error.detail)
  return store.value
}

/** Each line of all files is read and checked; of equal keys the last counts. */
const readWhole = (directory: string): ReadonlyMap<string, unknown> => {
  const answers = new Map<string, unknown>()
  for (const name of readdirSync(directory).sort()) {
    if (!name.endsWith('.jsonl')) continue
    const lines = readFileSync(join(directory, name), 'latin1').split('\n').slice(0, -1)
    for (const line of lines) {
      const entry = readEntry(Buffer.from(line, 'latin1').toString())
      if (entry) answers.set(nameOf(entry), entry.answer)
    }
  }
  return answers
}

const nameOf = ({ hash, place, nth }: EntryKey): string => `${hash} ${place} ${nth}`

const readAll = (directory: string): ReadonlyMap<string, unknown> => {
  const store = open(directory)
  const found = KEYS.flatMap((key) => store.read(key) ?? [])
  const listed = new Set(HASHES.flatMap((hash) => store.keysOf(hash).map(nameOf)))
  for (const entry of found) if (!listed.has(nameOf(entry))) throw new Error(`${nameOf(entry)} is not among the keys of its hash`)
  return new Map(found.map((entry) => [nameOf(entry), entry.answer]))
}

/** Files of which each process that kept answers has left two. */
interface KeptFile {
  lines: Buffer
  index: Buffer | undefined
}

const fileOf = (entries: readonly KeptEntry[]): KeptFile => {
  let [lines, index, offset] = ['', '', 0]
  for (const entry of entries) {
    const line = writeEntry(entry)
    const bytes = Buffer.byteLength(line)
    lines += `${line}\n`
    index += entryLine({ ...entry, offset, bytes })
    offset += bytes + 1
  }
  return { lines: Buffer.from(lines), index: Buffer.from(index) }
}

const cut = (bytes: Buffer, share: number): Buffer => bytes.subarray(0, Math.floor(bytes.length * share))

/** What has happened to a file since; `share` says where, from 0 to 1. */
const DAMAGES: Readonly<Record<string, (file: KeptFile, share: number, other: KeptFile) => KeptFile>> = {
  none: (file) => file,
  'lines are cut': ({ lines, index }, share) => ({ lines: cut(lines, share), index }),
  'index is cut': ({ lines, index }, share) => ({ lines, index: index && cut(index, share) }),
  'both are cut': ({ lines, index }, share) => ({ lines: cut(lines, share), index: index && cut(index, 1 - share) }),
  'no index': ({ lines }) => ({ lines, index: undefined }),
  'index of an older version': ({ lines, index }) => ({
    lines,
    index: index && Buffer.from(`${index}`.replaceAll(/ [0-9a-f]{8}\n/g, '\n')),
  }),
  'index of another file': ({ lines }, _, other) => ({ lines, index: other.index }),
  'a byte of the index is another': ({ lines, index }, share) => ({ lines, index: index && flip(index, share) }),
  'a byte of the lines is another': ({ lines, index }, share) => ({ lines: flip(lines, share), index }),
  'offsets that lie': ({ lines, index }, share) => ({ lines, index: index && lie(index, share) }),
  'a torn line in the middle': ({ lines, index }, share) => ({ lines: Buffer.concat([cut(lines, share), lines]), index }),
  'lines of an older index': ({ lines, index }, _, other) => ({ lines: Buffer.concat([lines, other.lines]), index }),
}

const flip = (bytes: Buffer, share: number): Buffer => {
  const changed = Buffer.from(bytes)
  const at = Math.floor(changed.length * share)
  if (at < changed.length) changed[at] = (changed[at] as number) ^ 1
  return changed
}

// One entry is shorter than it says, and the next longer: all else stands where it stood.
const lie = (index: Buffer, share: number): Buffer => {
  const lines = `${index}`.split('\n').slice(0, -1)
  const entries = lines.map((line) => {
    const [hash = '', nth, offset, bytes, place = ''] = line.split(' ')
    return { hash, nth: Number(nth), offset: Number(offset), bytes: Number(bytes), place }
  })
  const at = Math.floor((entries.length - 1) * share)
  const [one, two] = [entries[at], entries[at + 1]]
  if (one && two) {
    one.bytes -= 7
    two.offset -= 7
    two.bytes += 7
  }
  return Buffer.from(entries.map(entryLine).join(''))
}

t.test('whatever becomes of index and files, what is found is what is in the files', async (t) => {
  const answer = fc.oneof(fc.string(), fc.record({ text: fc.string({ unit: 'grapheme' }), n: fc.double() }), fc.constant('x'.repeat(3000)))
  const entries = fc.array(fc.tuple(fc.constantFrom(...KEYS), answer), { maxLength: 12 })
  const file = fc.tuple(entries, fc.constantFrom(...Object.keys(DAMAGES)), fc.double({ min: 0, max: 1, noNaN: true }))
  const seen = new Set<string>()
  const directory = makeTestDirectory()
  let count = 0
  await holds(
    t,
    fc.property(fc.array(file, { minLength: 1, maxLength: 4 }), (files) => {
      const kept = join(directory, `${count++}`)
      mkdirSync(kept)
      const whole = files.map(([list]) => fileOf(list.map(([key, answer]) => ({ ...key, answer }))))
      for (const [i, [, damage, share]] of files.entries()) {
        const { lines, index } = DAMAGES[damage]?.(whole[i] as KeptFile, share, whole[(i + 1) % whole.length] as KeptFile) ?? {}
        if (lines) writeFileSync(join(kept, `${i}.jsonl`), lines)
        if (index) writeFileSync(join(kept, `${i}.index`), index)
        seen.add(damage)
      }
      const [found, expected] = [readAll(kept), readWhole(kept)].map((answers) => JSON.stringify([...answers].sort()))
      rmSync(kept, { recursive: true })
      return found === expected
    }),
    { numRuns: runs(400) },
  )
  t.equal(seen.size, Object.keys(DAMAGES).length, 'each of them came')
})

t.test('an entry is read as it was written, by an earlier release, and laid out anew; none is that was changed', async (t) => {
  const entry = { hash: 'a'.repeat(64), place: 'a', nth: 1, answer: { text: 'näher 🙂 \ud800', b: [1, { d: 1, c: 'x' }] } }
  const line = writeEntry(entry)
  const earlier = line.replace(/-[0-9a-f]{16}"}$/, '"}')
  const { sum, ...members } = JSON.parse(line)
  const ways = { line, earlier, 'laid out anew': JSON.stringify({ sum, ...members }, null, 1) }
  for (const [name, text] of Object.entries(ways)) {
    t.strictSame(readEntry(text), entry, name)
    t.equal(readEntry(text.replace('"x"', '"y"')), undefined, `${name}, changed`)
  }
})

t.test('without an index a file of any size is read, and one that is there is not read whole', async (t) => {
  const directory = makeTestDirectory()
  const entries = KEYS.map((key, i) => ({ ...key, answer: `${i}`.repeat(4 * 1024 * 1024) }))
  const { lines, index } = fileOf(entries)
  writeFileSync(join(directory, 'a.jsonl'), lines)
  const last = entries.at(-1) as KeptEntry
  t.equal(open(directory).read(last)?.answer, last.answer, `the last of ${lines.length} bytes`)
  writeFileSync(join(directory, 'a.index'), index as Buffer)
  let named = 0
  t.equal(
    readEntryIndex(join(directory, 'a.index'), lines.length, () => named++),
    lines.length,
  )
  t.equal(named, KEYS.length)
})

t.test('the canonical text of a value is that of its JSON', async (t) => {
  const odd = fc.constantFrom<unknown>(undefined, Number.NaN, -0, 1e21, new Date(0), [undefined], { toJSON: () => 1 }, Object('boxed'))
  const value = fc.oneof(
    fc.jsonValue(),
    fc.object({ withNullPrototype: true }),
    fc.dictionary(fc.constantFrom('b', 'a', '10', '9', '\ud800', '__proto__'), fc.oneof(odd, fc.jsonValue())),
  )
  const slow = (one: unknown) => canonicalJson(JSON.stringify(one) ?? 'null')
  await holds(
    t,
    fc.property(value, (one) => canonicalText(one) === slow(one)),
    { numRuns: runs(2000) },
  )
  for (const depth of [511, 512, 513]) {
    const nested = JSON.parse(`${'['.repeat(depth)}{"b":1,"a":2}${']'.repeat(depth)}`)
    t.equal(canonicalText(nested), slow(nested), `${depth} deep`)
  }
})
