// Mutates a spec, one change at a time: each should make a test fail; a surviving mutant shows untested code.

import {
  type AnyNode,
  type CallExpression,
  type Expression,
  type MatchExpression,
  type ObjectValue,
  type Program,
  type Span,
  visitNodes,
} from '@plumb/lang'

export interface Change {
  readonly span: Span
  /** The text that replaces it. */
  readonly text: string
  /** In words: `'>' becomes '>='`. */
  readonly what: string
}

/** The mutants of one spec. */
const MAX_CHANGES = 2000

/** In the order of the text. Some of them do not compile: a removed stage may have been needed. */
export const changesOf = ({ entry }: Program): readonly Change[] => {
  const changes: Change[] = []
  for (const { binding, category } of entry.bindings.values()) {
    if (category !== 'stream' && category !== 'base') continue
    visitNodes(binding.impl, (node) => changes.push(...changesAt(node)))
    if (binding.impl.kind === 'agent') changes.push(...agentChanges(binding.name.text, binding.impl.config))
  }
  return changes.sort((a, b) => a.span.start - b.span.start).slice(0, MAX_CHANGES)
}

/** The text of the spec with a change. */
export const changed = ({ span: { source, start, end }, text }: Change): string =>
  source.text.slice(0, start) + text + source.text.slice(end)

/** Scripts do not read prompts: only a test with recorded answers notices. */
const agentChanges = (agent: string, { entries }: ObjectValue): readonly Change[] =>
  entries.flatMap(({ key, value }) => {
    if (key.text === 'conversation') return [withoutEntry({ ...key.span, end: value.span.end })]
    return key.text === 'prompt' && value.kind === 'value' && value.value !== ''
      ? [{ span: value.span, text: '""', what: `the prompt of '${agent}' is left out` }]
      : []
  })

const OTHERS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '=': '!=',
  '!=': '=',
  and: 'or',
  or: 'and',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
}
/** Alternatives of words. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = { and: ['and', '&&'], or: ['or', '||'] }

const changesAt = (node: AnyNode): readonly Change[] => {
  switch (node.kind) {
    case 'binary':
      return node.operator === '??' ? standInAlone(node) : operatorChange(node)
    case 'call':
      return nothingTaken(node)
    case 'literal':
      return numberChange(node)
    case 'if':
      return [swap(node)]
    case 'match':
      return swappedArms(node)
    case 'filter':
      return [{ span: (node.expression as Expression).span, text: 'true', what: 'the filter lets all through' }]
    case 'fold':
      return [...oneKey(node.by), ...withoutOption(node.emit, 'each state is sent, and not the last alone')]
    case 'barrier': {
      const { by, unmatched } = (node.join ?? {}) as { readonly by?: unknown; readonly unmatched?: unknown }
      return [...oneKey(by), ...withoutOption(unmatched, 'what finds no partner is told')]
    }
    case 'each':
      return withoutOption(node.onError, 'an element that fails fails its list')
    case 'sequence':
      return droppedStages(node)
    default:
      return []
  }
}

/** One key for all messages, of all branches. */
const oneKey = (by: unknown): readonly Change[] => {
  const keys = (Array.isArray(by) ? by : by ? [by] : []) as readonly Expression[]
  const [first, last] = [keys[0]?.span, keys.at(-1)?.span]
  if (!first || !last) return []
  const text = keys.map(() => '0').join(', ')
  return [{ span: { ...first, end: last.end }, text, what: `'${shown({ ...first, end: last.end })}' is one key for all messages` }]
}

/** An entry of a config, with the comma beside it, if there is one. */
const withoutEntry = ({ source, start, end }: Span): Change => {
  const before = /,\s*$/.exec(source.text.slice(0, start))
  const behind = before ? undefined : /^\s*,/.exec(source.text.slice(end))
  const span = { source, start: before?.index ?? start, end: end + (behind?.[0].length ?? 0) }
  return { span, text: '', what: `'${shown({ source, start, end })}' is left out: one memory for all` }
}

/** An option of a morphism, with the comma before it. */
const withoutOption = (value: unknown, what: string): readonly Change[] => {
  if (!value) return []
  const { source, start, end } = (value as { readonly span: Span }).span
  return [{ span: { source, start: source.text.lastIndexOf(',', start), end }, text: '', what }]
}

const standInAlone = ({ left, right }: AnyNode): readonly Change[] => {
  const [{ span: before }, { span: behind }] = [left as Expression, right as Expression]
  const whole = shown({ ...before, end: behind.end })
  return [{ span: { ...before, end: behind.start }, text: '', what: `'${whole}' is always what stands in` }]
}

/** The map as it was. */
const nothingTaken = (node: AnyNode): readonly Change[] => {
  const { function: called, arguments: given, span } = node as unknown as CallExpression
  const [of] = given
  if (called.text !== 'without' || !of) return []
  const { source, start, end } = of.span
  return [{ span, text: source.text.slice(start, end), what: `'${shown(span)}' takes nothing out` }]
}

const operatorChange = ({ operator, left, right }: AnyNode): readonly Change[] => {
  const word = operator as string
  const other = OTHERS[word]
  const [{ span: before }, { span: behind }] = [left as Expression, right as Expression]
  const between = before.source.text.slice(before.end, behind.start)
  const spelling = (SPELLINGS[word] ?? [word]).find((text) => between.includes(text))
  if (other === undefined || spelling === undefined) return []
  const start = before.end + between.indexOf(spelling)
  return [{ span: { source: before.source, start, end: start + spelling.length }, text: other, what: `'${word}' becomes '${other}'` }]
}

const numberChange = ({ value, text, span }: AnyNode): readonly Change[] => {
  if (typeof value !== 'number' || !Number.isFinite(value) || !span) return []
  const other = String(value + 1)
  return [{ span, text: other, what: `${text} becomes ${other}` }]
}

const swap = (node: AnyNode): Change => {
  const [then, otherwise] = [(node.then as Expression).span, (node.else as Expression).span]
  const { text } = then.source
  const swapped = text.slice(otherwise.start, otherwise.end) + text.slice(then.end, otherwise.start) + text.slice(then.start, then.end)
  return { span: { source: then.source, start: then.start, end: otherwise.end }, text: swapped, what: "the branches of 'if' change places" }
}

/** Each arm gives what the next one gives, if that does not name what it takes. */
const swappedArms = (node: AnyNode): readonly Change[] => {
  const { arms } = node as unknown as MatchExpression
  return arms.flatMap(({ body: { span } }, i) => {
    const next = arms[(i + 1) % arms.length]
    if (!next || arms.length < 2 || (next.pattern && namesIn(next.body).has(next.pattern.name.text))) return []
    const { source, start, end } = next.body.span
    const what = `the arm '${shown(arms[i]?.span ?? span)}' gives what the next one gives`
    return [{ span, text: source.text.slice(start, end), what }]
  })
}

const namesIn = (e: Expression): ReadonlySet<string> => {
  const names = new Set<string>()
  visitNodes(e, ({ kind, name }) => {
    if (kind === 'name' && typeof name === 'string') names.add(name)
  })
  return names
}

const shown = ({ source, start, end }: Span): string => source.text.slice(start, end).replace(/\s+/g, ' ').slice(0, 40)

/** Morphisms that change a message. Processes are kept: without one a wire leads elsewhere. */
const STAGES: ReadonlySet<unknown> = new Set(['map', 'filter', 'fold', 'flatten', 'batch'])

const droppedStages = ({ items }: AnyNode): readonly Change[] => {
  const parts = items as readonly AnyNode[]
  return parts.flatMap(({ kind, span }, i) => {
    const [before, behind] = [parts[i - 1]?.span, parts[i + 1]?.span]
    if (!STAGES.has(kind) || !span || (!before && !behind)) return []
    const start = before ? before.end : span.start
    const end = before || !behind ? span.end : behind.start
    const what = `'${shown(span)}' is left out`
    return [{ span: { source: span.source, start, end }, text: '', what }]
  })
}
