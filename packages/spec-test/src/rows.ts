// The input messages of a test: written in it, or the rows of a file.

import { checkTree, describeToAuthor, type TestCondition, type TestPlan, type Type } from '@plumb/lang'
import { fail, parseTree, preview, type Result, succeed, type Tree } from '@plumb/wire'
import { besideTest } from './place.js'
import type { Given } from './run-once.js'
import { openComputed } from './script-player.js'
import { readFileOfTest } from './test-file.js'

/** By the number of the input that the row gives, from 0. */
export interface Row {
  readonly json: string
  /** The expected outputs, if the row has any. */
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
  const reader = new RowReader(plan)
  const rows: Row[] = []
  const inputs: string[] = []
  for (const [i, line] of text.value.split('\n').entries()) {
    if (line.trim() === '') continue
    const row = reader.read(line.trim(), i + 1)
    if (!row) return fail('invalid_json', `line ${i + 1} of '${preview(path, 200)}' is not JSON: ${preview(line)}`, { path, line: i + 1 })
    inputs.push(row.given)
    rows.push({ json: line.trim(), ...(row.expect ? { expect: row.expect } : {}) })
  }
  const unfit = reader.whyNoneFits
  if (unfit !== undefined && !plan.errors.includes('input_type_mismatch'))
    return fail('input_type_mismatch', `no row of '${preview(path, 200)}' fits '${plan.of.name}': ${unfit}`, { path })
  const port = plan.inputs[0]?.name ?? 'input'
  return succeed({ given: new Map([[port, inputs]]), rows })
}

interface ReadRow {
  readonly given: string
  readonly expect?: readonly string[]
}

/** A row is the message, or a record with it as `given`; or the test computes the message from it. */
class RowReader {
  readonly #type: Type | undefined
  readonly #input: ((line: string) => string | undefined) | undefined
  readonly #want: ((line: string) => string | undefined) | undefined
  #hasFit = false
  #firstUnfit: string | undefined

  constructor(private readonly plan: TestPlan) {
    this.#type = plan.inputs[0]?.type
    this.#input = openOfRow(plan.rowInput)
    this.#want = openOfRow(plan.rowWant)
  }

  /** Why none of the rows so far fits. Undefined: one does, or there is none. */
  get whyNoneFits(): string | undefined {
    return this.#hasFit ? undefined : this.#firstUnfit
  }

  /** Undefined: it is not JSON. */
  read(line: string, number: number): ReadRow | undefined {
    const bytes = Buffer.from(line)
    const tree = parseTree(bytes, 0, bytes.length)
    if (tree.kind === 'fault') return undefined
    const found = this.#input ? { given: this.#input(line) ?? 'null' } : this.#plainRow(line, bytes, tree)
    this.#note(found.given, number)
    // A row without a label is not held, rather than not looked at.
    return this.#want ? { ...found, expect: [this.#want(line) ?? 'null'] } : found
  }

  #plainRow(line: string, bytes: Buffer, tree: Tree): ReadRow {
    const textOf = ({ start, end }: { start: number; end: number }) => bytes.toString('utf8', start, end)
    const entries = tree.kind === 'object' ? tree.entries : []
    const given = entries.find(({ key }) => key === 'given')?.node
    const expect = entries.find(({ key }) => key === 'expect')?.node
    // A message may have a field of that name itself.
    if (!given || (this.#misfit(bytes, given) !== undefined && this.#misfit(bytes, tree) === undefined)) return { given: line }
    if (!expect) return { given: textOf(given) }
    return { given: textOf(given), expect: expect.kind === 'array' ? expect.items.map(textOf) : [textOf(expect)] }
  }

  #note(given: string, number: number): void {
    if (this.#hasFit) return
    const bytes = Buffer.from(given)
    const tree = parseTree(bytes, 0, bytes.length)
    const why = tree.kind === 'fault' ? tree.detail : this.#misfit(bytes, tree)
    this.#hasFit = why === undefined
    if (why === undefined || this.#firstUnfit !== undefined) return
    const help = "; name the message of a row 'given', or say where it is, as in input: row.text"
    this.#firstUnfit = `line ${number}: ${this.plan.rowInput ? `of 'input': ${why}` : `${why}${help}`}`
  }

  #misfit(bytes: Buffer, tree: Tree): string | undefined {
    const mismatch = this.#type && checkTree(this.#type, bytes, tree)
    return mismatch && describeToAuthor(mismatch)
  }
}

const openOfRow = (condition: TestCondition | undefined): ((line: string) => string | undefined) | undefined =>
  condition && openComputed('row', condition)
