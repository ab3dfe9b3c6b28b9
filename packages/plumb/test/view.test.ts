// The page of plumb view: its limit, what it reports of costs and cuts, and what it says of files that are none.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { TraceEvent } from '../../runtime/src/display/trace/trace-event.js'
import type { Result } from '../../wire/src/index.js'
import { bash, type Case, makeTestDirectory, runCases } from '../../wire/test/shell.js'
import { runPage } from '../src/view/page.js'
import { readRun } from '../src/view/read-run.js'
import { noTexts } from '../src/view/record-texts.js'
import { FILES, RUN } from './view-run.js'

const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.error.detail)
  return result.value
}

t.test('a page has a limit, whatever the messages are, and says how to see what it leaves out', async (t) => {
  const directory = makeTestDirectory()
  const wire = { index: 1, name: '01-a-b', from: 'a', fromPort: 'output', to: 'b', toPort: 'input', type: null }
  const nodes = ['a', 'b'].map((name) => ({ name, kind: 'agent' }))
  const named = (pid: number) => ({ name: 'process_name', ph: 'M', pid, args: { name: `agent child ${pid}` } })
  const long: Readonly<Record<string, unknown>> = {
    'quotes and tags': '"<&>'.repeat(1000),
    'signs that are not shown': '\u202e'.repeat(4000),
    'other scripts': '\u5b57'.repeat(4000),
    nested: `${'['.repeat(2000)}${']'.repeat(2000)}`,
    spread: JSON.stringify(Array(2000).fill(1)),
  }
  for (const [name, message] of Object.entries(long)) {
    const events = Array.from({ length: 1000 }, (_, i): object[] => {
      const [seq, ts, pid] = [i + 1, (i + 1) * 1000, (i % 10) + 2]
      return [
        { name: 'm', ph: 'i', cat: 'wire', pid: 1, tid: 1, ts, args: { wire: wire.name, seq, message } },
        { name: 'w', ph: 'X', cat: 'work', pid, tid: 1, ts, dur: 900, args: { seq, input: message, output: message } },
        { name: 'chat m', ph: 'b', cat: 'model', id: `m${i}`, pid, ts, args: { seq, model: String(message).slice(0, 500) } },
        { name: 'chat m', ph: 'e', cat: 'model', id: `m${i}`, pid, ts: ts + 500 },
        { name: 'f', ph: 'b', cat: 'tool', id: `t${i}`, pid, ts, args: { seq, ok: true, input: message, result: message } },
        { name: 'f', ph: 'e', cat: 'tool', id: `t${i}`, pid, ts: ts + 500 },
        { name: 'oops', ph: 'i', cat: 'note', pid, ts, args: { error: 'oops', detail: message, seq } },
      ]
    }).flat()
    const begin = { name: 'plumb_run', ph: 'M', pid: 1, args: { spec: 'a', binding: 'main', dot: '', wires: [wire], nodes } }
    const children = Array.from({ length: 10 }, (_, i) => named(i + 2))
    const run = must(readRun({ events: [begin, ...children, ...events] as TraceEvent[], isCut: false }, 't.json'))
    const parts = {
      svg: '<svg></svg>',
      texts: noTexts,
      pictures: () => undefined,
      waiting: [],
      growing: [],
      directory: undefined,
      isServed: false,
    }
    const page = runPage({ ...parts, run })
    const bytes = Buffer.byteLength(page)
    t.ok(bytes <= 5_000_000, `${name}: ${bytes} bytes`)
    t.match(page, /This page holds [1-9]\d* of 1000 inputs.*: it has at most 5 MB/, name)
    t.ok(bytes > 3_500_000, `${name}: ${bytes} bytes are filled`)
  }

  const script = `
    seq 3000 | plumb --record rec -e 'let main : !int -> !int = map(value + 1)' > out.jsonl
    plumb view --seq 2990-2992 rec > some.html; plumb view --from 0.000001 rec > all.html; plumb view --seq 3-2 rec
  `
  t.match(await bash(script, { directory }), { out: '', status: 2, err: /--seq.*it takes a number from 1, or two of them such as 3-7/ })
  const some = readFileSync(join(directory, 'some.html'), 'utf8')
  t.strictSame(
    [...new Set(some.match(/<article id="\d+"/g))],
    [2990, 2991, 2992].map((seq) => `<article id="${seq}"`),
  )
  t.match(some, /A part of the run: what <code>--seq<\/code> and <code>--from<\/code> name/)
  t.match(some, /<span>inputs<\/span> <a href="#inputs">3<.*<span>outputs<\/span> 3</s, 'numbers are of the part')
  const all = readFileSync(join(directory, 'all.html'), 'utf8')
  t.equal(all.match(/<article id=/g)?.length, 3000, 'three thousand short inputs have room')
})

t.test('a record whose timeline ends before the run says so, and counts all messages', async (t) => {
  const directory = makeTestDirectory()
  const script = `
    seq 2000 | plumb --record rec -e 'let main : !int -> !int = map(value + 1)' > out.jsonl
    head -n 100 rec/trace.json > short; mv short rec/trace.json; plumb view rec > rec.html
    rm rec/02*; plumb view rec > without.html
  `
  t.match(await bash(script, { directory }), { out: '', err: '', status: 0 })
  const [page = '', without = ''] = ['rec.html', 'without.html'].map((name) => readFileSync(join(directory, name), 'utf8'))
  t.match(page, /<span>outputs<\/span> 2000.*The timeline of this record ends at [\d.]+ ms; the run went on/s)
  t.match(page, '<span>ended</span> status 0')
  t.match(without, /<span>outputs<\/span> \d\d<\/li>/, 'a file that is gone counts no messages')
})

t.test(
  'a large record has all inputs in its timeline, which has the beginnings of long texts; the page reads them from their files',
  async (t) => {
    const directory = makeTestDirectory()
    const script = `
    node -e 'for (let i = 1; i <= 1600; i++) console.log(JSON.stringify("input " + i + " x".repeat(4000) + " end of " + i))' > in.jsonl
    plumb --record rec -e 'let main : !string -> !string = map(value + "!")' < in.jsonl > out.jsonl; plumb view --seq 1599 rec > one.html
  `
    t.match(await bash(script, { directory }), { out: '', err: '', status: 0 })
    const [page, trace] = ['one.html', 'rec/trace.json'].map((name) => readFileSync(join(directory, name), 'utf8')) as [string, string]
    t.match(page, /<article id="1599".*input 1599 x.* end of 1599<.* end of 1599!</s)
    t.notMatch(page, 'timeline of this record ends')
    t.match(page, /<span>input 1599 x x/, 'the list has its words')
    t.ok(trace.length < 20 * 1024 * 1024, `${trace.length} bytes`)
  },
)

void t.test('what is not a run', (t) => {
  const cases: Record<string, Case> = {
    'nothing there': { run: 'plumb view none.json', errors: [{ error: 'file_not_found', detail: /none\.json/ }], status: 2 },
    'a directory without a record': {
      run: 'plumb view .',
      errors: [{ error: 'record_invalid', detail: /not a record of a run/ }],
      status: 2,
    },
    'another program’s trace': {
      run: `echo '[{"name":"a","ph":"X","pid":1,"ts":0}]' > a.json; plumb view a.json`,
      errors: [{ error: 'config_invalid', detail: /not a trace that plumb wrote/ }],
      status: 2,
    },
    'no JSON': { run: 'plumb view bot.plumb', errors: [{ error: 'config_invalid' }], status: 2 },
    'nowhere to write': { run: `${RUN}; plumb view t.json -o none/t.html`, errors: [{ error: 'write_failed' }] },
    'laid out by another program, and changed by hand': {
      run: `${RUN}; node -e '
        const events = JSON.parse(require("fs").readFileSync("t.json"))
        events[0].args.dot = "no graph"
        events.push({ ph: "X", name: 7, pid: 1 }, null, { ph: "X", name: "x", pid: 99, ts: "late", args: null })
        console.log(JSON.stringify({ traceEvents: events }, null, 2))' > other.json; plumb view other.json | grep -o 'The trace holds no picture'`,
      out: 'The trace holds no picture\n',
    },
    'a device, and a reader that goes away': {
      run: `${RUN}; plumb view t.json -o /dev/null; plumb view t.json | head -c 9`,
      out: '<!doctype',
    },
  }
  return runCases(t, cases, ({ run }) => bash(run, { directory: makeTestDirectory(FILES) }))
})

t.test('the page reports what each agent and the run have cost, from the record', async (t) => {
  const files = {
    // With numbers: else it is about what is in hand when it comes.
    'paid.sh': `while read -r line; do
      n=$((n + 1))
      printf '{"kind":"usage","agent":"%s","model":"%s","ms":1,"input_tokens":1000,"output_tokens":100,"time":"","seq":%d}\\n' "$1" "$2" $n >&3
      echo "$line"
    done`,
    'prices.json': '{"m":{"input":2,"output":10}}',
    'two.plumb': `
      let first : !int -> !int = agent { command: ["sh", "paid.sh", "first", "m"] }
      let second : !int -> !int = agent { command: ["sh", "paid.sh", "second", "none-such"] }
      let main : !int -> !int = first ; second
    `,
  }
  const directory = makeTestDirectory(files)
  await bash('seq 3 | plumb --prices prices.json --record rec two.plumb; plumb view rec > rec.html', { directory })
  const page = readFileSync(join(directory, 'rec.html'), 'utf8')
  t.match(page, /<li><span>cost<\/span> <a href="#processes">\$0\.0090\+<\/a><\/li>/, 'of the run, with a plus for what has no price')
  t.match(
    page,
    /<b><a href="#a(\d+)">first<\/a><\/b> \$0\.0090, 3\.0k\+300 tokens, 3 requests.*<tr id="a\1"><th scope="row"><a href="#w\1-0">first</s,
  )
  t.match(page, />second<\/a><\/b> 3\.0k\+300 tokens, 3 requests/)
  t.match(page, /Dearest input: <a href="#1">#1<\/a> \$0\.0030\+, request: <a href="#q\d+-0">#1<\/a> \$0\.0030/)

  const free = makeTestDirectory({ 'e.plumb': 'let main : !string -> !string = agent { provider: "eliza", model: "doctor" }' })
  await bash('echo hello | plumb -R --record rec e.plumb; plumb view rec > rec.html', { directory: free })
  t.notMatch(readFileSync(join(free, 'rec.html'), 'utf8'), /<span>cost/)
})
