// Messages in a test: JSON text with its digits, checked against the type of their port.

import { parseTree } from '@plumb/wire/json'
import { preview } from '@plumb/wire/preview'
import { error, type Report, reportDuplicate } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import type { TestValue } from '../parse/ast.js'
import { printType } from '../types/print.js'
import type { Type } from '../types/type.js'
import { describeMismatches, listMismatches } from '../validate/mismatches.js'
import type { ExpectedMessages } from './test-plan.js'

/** Its JSON text. Undefined: not a message, which is reported. `type`: undefined if anything is allowed. */
export const readTestMessage = (value: TestValue, type: Type | undefined, report: Report): string | undefined => {
  const json = textOf(value, report)
  if (json === undefined || !type) return json
  const bytes = Buffer.from(json)
  const tree = parseTree(bytes, 0, bytes.length)
  const mismatches = tree.kind === 'fault' ? [] : listMismatches(type, bytes, tree)
  const [first] = mismatches
  if (!first) return json
  const message = `this message ${describeMismatches(mismatches, preview(printType(type)), true)}`
  report(error('type_mismatch', message, partAt(value, first.path)))
  return undefined
}

/** A list of messages. Undefined: not a list, or one of them is wrong. */
export const readMessages = (value: TestValue, type: Type | undefined, what: string, report: Report): ExpectedMessages | undefined => {
  if (value.kind !== 'list') {
    report(error('config_invalid', `${what} takes a list of messages`, value.span, 'write [ … ] around a single one'))
    return undefined
  }
  const messages = value.items.map((item) => readTestMessage(item, type, report))
  return messages.every((message) => message !== undefined) ? { messages, span: value.span } : undefined
}

const textOf = (value: TestValue, report: Report): string | undefined => {
  switch (value.kind) {
    case 'value':
      return value.text
    case 'list': {
      const items = value.items.map((item) => textOf(item, report))
      return items.every((item) => item !== undefined) ? `[${items.join(',')}]` : undefined
    }
    case 'object': {
      const places = new Map<string, Span>()
      const fields = value.entries.map(({ key, value: inner }) => {
        const first = places.get(key.text)
        if (first) reportDuplicate('key', key.text, first, key.span, report)
        else places.set(key.text, key.span)
        const text = textOf(inner, report)
        return text === undefined || first ? undefined : `${JSON.stringify(key.text)}:${text}`
      })
      return fields.every((field) => field !== undefined) ? `{${fields.join(',')}}` : undefined
    }
    case 'condition':
      // The field `when` of a message.
      if (value.expression.kind === 'literal') return value.expression.text
      break
    default:
  }
  report(error('config_invalid', 'a message in a test is written as JSON', value.span, 'write what is computed in holds or matches'))
  return undefined
}

const STEP = /^(?:\.([A-Za-z_][A-Za-z0-9_]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\])/

/** The position of the mismatching part in the source. */
const partAt = (value: TestValue, path: string): Span => {
  const [step = '', field, index, quoted] = STEP.exec(path) ?? []
  if (value.kind === 'list' && index !== undefined) {
    const item = value.items[Number(index)]
    if (item) return partAt(item, path.slice(step.length))
  }
  const key = field ?? (quoted === undefined ? undefined : (JSON.parse(quoted) as string))
  const entry = value.kind === 'object' ? value.entries.find((e) => e.key.text === key) : undefined
  if (!entry) return value.span
  const rest = path.slice(step.length)
  return rest === '' ? entry.span : partAt(entry.value, rest)
}
