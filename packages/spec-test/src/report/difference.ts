// Where two JSON values differ: a line a path. Numbers are compared by value and to the last digit, the keys of objects in any order.

import { fieldStep } from '@plumb/lang'
import { canonicalTree, parseTree, preview, stringOf, type Tree } from '@plumb/wire'
import { align } from './align.js'

const MAX_LINES = 10
const MAX_SHOWN = 80

/**
 * At most ten lines such as `.rounds: expected 2, got 3`, and one with the number of further ones; empty if they are equal. The path of the
 * value itself is left out. A text that is not JSON is shown unchanged.
 */
export const difference = (expected: string, got: string): readonly string[] => {
  const [one, other] = [sideOf(expected), sideOf(got)]
  if (!one || !other) return expected === got ? [] : [changed('', preview(expected, MAX_SHOWN), preview(got, MAX_SHOWN))]
  const lines = new Comparison(one, other).lines
  return lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES), `… and ${lines.length - MAX_LINES} more`]
}

class Side {
  readonly #forms = new Map<Tree, string>()

  constructor(
    readonly buf: Buffer,
    readonly tree: Tree,
  ) {}

  /** A key that is the same for equal values. */
  form(node: Tree): string {
    const form = this.#forms.get(node) ?? canonicalTree(node, this.buf)
    this.#forms.set(node, form)
    return form
  }

  show({ start, end }: Tree): string {
    return preview(this.buf.toString('utf8', start, Math.min(end, start + 12 * MAX_SHOWN)), MAX_SHOWN)
  }
}

const sideOf = (json: string): Side | undefined => {
  const buf = Buffer.from(json)
  const tree = parseTree(buf, 0, buf.length)
  return tree.kind === 'fault' ? undefined : new Side(buf, tree)
}

class Comparison {
  readonly lines: string[] = []

  constructor(
    private readonly one: Side,
    private readonly other: Side,
  ) {
    this.#compare('', one.tree, other.tree)
  }

  #compare(path: string, expected: Tree, got: Tree): void {
    const { one, other, lines } = this
    if (one.form(expected) === other.form(got)) return
    if (expected.kind === 'object' && got.kind === 'object') this.#members(path, expected, got)
    else if (expected.kind === 'array' && got.kind === 'array') this.#items(path, expected.items, got.items)
    else if (expected.kind === 'string' && got.kind === 'string') {
      lines.push(changedText(path, stringOf(expected, one.buf), stringOf(got, other.buf)))
    } else lines.push(changed(path, one.show(expected), other.show(got)))
  }

  #members(path: string, expected: Extract<Tree, { kind: 'object' }>, got: Extract<Tree, { kind: 'object' }>): void {
    const found = new Map(got.entries.map(({ key, node }) => [key, node]))
    for (const { key, node } of expected.entries) {
      const value = found.get(key)
      found.delete(key)
      if (value) this.#compare(path + fieldStep(key), node, value)
      else this.#missing(path + fieldStep(key), node)
    }
    for (const [key, node] of found) this.#surplus(path + fieldStep(key), node)
  }

  // Indexes are those of the shown list: a missing item has its index among the expected items, all others theirs among the actual ones.
  #items(path: string, expected: readonly Tree[], got: readonly Tree[]): void {
    const forms = { expected: expected.map((item) => this.one.form(item)), got: got.map((item) => this.other.form(item)) }
    const distance = (i: number, j: number) => this.#distance(expected[i] as Tree, got[j] as Tree)
    const pairs = align({ ...forms, distance })
    const come = new Map(pairs.flatMap(([i, j]) => (i === undefined && j !== undefined ? [[forms.got[j] as string, j]] : [])))
    const moved = new Map<number, number>()
    for (const [i, j] of pairs) {
      const to = i === undefined || j !== undefined ? undefined : come.get(forms.expected[i] as string)
      if (i === undefined || to === undefined) continue
      moved.set(to, i)
      come.delete(forms.expected[i] as string)
    }
    const gone = new Set(moved.values())
    for (const [i, j] of pairs) {
      if (i !== undefined && j !== undefined) this.#compare(`${path}[${j}]`, expected[i] as Tree, got[j] as Tree)
      else if (i !== undefined && !gone.has(i)) this.#missing(`${path}[${i}]`, expected[i] as Tree)
      else if (j !== undefined) this.#came(path, j, moved.get(j), got[j] as Tree)
    }
  }

  #came(path: string, at: number, from: number | undefined, node: Tree): void {
    if (from === undefined) this.#surplus(`${path}[${at}]`, node)
    else this.lines.push(`${path}[${at}]: expected at [${from}]: ${this.other.show(node)}`)
  }

  #missing(path: string, node: Tree): void {
    this.lines.push(`${path}: missing, expected ${this.one.show(node)}`)
  }

  #surplus(path: string, node: Tree): void {
    this.lines.push(`${path}: not expected, got ${this.other.show(node)}`)
  }

  // For objects and lists, the share of members or items that they do not have in common; other values differ wholly.
  #distance(expected: Tree, got: Tree): number {
    const [own, others] = [this.#parts(expected, this.one), this.#parts(got, this.other)]
    if (expected.kind !== got.kind || !own || !others) return 1
    const common = own.filter((part) => others.includes(part)).length
    return 1 - common / (Math.max(own.length, others.length) + 1)
  }

  #parts(node: Tree, side: Side): readonly string[] | undefined {
    if (node.kind === 'object') return node.entries.slice(0, MOST_PARTS).map(({ key, node: value }) => `${key}\n${side.form(value)}`)
    return node.kind === 'array' ? node.items.slice(0, MOST_PARTS).map((item) => side.form(item)) : undefined
  }
}

/** Maximum items that are compared to find a changed one. */
const MOST_PARTS = 20

const changed = (path: string, expected: string, got: string): string => `${path === '' ? '' : `${path}: `}expected ${expected}, got ${got}`

/** Texts with a common beginning are shown from shortly before the first difference. */
const CONTEXT = 20

const changedText = (path: string, expected: string, got: string): string => {
  const [one, other] = [[...expected], [...got]]
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  const from = at > MAX_SHOWN / 2 ? at - CONTEXT : 0
  const show = (points: readonly string[]) =>
    preview(`${from > 0 ? '…' : ''}${JSON.stringify(points.slice(from, from + 2 * MAX_SHOWN).join(''))}`, MAX_SHOWN)
  const place = from > 0 ? `${path === '' ? '' : `${path}: `}from character ${at + 1} on: ` : path === '' ? '' : `${path}: `
  return `${place}expected ${show(one)}, got ${show(other)}`
}
