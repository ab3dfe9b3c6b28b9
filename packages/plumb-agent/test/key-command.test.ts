// Keys that a command gives: when it is called, by whom, what its key is for, and where the key never goes. The commands are real.

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scrub } from '@plumb/wire'
import t, { type Test } from 'tap'
import { expiryOf, keyCommand } from '../src/provider/key-command.js'
import {
  anthropicText,
  CANARY,
  json,
  openaiText,
  openClient,
  openStub,
  type Received,
  STREAM,
  type StubReply,
} from './fixtures/provider/stub.js'

const root = mkdtempSync(join(tmpdir(), 'plumb-key-'))
t.teardown(() => rmSync(root, { recursive: true, force: true }))

const program = (name: string, text: string): string => {
  const path = join(root, name)
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o700)
  return path
}

/** Gives a new key each time, counts its calls, and notes where two are at work at once. */
const counted = (name: string) => {
  const calls = join(root, `${name}.calls`)
  const overlaps = join(root, `${name}.overlaps`)
  writeFileSync(calls, '')
  const path = program(
    name,
    `mkdir "${calls}.lock" 2>/dev/null || echo x >> "${overlaps}"
echo x >> "${calls}"
echo "key-number-$(wc -l < "${calls}" | tr -d ' ')"
echo second line
rmdir "${calls}.lock"`,
  )
  return { words: [path], calls: () => readFileSync(calls, 'utf8').length / 2, hasOverlap: () => existsSync(overlaps) }
}
const of = (words: readonly string[]) => ({ words, directory: root, env: [] })

const keyOf = ({ headers }: Received): string => String(headers.authorization ?? '').replace('Bearer ', '')
const answered: StubReply = { headers: STREAM, chunks: [openaiText('ok')] }
const refused = json({ error: { message: 'invalid token', type: 'invalid_request_error' } }, 401)

t.test('200 requests, and a key that changes at each call', async (t) => {
  const { words, calls, hasOverlap } = counted('changing')
  let current = 1
  let taken = 0
  const late: string[] = []
  // Each key is good for ten requests.
  const { url, received } = await openStub(t, [
    (request) => {
      const number = Number(keyOf(request).replace('key-number-', ''))
      if (number !== current) {
        late.push(`${number} of ${current}`)
        return refused
      }
      if (++taken % 10 === 0) current++
      return answered
    },
  ])
  const clients = ['openai', 'groq'].map((name) =>
    openClient(t, name, url, { wire: 'chat' }, {}, { keyCommand: of(words), key: undefined }),
  )
  for (let i = 0; i < 200; i++) t.match(await clients[i % 2]?.ask(), { ok: true }) || t.bailout('a request failed')
  t.equal(calls(), 20, 'once at first, and once for each refused key')
  t.equal(late.length, 19, 'no key is sent again once it was refused')
  t.equal(received.length, 219)
  taken = 0
  current = calls()
  const before = received.length
  const many = await Promise.all(Array.from({ length: 40 }, (_, i) => clients[i % 2]?.ask()))
  t.ok(many.filter((one) => one?.ok).length > 0)
  t.notOk(hasOverlap(), 'one call at a time')
  const keys = received.slice(before).map(keyOf)
  t.ok(new Set(keys).size > 1 && calls() <= 20 + new Set(keys).size)
})

t.test('headers by the wire, and by where the key is from', async (t) => {
  const { words } = counted('headers')
  const rows: readonly (readonly [name: string, by: 'command' | 'variable', header: string, value: RegExp])[] = [
    ['anthropic', 'command', 'x-api-key', /^key-number-\d$/],
    ['openai', 'command', 'authorization', /^Bearer key-number-\d$/],
    ['ollama', 'command', 'authorization', /^Bearer key-number-\d$/],
    ['azure', 'command', 'authorization', /^Bearer key-number-\d$/],
    ['azure', 'variable', 'api-key', new RegExp(`^${CANARY}$`)],
    ['bedrock', 'variable', 'authorization', new RegExp(`^Bearer ${CANARY}$`)],
    ['vertex', 'command', 'authorization', /^Bearer key-number-\d$/],
  ]
  for (const [name, by, header, value] of rows) {
    const text = name === 'anthropic' ? anthropicText('ok') : openaiText('ok')
    const { url, received } = await openStub(t, [{ headers: STREAM, chunks: [text] }])
    const keyed = by === 'command' ? { keyCommand: of(words) } : {}
    t.match(await openClient(t, name, url, { wire: 'chat' }, {}, keyed).ask(), { ok: true }, name)
    t.match(received[0]?.headers[header], value, `${name} by ${by}`)
    const others = ['x-api-key', 'api-key', 'authorization'].filter((one) => one !== header)
    t.strictSame(
      others.filter((one) => received[0]?.headers[one] !== undefined),
      [],
      `${name}: no other`,
    )
    t.notMatch(JSON.stringify(received[0]?.body), /key-number|CANARY/)
  }
})

t.test('a second refusal ends asking, and names the command, not the key', async (t) => {
  const { words, calls } = counted('refused')
  const { url, received } = await openStub(t, [json({ error: { message: 'no key-number-2 here' } }, 401)])
  const answer = await openClient(t, 'openai', url, {}, {}, { keyCommand: of(words) }).ask()
  t.match(answer, {
    ok: false,
    refusal: 'final',
    error: { error: 'unauthorized', detail: /did not accept the key that '.*refused' gave \(401\)/ },
  })
  t.notMatch(JSON.stringify(answer), /key-number-\d/)
  t.strictSame([received.length, calls()], [2, 2])
  t.equal(scrub('key-number-1 key-number-2'), '*** ***')
})

t.test('what is no key is an error of the input, with the last line of stderr', async (t) => {
  const rows: readonly (readonly [string, readonly string[], object])[] = [
    [
      'failing',
      [program('failing', 'echo one >&2; echo "not logged in" >&2; exit 3')],
      { detail: /ended with status 3: not logged in$/, status: 3 },
    ],
    [
      'telling',
      [program('telling', 'echo sk-told-4711; echo more; echo "refused sk-told-4711" >&2; exit 1')],
      { detail: /ended with status 1: refused \*\*\*$/ },
    ],
    ['no end', [program('no-end', 'head -c 3000000 /dev/zero | tr "\\0" x')], { detail: /not a key: expected one line of at most 32768/ }],
    ['ended', [program('ended', 'kill -9 $$')], { detail: /ended with SIGKILL$/ }],
    ['silent', [program('silent', 'exit 0')], { detail: /said nothing$/ }],
    ['blank', [program('blank', 'echo; echo key')], { detail: /said nothing$/ }],
    ['two words', ['echo', 'a b'], { detail: /gave what is not a key/ }],
    ['no ASCII', ['printf', '\\303\\244x'], { detail: /gave what is not a key/ }],
    ['endless', [program('endless', 'head -c 200000 /dev/zero | tr "\\\\0" " "; echo x')], { detail: /not a key|said nothing/ }],
    ['absent', [join(root, 'absent')], { detail: /cannot be run: program '.*absent' does not exist/ }],
    ['no shell', ['echo $HOME;'], { detail: /.+/ }],
  ]
  const { url, received } = await openStub(t, [answered])
  for (const [what, words, error] of rows) {
    const asked = openClient(t, 'openai', url, {}, {}, { keyCommand: of(words) })
    const answer = await asked.ask()
    t.match(answer, { ok: false, error: { error: 'missing_key', key_command: String, ...error } }, what)
    t.notMatch(answer, { refusal: 'final' }, `${what}: the next input may have one`)
  }
  t.equal(received.length, 0, 'nothing is sent without it')
})

t.test('a command that takes too long is ended with its group', async (t) => {
  const pid = join(root, 'pid')
  const slow = program('slow', `sleep 1000 & echo $! > "${pid}"; trap "" TERM; echo waiting >&2; sleep 1000`)
  const given = await keyCommand(of([slow]), 500).get()
  t.match(given, { ok: false, error: { error: 'missing_key', detail: /gave no key within 0\.5 s, and was ended: waiting$/ } })
  const isGone = (): boolean => {
    try {
      process.kill(Number(readFileSync(pid, 'utf8')), 0)
      return false
    } catch {
      return true
    }
  }
  await waitUntil(t, isGone)
})

const waitUntil = async (t: Test, holds: () => boolean): Promise<void> => {
  const endMs = Date.now() + 20_000
  while (!holds() && Date.now() < endMs) await new Promise((resolve) => setTimeout(resolve, 10))
  t.ok(holds())
}

t.test('a JWT is asked for again before it expires', async (t) => {
  const jwt = (payload: object | string) =>
    ['e30', Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)).toString('base64url'), 'sig'].join('.')
  const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
  for (const [what, payload, calls] of [
    ['in an hour', { exp: inSeconds(3600) }, 1],
    ['in half a minute', { exp: inSeconds(30) }, 3],
    ['without exp', { iat: 1 }, 1],
    ['exp is a text', { exp: 'soon' }, 1],
    ['no JSON', 'x', 1],
  ] as const) {
    const log = join(root, `jwt-${what.replaceAll(' ', '-')}`)
    writeFileSync(log, '')
    const key = jwt(payload)
    const command = keyCommand(of([program(`${what.replaceAll(' ', '-')}.sh`, `echo x >> "${log}"; echo ${key}`)]))
    for (let i = 0; i < 3; i++) t.strictSame(await command.get(), { ok: true, value: key }, what)
    t.equal(readFileSync(log, 'utf8').length / 2, calls, what)
  }
  t.equal(expiryOf('sk-abc.def'), Number.POSITIVE_INFINITY)
})

t.test('batches have the key of the moment', async (t) => {
  const { words, calls } = counted('batched')
  const { url, received } = await openStub(t, [refused, json({ error: { message: 'no batches here' } }, 404)])
  await openClient(t, 'anthropic', url, { transport_retries: 0 }, { quietMs: 1 }, { keyCommand: of(words), lane: 'batch' }).ask()
  t.strictSame(
    received.slice(0, 2).map(({ headers }) => headers['x-api-key']),
    ['key-number-1', 'key-number-2'],
  )
  t.equal(calls(), 2)
})
