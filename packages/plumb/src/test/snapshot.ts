// Snapshots of all wires of a test in a file: readable text, a heading for each wire and a line for each message.

import { readFileSync } from 'node:fs'
import type { TestPlan } from '@plumb/lang'
import { canonicalJson, type Fault, preview, type Result, succeed } from '@plumb/wire'
import { writeWhole } from '../command/write-whole.js'
import type { CarriedWire } from './carried.js'
import type { RowFinding } from './check-outcome.js'
import { difference } from './report/difference.js'

const HEADING = /^== (.+)$/
const MAX_FINDINGS = 5

export const writeSnapshot = (path: string, plan: TestPlan, wires: readonly CarriedWire[]): Promise<Fault | undefined> =>
  writeWhole(
    Buffer.from(`# What each wire of '${plan.of.name}' carried in the test ${JSON.stringify(plan.name)}.\n${wiresText(wires)}`),
    path,
  )

/** A heading a wire, and a line a message. */
export const wiresText = (wires: readonly CarriedWire[]): string =>
  wires.map(({ name, messages }) => `\n== ${name}\n${messages.map((json) => `${json.replace(/[\n\r]\s*/g, '')}\n`).join('')}`).join('')

/** The first differing wires come first. */
export const compareSnapshot = (path: string, wires: readonly CarriedWire[]): readonly RowFinding[] => {
  const text = read(path)
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

const read = (path: string): Result<string> => {
  try {
    return succeed(readFileSync(path, 'utf8'))
  } catch (error) {
    return { ok: false, error: { error: 'file_not_found', category: 'config', detail: String(error) } }
  }
}

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
