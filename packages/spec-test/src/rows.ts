// The input messages of a test: written in it, or the rows of a file.

import type { TestPlan } from '@plumb/lang'
import { fail, parseTree, preview, type Result, succeed } from '@plumb/wire'
import { besideTest } from './place.js'
import type { Given } from './run-once.js'
import { readFileOfTest } from './test-file.js'

/** By the number of the input that the row gives, from 0. */
export interface Row {
  readonly json: string
  /** The expected output, if the row has one. */
  readonly expect?: readonly string[]
}

export interface TestInputs {
  readonly given: Given
  /** Undefined: they are not from a file. */
  readonly rows?: readonly Row[]
}

const MAX_BYTES = 64 * 1024 * 1024

export const inputsOf = (
  plan: TestPlan,
  docroot: string | undefined,
  random: (portIndex: number) => readonly string[],
): Result<TestInputs> => {
  if (plan.data !== undefined) return fromFile(plan, plan.data, docroot)
  if (plan.random !== undefined) return succeed({ given: new Map(plan.inputs.map(({ name }, i) => [name, random(i)])) })
  return succeed({ given: new Map([...(plan.given ?? [])].map(([port, { messages }]) => [port, messages])) })
}

const fromFile = (plan: TestPlan, name: string, docroot: string | undefined): Result<TestInputs> => {
  const path = besideTest(plan, name)
  const text = readFileOfTest(plan, name, { docroot, maxBytes: MAX_BYTES })
  if (!text.ok) return text
  const rows: Row[] = []
  const inputs: string[] = []
  for (const [i, line] of text.value.split('\n').entries()) {
    if (line.trim() === '') continue
    const row = readRow(line)
    if (!row) return fail('invalid_json', `line ${i + 1} of '${preview(path, 200)}' is not JSON: ${preview(line)}`, { path, line: i + 1 })
    inputs.push(row.given)
    rows.push({ json: line, ...(row.expect ? { expect: row.expect } : {}) })
  }
  const port = plan.inputs[0]?.name ?? 'input'
  return succeed({ given: new Map([[port, inputs]]), rows })
}

// `{ given, expect }`, or the message itself.
const readRow = (line: string): { readonly given: string; readonly expect?: readonly string[] } | undefined => {
  const bytes = Buffer.from(line)
  const tree = parseTree(bytes, 0, bytes.length)
  if (tree.kind === 'fault') return undefined
  const textOf = ({ start, end }: { start: number; end: number }) => bytes.toString('utf8', start, end)
  const entries = tree.kind === 'object' ? tree.entries : []
  const given = entries.find(({ key }) => key === 'given')?.node
  const expect = entries.find(({ key }) => key === 'expect')?.node
  if (!given || entries.some(({ key }) => key !== 'given' && key !== 'expect')) return { given: line.trim() }
  if (!expect) return { given: textOf(given) }
  return { given: textOf(given), expect: expect.kind === 'array' ? expect.items.map(textOf) : [textOf(expect)] }
}
