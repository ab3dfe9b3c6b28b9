// A comparison as Markdown, for a comment on a change: what the specs say is code, in which GitHub sees no markup, names or numbers of issues.

import { escapeControls } from '@plumb/wire'
import type { ComparedTest, ComparedVariant, Uncompared } from './compared.js'
import { notesOf, rowOf, verdictText } from './comparison.js'
import { signedPercent } from './words.js'

export const comparisonMarkdown = (tests: readonly ComparedTest[], others: readonly Uncompared[]): string =>
  [
    '### Better or worse',
    ...tests.flatMap(tableOf),
    ...others.map(({ title, why }) => `\n${code(title)} was not compared: ${code(why)}`),
    '',
  ].join('\n')

const code = (text: string): string =>
  `<code>${escapeControls(text).replace(/[^\p{L}\p{N} .,:]/gu, (sign) => `&#${sign.codePointAt(0)};`)}</code>`

const tableOf = (test: ComparedTest): readonly string[] => [
  `\n${code(test.title)}\n`,
  '| variant | verdict | difference, 95 % interval | share or mean | its interval | cost | p50 | p95 | tokens | requests |',
  '| --- | --- | --- | --: | --- | --: | --: | --: | --: | --: |',
  ...test.variants.map(lineOf),
  '',
  ...test.variants.flatMap((one) => notesOf(test, one)).map((note) => `- ${code(note)}`),
]

const lineOf = (one: ComparedVariant): string => {
  const [name = '', ...numbers] = rowOf(one)
  const { difference, difference_low: low = -1, difference_high: high = 1 } = one
  const verdict =
    difference === undefined
      ? ['baseline', '']
      : [verdictText(one), `${signedPercent(difference)}, ${signedPercent(low)} to ${signedPercent(high)}`]
  return `| ${[code(name), ...verdict, ...numbers].join(' | ')} |`
}
