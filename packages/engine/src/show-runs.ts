// Runs by workers, and the messages that failed, as a person sees them on a terminal, or as a program reads them.

import { showCost, showCount, textTable } from '@plumb/runtime/display'
import { shownJson } from '@plumb/runtime/record'
import { escapeControls, escapeLines, isRecord, paint, stdoutIsStyled, wrappedTable, wrapWords } from '@plumb/wire'

export interface PartCounts {
  /** Its number, and the first process in it. */
  readonly part: string
  /** The names of all that is in it. */
  readonly holds: readonly string[]
  readonly waiting: number
  readonly in_hand: number
  readonly done: number
  readonly dropped: number
  readonly failed: number
  /** Messages that wait for a decision on a call. */
  readonly parked: number
  /** Finished messages a second in the last seconds. */
  readonly rate: number
  /** Requests to models, their tokens, and dollars as far as they have a price. */
  readonly calls: number
  readonly tokens: number
  readonly cost: number
  /** Live workers that serve it. */
  readonly workers: number
  /** The age of the oldest waiting message, in seconds. */
  readonly oldest?: number
  /** The label that workers need to have it. */
  readonly pin?: string
  /** The host of the worker that has it, if it is owned. */
  readonly owner?: string
}

export interface RunShown {
  readonly name: string
  readonly state: string
  readonly taken: number
  readonly written: number
  /** Outputs that are still to be fetched. */
  readonly unread: number
  readonly parts: readonly PartCounts[]
  readonly note?: string
}

/** Tables in at most `columns` characters, with an empty line between two. */
export const showRuns = (runs: readonly RunShown[], columns: number): string =>
  runs.length === 0 ? 'no runs\n' : runs.map((run) => showRun(run, columns)).join('\n')

const TITLES = [
  'part',
  'waiting',
  'in hand',
  'done',
  'failed',
  'dropped',
  'parked',
  'rate',
  'workers',
  'cost',
  'requests',
  'tokens',
  'oldest',
  'at',
]

const showRun = ({ name, state, taken, written, unread, parts, note }: RunShown, columns: number): string =>
  [
    ...wrapWords(
      `${escapeControls(name)}: ${escapeControls(state)}, ${taken} taken, ${written} written${unread === 0 ? '' : `, ${unread} unread`}`,
      columns,
    ),
    ...textTable([TITLES, ...parts.map(rowOf)], { width: columns }).map((line, i) =>
      i === 0 && stdoutIsStyled() ? paint('bold', line) : line,
    ),
    ...parts.filter(({ holds }) => holds.length > 1).flatMap(({ part, holds }) => wrapWords(heldText(part, holds), columns)),
    // What workers have said stays on its line.
    ...(note === undefined ? [] : wrapWords(escapeControls(note), columns)),
  ]
    .map((line) => `${line}\n`)
    .join('')

// A part has the name of the first process in it.
const heldText = (part: string, holds: readonly string[]): string => escapeControls(`${part} stands for ${holds.join(', ')}`)

const rowOf = (part: PartCounts): string[] => {
  const { waiting, in_hand, done, dropped, failed, parked, rate, calls, tokens, cost, workers, oldest, owner = '' } = part
  return [
    part.part,
    showCount(waiting),
    showCount(in_hand),
    // What was finished is counted once.
    showCount(Math.max(0, done - failed - dropped)),
    ...[failed, dropped, parked].map(countOf),
    rate === 0 ? '' : `${rate}/s`,
    String(workers),
    cost === 0 ? '' : showCost({ known: cost, unpriced: [] }),
    ...[calls, tokens].map(countOf),
    oldest === undefined ? '' : `${oldest} s`,
    owner,
  ]
}

const countOf = (count: number): string => (count === 0 ? '' : showCount(count))

export interface Letter {
  readonly origin: string
  readonly part: string
  readonly tries: string
  /** JSON. */
  readonly fault: string
  /** As it came. */
  readonly value: string
}

/** `run`: how the run is named on a command line. `columns`: of a terminal; undefined: a line of JSON for each. */
export const showLetters = (
  letters: readonly Letter[],
  { name, run }: { readonly name: string; readonly run: string },
  columns: number | undefined,
): string => {
  if (columns === undefined) return escapeLines(letters.map(jsonOf).join(''))
  if (letters.length === 0) return `no message of '${escapeControls(name)}' has failed\n`
  const rows = letters.map(({ origin, part, tries, fault, value }) => [origin, part, tries, whyOf(fault), shownJson(value)])
  const table = wrappedTable([['input', 'part', 'tries', 'why', 'message'], ...rows], {
    width: columns,
    numbers: ['input', 'part', 'tries'],
    isStyled: stdoutIsStyled(),
  })
  return [...table, '', `plumb retry ${escapeControls(run)} --origin INPUT   gives one out again`, ''].join('\n')
}

const jsonOf = ({ origin, part, tries, fault, value }: Letter): string =>
  `{"origin":${origin},"part":${part},"tries":${tries},"fault":${shownJson(fault)},"value":${shownJson(value)}}\n`

// An error object, unless somebody has put something else there.
const whyOf = (fault: string): string => {
  try {
    const value: unknown = JSON.parse(fault)
    if (isRecord(value)) return `${value.detail} (${value.error})`
  } catch {
    // Shown as it is.
  }
  return fault
}
