// The page of --html: whatever the rows hold, it is text; what changed comes first.

import t from 'tap'
import type { Measured, MeasuredRow, MeasuredTest } from '../src/compare/measure.js'
import { comparisonPage } from '../src/compare/page.js'
import type { ComparedTest, ComparedVariant } from '../src/report/compared.js'

const ODD = `<script>alert(1)</script> "quoted" 'x' &amp; ]]> \u202e \u001b[31m <img src=x onerror=alert(1)> </style></details>`

const rowOf = (score: number, output: string, error?: string): MeasuredRow => ({
  runs: [
    { score, outputs: [JSON.stringify(output)], ms: 1, usages: [], expected: [ODD], ...(error === undefined ? {} : { error, gave: ODD }) },
  ],
  steps: [[{ wire: `in-${ODD}`, messages: [JSON.stringify(output)] }]],
})

const variantOf = (name: string, rows: readonly MeasuredRow[]): Measured =>
  ({ variant: { name, plan: { runs: 1 } }, rows: new Map(rows.map((row, i) => [i, row])) }) as unknown as Measured

const numbers = (variant: string): ComparedVariant => ({
  ...{ variant, rows: 3, share: 0.5, low: 0.1, high: 0.9, errors: { [ODD]: 1 }, cost: 0, tokens: 0, requests: 0, p50_ms: 1, p95_ms: 2 },
})

const measured: MeasuredTest = {
  measured: [
    variantOf(`base ${ODD}`, [rowOf(1, 'same'), rowOf(0, `a ${ODD} b`), rowOf(1, 'good')]),
    variantOf(`other ${ODD}`, [rowOf(1, 'same'), rowOf(1, `a ${ODD} c`), rowOf(0, 'bad', ODD)]),
  ],
  results: [],
  inputs: [ODD, ODD, ODD],
  rows: 3,
}
const compared: ComparedTest = {
  ...{ test: ODD, title: ODD, baseline: `base ${ODD}`, total: 3 },
  variants: [numbers(`base ${ODD}`), { ...numbers(`other ${ODD}`), verdict: 'worse', first_wires: { [ODD]: 1 }, worse: 1 }],
}

t.test('nothing of the rows is markup, and nothing is loaded', async (t) => {
  const page = comparisonPage([{ compared, measured }])
  const tags = new Set([...page.matchAll(/<\/?([a-z][a-z0-9]*)/g)].map(([, tag]) => tag))
  const ours =
    'html head meta title style body main h1 h2 h3 h4 section div table thead tbody tr th td svg line ul li p input label details summary b i span dl dt dd mark code'
  t.strictSame(
    [...tags].filter((tag) => !ours.split(' ').includes(tag as string)),
    [],
  )
  t.notMatch(page.replace(/"[^"]*"/g, ''), /<[a-z][^>]*\s(src|href|on[a-z]+)=/, 'no address and no handler')
  t.notMatch(page, /<(img|script)|\u202e/)
  t.notMatch(page, /\p{Cc}(?<!\n)/u)
  t.equal(page.split('<style>').length, 2)
  t.equal((page.match(/<details/g) ?? []).length, (page.match(/<\/details>/g) ?? []).length)
})

t.test('what changed comes first, with the difference marked', async (t) => {
  const page = comparisonPage([{ compared, measured }])
  const kinds = [...page.matchAll(/class="row (\w+)/g)].map(([, kind]) => kind)
  t.strictSame(kinds, ['worse', 'better', 'same'])
  t.match(page, /<mark>c<\/mark>/)
  t.match(page, /worse \(1\).*better \(1\).*errors \(1\)/s)
})
