// long
// Programs that would grow without bound: each verb ends soon, within a bound on memory, with `too_large` or its result.

import { resolve } from 'node:path'
import t from 'tap'
import { bash, envIn, makeTestDirectory } from '../packages/wire/test/shell.js'

const repeated = (part: string, times: number, between = ' ; '): string => Array.from({ length: times }, () => part).join(between)

/** As many times the size of attacks that were tried: `PLUMB_BOUNDS=10 node scripts/tests.mjs bounds`. */
const SCALE = Number(process.env.PLUMB_BOUNDS ?? 1)
const MAX_RSS_KB = 300_000

const directory = makeTestDirectory({
  'rss.cjs': "process.on('exit', () => require('node:fs').writeSync(2, ['rss ', process.resourceUsage().maxRSS, '\\n'].join('')))",
  'fan.plumb': `let f : int -> json = ${repeated('(id * id)', 30 * SCALE)}\n`,
  'lists.plumb': `let main : !int -> !json = ${repeated('map([value, value])', 40 * SCALE)}\n`,
  'records.plumb': `let main : !int -> !json = ${repeated('map({ a: value, b: value })', 30 * SCALE)}\n`,
  'chain.plumb': `let main : !int -> !int = ${repeated('id', 20_000 * SCALE)}\n`,
  'annotations.plumb': `${repeated('@a 1', 50_000 * SCALE, ' ')}\nlet main : !int -> !int = id\n`,
  'names.plumb': Array.from({ length: 3000 * SCALE }, (_, i) => `let step${i}a : !int -> !int = stp${i}aa ; id\n`).join(''),
  'types.plumb': `${Array.from({ length: 20_000 * SCALE }, (_, i) => `type T${i} = { a: T${i + 1} }\n`).join('')}type T${20_000 * SCALE} = int\nlet main : !T0 -> !T0 = id\n`,
  ...Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`p${i}.chatmd`, repeated(`<import src="p${i + 1}.chatmd"/>\n`, 10, '')])),
  'p9.chatmd': '<user>hello</user>\n',
})

const rows: readonly [script: string, status: number, reported: RegExp][] = [
  ['plumb check fan.plumb', 0, /^ok/],
  ['echo 1 | plumb lists.plumb', 1, /"too_large".*16,777,216 bytes.*"seq":1/],
  ['plumb render lists.plumb', 0, /<svg/],
  ['echo 1 | plumb records.plumb', 1, /"too_large".*"seq":1/],
  ['plumb --dry-run records.plumb', 0, /^/],
  ['plumb check chain.plumb', 2, /at most (10,000 parts|500,000 words)/],
  ['plumb check annotations.plumb', 2, /more errors: of each the first 200|at most 500,000 words/],
  ['plumb check names.plumb', 2, /more errors: of each the first 200/],
  ['plumb check types.plumb', 2, /names deep|at most 500,000 words/],
  ['plumb check p0.chatmd', 1, /"too_large".*1,000 files/],
]

t.test('programs that grow without bound', async (t) => {
  const env = { ...envIn(directory), NODE_OPTIONS: `--require=${resolve(directory, 'rss.cjs')}` }
  for (const [script, status, reported] of rows) {
    const ran = await bash(script, { directory, env })
    t.equal(ran.status, status, `${script}: status`)
    t.match(ran.out + ran.err, reported, script)
    const used = Number(/^rss (\d+)$/m.exec(ran.err)?.[1])
    t.ok(used > 0 && used < MAX_RSS_KB, `${script}: ${used} kB`)
  }
})
