// The page of a recorded run: what models said and were told, the verdict, what waits; as a file, and served.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { bash, envIn, makeTestDirectory } from '../../wire/test/shell.js'
import { waits } from '../src/view/waiting.js'
import { HOSTILE, recordDesk } from './view-desk.js'

const escaped = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;').replace(/'/g, '&#39;')

/** Between the first of one text and the next of another. */
const between = (page: string, from: string, to: string): string => {
  const start = page.indexOf(from)
  return start < 0 ? '' : page.slice(start, page.indexOf(to, start + from.length))
}

const articleIn = (page: string, seq: number): string => between(page, `<article id="${seq}"`, '</article>')

const words = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/\s+/g, ' ')

t.test('a record has what models said and were told, and the page shows it', async (t) => {
  const { directory } = await recordDesk(
    t,
    'plumb --record rec desk.plumb < in.jsonl > out.jsonl; plumb view rec > rec.html; plumb view --seq 3 rec > three.html; plumb view rec/trace.json > trace.html',
  )
  const [page = '', three = '', trace = ''] = ['rec', 'three', 'trace'].map((name) => readFileSync(join(directory, `${name}.html`), 'utf8'))
  const verdict = words(between(page, '<section id="verdict"', '</section>'))
  t.match(
    verdict,
    /3 inputs failed .*#3 triager : answer is not a JSON value.*#5 solver : .*no such thing.*#6 does not fit Ticket/,
    'each once, and why',
  )
  t.match(verdict, /3 done/)
  const places = [...between(page, '<section id="verdict"', '</section>').matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id)
  t.strictSame(
    places.filter((id) => !page.includes(` id="${id}"`)),
    [],
    'each number leads to a place',
  )
  t.match(verdict, /1 of 4 tool calls failed refund: .*above the limit of 40 dollars, once: #4/)
  t.match(verdict, /\$0\.\d+ spent solver \$[\d.]+, .*triager \$[\d.]+.*polish\.writer \$.* Dearest input: #\d \$/s)
  t.match(verdict, /Slowest: [\d.]+ m?s #\d/)

  const third = words(articleIn(page, 3))
  t.match(
    third,
    /#3 failed .*triager .*refused I am sorry, I cannot decide sent back answer is not a JSON value.* what it was told Your last answer was not accepted: .*Its JSON Schema: .*refused I am sorry, I cannot decide error output_type_mismatch/s,
    'what was refused, and what it was told',
  )
  t.match(
    third,
    /solver .*said Let me look that up refund ok .*\{"amount":10\} result \{"ok":true\}.*answer solved .*polish .*out polished! polish\.writer .*answer polished/s,
  )
  t.match(words(articleIn(page, 4)), /refund failed .*\{"amount":50\} error .*: above the limit of 40 dollars/s)
  t.match(articleIn(page, 1), /<img src="data:image\/png;base64,/, 'a picture of the message')
  t.match(page, /<details class="prompt" id="p\d+"><summary><b>triager<\/b>.*?TRIAGE by urgency/s)
  t.match(
    words(between(page, '<section id="prompts"', '</section>')),
    /solver .*SOLVE it .*refund Pay money back.*polish\.writer .*POLISH it/s,
  )
  t.match(page, escaped(HOSTILE), 'as it was said')
  for (const html of [page, three, trace]) {
    t.notOk(html.includes('<img src=x') || html.includes('<b id=hostile'), 'and as text')
    t.strictSame(html.match(/<script/g)?.length, 1)
    t.match(
      html.replaceAll('&#39;', "'"),
      /default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'none'/,
    )
    t.notMatch(html, /<[a-z][^>]*\s(?:on\w+=|(?:src|href)="(?:https?:|\/|javascript))/, 'no handler, and nothing is fetched')
  }
  t.match(words(three), /inputs 1 outputs 1 requests to models \d+ cost/, 'numbers are of the part')
  t.strictSame(three.match(/<article id="\d+"/g), ['<article id="3"'])
  t.match(trace, /A trace has not what models said/)
  t.notMatch(page, /has not what models said/)
  t.notMatch(page, 'no result is known', 'each call is where the model made it')

  // The record of an earlier release, or a part of it.
  rmSync(join(directory, 'rec/kept-answers'), { recursive: true })
  await bash('plumb view rec > rec.html', { directory })
  const without = readFileSync(join(directory, 'rec.html'), 'utf8')
  t.match(without, /This record has not what models said/)
  t.match(words(articleIn(without, 4)), /refund failed/, 'calls are in the timeline')
})

t.test('two records beside each other', async (t) => {
  const { directory } = await recordDesk(
    t,
    `plumb --record rec desk.plumb < in.jsonl > out.jsonl; (sed -n 2p in.jsonl; sed '2s/.*/{"id":9,"text":"only here"}/' in.jsonl) > in2.jsonl
    plumb --record rec2 other.plumb < in2.jsonl > out.jsonl
    plumb view rec --against rec2 > both.html; plumb view rec --against rec > same.html; plumb view --seq 2 --against rec2 rec > two.html`,
  )
  const [both = '', same = '', two = ''] = ['both', 'same', 'two'].map((name) => readFileSync(join(directory, `${name}.html`), 'utf8'))
  const verdict = words(between(both, '<section id="verdict"', '</section>'))
  t.match(verdict, /2 of 7 inputs differ 1 another output : #2 1 only in the right run : #3 right 5 the same/)
  t.match(verdict, /The first wire that parts 1 at map-output : #2 /)
  t.match(verdict, /Failed inputs: 3 → 3 .*Cost: \$0\.\d+ → \$0\.\d+/)
  t.match(
    words(between(both, '<ul class="made">', '</ul>')),
    /spec: "desk.plumb" \| "other.plumb" .*other text: .*asked otherwise: triager/,
  )
  const second = articleIn(both, 2)
  t.match(
    words(second),
    /another output .*#1 of the right run.*Parts at map-output what it carried urgency 2 soon left .*triager .*right .*triager /s,
  )
  t.match(second, /<mark>urgency 2<\/mark>.*<mark>soon<\/mark>/s)
  t.match(second, /id="left-w\d+-\d+".*id="right-w\d+-\d+"/s)
  t.match(
    words(between(both, '<section id="prompts"', '</section>')),
    /triager another prompt TRIAGE by urgency TRIAGE by anger .*solver 8 characters/s,
  )
  t.match(both, /<mark>urgency<\/mark>.*<mark>anger<\/mark>/s)
  t.match(words(between(same, '<section id="verdict"', '</section>')), /No input differs 6 the same/)
  t.match(same, 'Both were made in the same way.')
  t.strictSame(two.match(/<article id="\d+"/g), ['<article id="2"'])
  for (const html of [both, same]) {
    t.notOk(html.includes('<img src=x') || html.includes('<b id=hostile'))
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    t.strictSame(
      ids.filter((id, i) => ids.indexOf(id) !== i),
      [],
      'no id is there twice',
    )
  }
  t.match(await bash('plumb view rec --against none', { directory }), { status: 2, err: /cannot read 'none/ })
  t.match(await bash('plumb view --from 1 --against rec2 rec', { directory }), { status: 2, err: /--against compares inputs/ })
})

t.test('pictures of a stranger’s record are those below the directory alone', async (t) => {
  const directory = makeTestDirectory({ 'secret.png': '' })
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64')
  writeFileSync(join(directory, 'secret.png'), png)
  const inside = join(directory, 'in')
  mkdirSync(inside)
  for (const name of ['here.png', 'notes.txt']) writeFileSync(join(inside, name), name.endsWith('txt') ? 'words' : png)
  symlinkSync('../secret.png', join(inside, 'link.png'))
  const paths = ['here.png', '../secret.png', join(directory, 'secret.png'), 'link.png', 'notes.txt', 'none.png', '.']
  writeFileSync(join(inside, 'in.jsonl'), paths.map((path) => `${JSON.stringify({ kind: 'image', path })}\n`).join(''))
  await bash(`plumb --record rec -e 'let main : !json -> !json = id' < in.jsonl > out.jsonl; plumb view rec > rec.html`, {
    directory: inside,
  })
  const page = readFileSync(join(inside, 'rec.html'), 'utf8')
  for (const [i, path] of paths.entries()) t.equal(articleIn(page, i + 1).includes('<img'), path === 'here.png', path)
})

t.test('calls that wait for a person are no failures: what they are, and the command', async (t) => {
  const asking = `
let pay : { arguments?: [string] } -> string = tool { command: "echo paid", approval: "ask" }
let main : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [pay], amnesiac: true }`
  const script = `echo 'call pay {"arguments": ["seven"]}' > in.txt; echo hello >> in.txt
    plumb -R --record rec --park ask.plumb < in.txt > out.jsonl; plumb view rec > rec.html; plumb approvals rec > calls.jsonl`
  const place = makeTestDirectory({ 'ask.plumb': asking })
  await bash(script, { directory: place })
  const page = readFileSync(join(place, 'rec.html'), 'utf8')
  const { id } = JSON.parse(readFileSync(join(place, 'calls.jsonl'), 'utf8').split('\n')[0] ?? '')
  const verdict = words(between(page, '<section id="verdict"', '</section>'))
  t.match(
    verdict,
    new RegExp(
      `No input failed.*1 call waits for a person pay asked for by main, since .*\\["seven"\\].*plumb approve rec ${id}.*Of #1`,
      's',
    ),
  )
  t.notMatch(verdict, /tool calls? failed/, 'nor have its calls failed')
  t.match(words(articleIn(page, 1)), /pay waits .* waits the call of 'pay' waits for a person to allow it waits parked: /)
  t.notMatch(articleIn(page, 1), /class="(say )?(bad|failed)/)
  t.match(page, /<b class="waits">parked, status 1<\/b>/)
  t.match(page, /<li class="waiting" data-seq="1"/)
})

void t.test('questions to a person: what is asked, and the command that answers', (t) => {
  const asked = {
    ...{
      id: 'abc',
      kind: 'person',
      tool: 'editor',
      process: 'editor',
      call: 'c',
      nth: 1,
      digest: '',
      why: '',
      since: '2026-11-29T01:02:03.000Z',
    },
    ...{ input: '{"prompt":"Approve or <b>rewrite</b>","input":{"reply":"hi","order":12345678901234567890},"schema":{}}', state: 'waits' },
  }
  const page = waits([], [asked as never], 'rec')?.text ?? ''
  t.match(
    words(page),
    /1 question waits for a person editor is asked, since 2026-11-29 01:02:03 UTC Approve or &lt;b&gt;rewrite.* \{"reply":"hi","order":12345678901234567890\} plumb answer rec abc VALUE or plumb answer --skip rec abc/,
  )
  t.match(words(waits([], [asked, { ...asked, kind: undefined }] as never, 'rec')?.text ?? ''), /1 question and 1 call wait for a person/)
  t.equal(waits([], [], 'rec'), undefined)
  t.end()
})

const fetched = (
  url: string,
  headers = {},
): Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; body: string }> =>
  new Promise((done, failed) => {
    get(url, { headers }, async (response) => {
      let body = ''
      for await (const chunk of response) body += chunk
      done({ status: response.statusCode, headers: response.headers, body })
    }).on('error', failed)
  })

t.test('a record is served on this machine alone, behind its token', async (t) => {
  const { directory } = await recordDesk(t, 'plumb --record rec desk.plumb < in.jsonl > out.jsonl')
  const child = spawn('plumb', ['view', '--serve', 'rec'], { cwd: directory, env: envIn(directory), stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const [chunk] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  const link = String(chunk).trim()
  if (!t.match(link, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/)) return
  const page = await fetched(link)
  t.match(page, {
    status: 200,
    headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' },
  })
  t.match(page.body.replaceAll('&#39;', "'"), /connect-src 'self'.*data-served="ended"/s)
  t.match(words((await fetched(`${link}input/3`)).body), /refused I am sorry, I cannot decide/)
  t.match(JSON.parse((await fetched(`${link}find?q=${encodeURIComponent('<B ID=hostile>')}`)).body), { total: 6, searched: 6 })
  t.equal(JSON.parse((await fetched(`${link}find?q=cannot+decide`)).body).found[0][0], 3)
  t.strictSame(
    JSON.parse((await fetched(`${link}find?q=cannot+decide&from=3`)).body),
    { found: [], searched: 6, total: 6 },
    'a long search goes on where it was',
  )
  const root = new URL(link).origin
  const refused: Record<string, [url: string, headers: object, status: number]> = {
    'no token': [`${root}/`, {}, 404],
    'another token': [`${root}/${'0'.repeat(32)}/`, {}, 404],
    'a name that leads here': [link, { host: `evil.test:${new URL(link).port}` }, 403],
    'an input that is not there': [`${link}input/77`, {}, 404],
    'a path': [`${link}../../etc/passwd`, {}, 404],
    'a file of the record': [`${link}run.json`, {}, 404],
    'without its last slash': [link.slice(0, -1), {}, 308],
  }
  for (const [name, [url, headers, status]] of Object.entries(refused)) t.equal((await fetched(url, headers)).status, status, name)
  child.kill('SIGTERM')
  t.strictSame(await once(child, 'exit'), [null, 'SIGTERM'])
  t.match(await bash('plumb view --serve -o x rec', { directory }), { status: 2, err: /--serve shows the page, and writes none/ })
  t.match(await bash('plumb view --port 9 rec', { directory }), { status: 2, err: /--port is for --serve/ })
  t.match(await bash('plumb view --serve none', { directory }), { status: 2, err: /cannot read/ })
})
