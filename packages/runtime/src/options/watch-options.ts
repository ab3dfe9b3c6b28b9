// The options that show a run while it runs and when it is over, for every command that runs something.

import type { OptionLine } from '@plumb/wire'
import type { DisplayOptions } from './run-options.js'

export interface WatchFlags {
  trace?: string
  progress?: boolean
  summary?: 'text' | 'json'
  prices?: string
  maxCost?: number
}

const SUMMARY_FORMS = ['text', 'json'] as const

export interface RunOption extends OptionLine {
  readonly byDefault?: string
  /** Attributes of options that it conflicts with. */
  readonly conflicts?: readonly string[]
  readonly choices?: readonly string[]
  /** Its default without a value. */
  readonly preset?: string
}

export const WATCH_OPTIONS: readonly RunOption[] = [
  { flags: '--progress', text: 'show each stage at work; the default on a terminal' },
  { flags: '--no-progress', text: 'show none' },
  { flags: '--summary [form]', text: 'totals at the end, on stderr', choices: SUMMARY_FORMS, preset: 'text' },
  { flags: '--prices <file>', text: 'what a million tokens cost, by model' },
  { flags: '--trace <file>', text: 'write a timeline that Perfetto and plumb view open' },
]

/** `--summary` takes a form only if the next word is one, and never the spec. */
export const withSummaryForm = (argv: readonly string[]): string[] => {
  const words: string[] = []
  for (const [i, word] of argv.entries()) {
    if (word === '--') return [...words, ...argv.slice(i)]
    const isForm = argv[i - 1] === '--summary' && (SUMMARY_FORMS as readonly string[]).includes(word)
    if (isForm) words[words.length - 1] = `--summary=${word}`
    else words.push(word === '--summary' ? '--summary=text' : word)
  }
  return words
}

export const displayOptionsOf = ({ trace, progress, summary, prices, maxCost }: WatchFlags): DisplayOptions => ({
  trace,
  progress,
  summary,
  prices,
  asksCost: prices !== undefined || maxCost !== undefined,
})
