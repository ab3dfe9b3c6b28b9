// Snapshots of all wires of a test in a file: readable text, a heading for each wire and a line for each message.

import type { TestPlan } from '@plumb/lang'
import { writeWhole } from '@plumb/runtime/record'
import { canonicalJson, type Fault, fault, isAbsent, preview, type Result } from '@plumb/wire'
import type { CarriedWire } from './carried.js'
import type { RowFinding } from './check-outcome.js'
import { besideTest } from './place.js'
import { difference } from './report/difference.js'
import { fileOfTest, readFileOfTest } from './test-file.js'

const HEADING = /^== (.+)$/
const MAX_FINDINGS = 5

export interface SnapshotFile {
  readonly plan: TestPlan
  /** As the test names it. */
  readonly name: string
  readonly docroot: string | undefined
}

const BEGINNING = '# What each wire of '

/** Replaces nothing but a snapshot. */
export const writeSnapshot = async (file: SnapshotFile, wires: readonly CarriedWire[]): Promise<Fault | undefined> => {
  const { plan, name, docroot } = file
  const path = fileOfTest(plan, name, docroot)
  if (!path.ok) return path.error
  const before = read(file)
  if (!isAbsent(path.value) && !(before.ok && (before.value === '' || before.value.startsWith(BEGINNING))))
    return fault('path_denied', `'${preview(besideTest(plan, name), 200)}' is there and is not a snapshot: name another file, or remove it`)
  const text = `${BEGINNING}'${plan.of.name}' carried in the test ${JSON.stringify(plan.name)}.\n${wiresText(wires)}`
  return writeWhole(Buffer.from(text), path.value)
}

/** A heading a wire, and a line a message. */
export const wiresText = (wires: readonly CarriedWire[]): string =>
  wires.map(({ name, messages }) => `\n== ${name}\n${messages.map((json) => `${json.replace(/[\n\r]\s*/g, '')}\n`).join('')}`).join('')

/** The first differing wires come first. */
export const compareSnapshot = (file: SnapshotFile, wires: readonly CarriedWire[]): readonly RowFinding[] => {
  const path = besideTest(file.plan, file.name)
  const text = read(file)
  if (!text.ok && (text.error.error !== 'file_not_found' || !isAbsent(path)))
    return [{ code: text.error.error, message: text.error.detail }]
  if (!text.ok) return [{ code: 'snapshot', message: `there is no '${preview(path, 200)}' yet: plumb test --update writes it` }]
  const kept = parse(text.value)
  const names = new Set([...wires.map(({ name }) => name), ...kept.keys()])
  const findings = [...names].flatMap((wire): RowFinding[] => {
    const before = kept.get(wire)
    const now = wires.find(({ name }) => name === wire)?.messages
    if (!before) return [{ code: 'snapshot', message: `the snapshot has no wire '${wire}'`, wire }]
    if (!now) return [{ code: 'snapshot', message: `there is no wire '${wire}' any more`, wire }]
    return compare(wire, before, now)
  })
  return findings.slice(0, MAX_FINDINGS)
}

const compare = (wire: string, before: readonly string[], now: readonly string[]): RowFinding[] => {
  const i = Array.from({ length: Math.max(before.length, now.length) }).findIndex((_, i) => {
    const [wanted, came] = [before[i], now[i]]
    return wanted === undefined || came === undefined || canonicalJson(wanted) !== canonicalJson(came)
  })
  if (i < 0) return []
  const [expected, got] = [before[i], now[i]]
  const message = `message ${i + 1} on '${wire}' is ${got === undefined ? 'missing' : expected === undefined ? 'new' : 'another'}`
  return [
    {
      code: 'snapshot',
      message,
      number: i + 1,
      wire,
      ...(expected === undefined ? {} : { expected }),
      ...(got === undefined ? {} : { got }),
      ...(expected !== undefined && got !== undefined ? { difference: difference(expected, got) } : {}),
    },
  ]
}

const MAX_BYTES = 64 * 1024 * 1024

const read = ({ plan, name, docroot }: SnapshotFile): Result<string> => readFileOfTest(plan, name, { docroot, maxBytes: MAX_BYTES })

const parse = (text: string): ReadonlyMap<string, readonly string[]> => {
  const wires = new Map<string, string[]>()
  let messages: string[] | undefined
  for (const line of text.split('\n')) {
    const name = HEADING.exec(line)?.[1]
    if (name !== undefined) {
      messages = []
      wires.set(name, messages)
    } else if (line.trim() !== '' && !line.startsWith('#')) messages?.push(line)
  }
  return wires
}
