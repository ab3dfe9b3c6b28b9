// Reads JSON text from a caller that gets error messages: returns a value of the type on one line, or the errors.

import { parseTree, type Tree } from '@plumb/wire/json'
import { preview } from '@plumb/wire/preview'
import { fail, type Result, succeed } from '@plumb/wire/result'
import { printType } from '../types/print.js'
import type { Type } from '../types/type.js'
import { toBytes } from './bytes.js'
import { checkTree } from './check-tree.js'
import { fillDefaults } from './defaults.js'
import { describeMismatches, listMismatches } from './mismatches.js'
import { type Repaired, type RepairKind, repairTree } from './repair.js'

export interface FitOptions {
  /** The kind of text, for errors: `input`, `answer`. */
  readonly what: string
  readonly code: 'input_type_mismatch' | 'output_type_mismatch'
  /** None when left out. */
  readonly repairs?: ReadonlySet<RepairKind>
  /** Defaults are filled in by whoever gets the value. */
  readonly keepsAbsent?: boolean
  /** Errors are for who can change the type. */
  readonly isToAuthor?: boolean
}

export interface Fit {
  /** With the defaults of absent fields. */
  readonly json: string
  /** Repairs that were made: `n: "21" read as 21`. */
  readonly repairs: readonly string[]
}

/** Text that is not JSON is `invalid_json` where it came in; otherwise it is a mismatch. */
export const fitText = (
  json: string,
  type: Type,
  { what, code, repairs, keepsAbsent = false, isToAuthor = false }: FitOptions,
): Result<Fit> => {
  const write = keepsAbsent ? asItIs : withDefaults
  const buf = toBytes(json)
  const tree = parseTree(buf, 0, buf.length)
  const typeName = (): string => preview(printType(type))
  if (tree.kind === 'fault') {
    const isInput = code === 'input_type_mismatch'
    return fail(isInput ? tree.error : code, `${what} is not a JSON value: ${tree.detail}`, { expected: typeName() })
  }
  if (!checkTree(type, buf, tree)) return succeed({ json: write(type, buf, tree), repairs: [] })
  let mismatches = listMismatches(type, buf, tree)
  const repaired = repairs ? repairTree(type, buf, tree, repairs) : undefined
  if (repaired && repaired.repairs.length > 0) {
    const repairedBuf = toBytes(repaired.text)
    const repairedTree = parseTree(repairedBuf, 0, repairedBuf.length) as Tree
    mismatches = listMismatches(type, repairedBuf, repairedTree)
    if (mismatches.length === 0) return succeed({ json: write(type, repairedBuf, repairedTree), repairs: changesOf(repaired, what) })
  }
  const [first] = mismatches
  return fail(code, `${what} ${describeMismatches(mismatches, typeName(), isToAuthor)}`, {
    path: first?.path ?? '',
    expected: preview(first?.expected ?? typeName()),
  })
}

/**
 * The repairs and defaults of `fitText` without its check, for a value that something else validates, such as the JSON Schema that the type
 * was read from: mismatching parts are kept. Undefined for a text that is not JSON.
 */
export const repairText = (json: string, type: Type, { what, repairs }: Pick<FitOptions, 'what' | 'repairs'>): Fit | undefined => {
  const buf = toBytes(json)
  const tree = parseTree(buf, 0, buf.length)
  if (tree.kind === 'fault') return undefined
  const repaired = repairs ? repairTree(type, buf, tree, repairs) : undefined
  if (!repaired || repaired.repairs.length === 0) return { json: withDefaults(type, buf, tree), repairs: [] }
  const repairedBuf = toBytes(repaired.text)
  return {
    json: withDefaults(type, repairedBuf, parseTree(repairedBuf, 0, repairedBuf.length) as Tree),
    repairs: changesOf(repaired, what),
  }
}

const changesOf = ({ repairs }: Repaired, what: string): readonly string[] =>
  repairs.map(({ path, change }) => `${path.replace(/^\./, '') || what}: ${preview(change, MAX_CHANGE)}`)

const MAX_CHANGE = 120

const asItIs = (_: Type, buf: Buffer, tree: Tree): string => onOneLine(buf.toString('utf8', tree.start, tree.end))

const withDefaults = (type: Type, buf: Buffer, tree: Tree): string => {
  const filled = fillDefaults(type, buf, tree)
  return filled ? onOneLine(filled.toString()) : asItIs(type, buf, tree)
}

// Valid JSON has line ends only between tokens.
const onOneLine = (json: string): string => (/[\n\r]/.test(json) ? json.replace(/[\n\r]\s*/g, '') : json)
