import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import fc from 'fast-check'
import t from 'tap'
import { openInput } from '../src/fd/open.js'
import { DIRECTIONS, FDS, type FdName, inheritedFds } from '../src/fd/table.js'
import { makeShell } from './probe.js'
import { holds } from './property.js'

const { shell, probe } = makeShell()
const isLinux = process.platform === 'linux'

// How a process can be started: as the executables are, or by node alone.
const STARTS = ['$launcher $probe', ...(isLinux ? ['node $probe'] : [])]
const NUMBERS = Object.entries(FDS).filter(([, fd]) => fd > 2)

t.test('which descriptors were inherited', async (t) => {
  const all = NUMBERS.map(([port, fd]) => `${fd}${DIRECTIONS[port as FdName] === 'in' ? '<' : '>'}/dev/null`).join(' ')
  const cases: [redirections: string, expected: number[]][] = [
    ['', []],
    [all, [3, 4, 5, 6, 7]],
    ['4>/dev/null 7>/dev/null', [4, 7]],
    ['6< <(echo 1)', [6]],
    ['4> >(cat) 7> >(cat)', [4, 7]],
    ...NUMBERS.flatMap(([, fd]): [string, number[]][] => [
      [`${fd}> file`, [fd]],
      [`${fd}> >(cat)`, [fd]],
    ]),
  ]
  for (const start of STARTS) {
    const found = await Promise.all(cases.map(([redirections]) => shell(`${start.replace('$probe', '$probe fds')} ${redirections}`)))
    for (const [i, [redirections, expected]] of cases.entries())
      t.equal(found[i]?.out, `${JSON.stringify(expected)}\n`, `${start} ${redirections}`)
  }
  const options: [option: string, redirections: string, expected: RegExp][] = [
    ['none', all, /^\[\]\n$/],
    ['6', all, /^\[6\]\n$/],
    ['4,5', all, /^\[4,5\]\n$/],
    [
      '4,5',
      '4>/dev/null',
      /^\{"error":"fd_invalid","category":"config","detail":"--fds names 5, but 5 is not open; redirect it, as in '5< file'"\}\n$/,
    ],
    ['8', all, /"fd_invalid".*numbers from 3 to 7 such as '4,5', not '8'/],
    ['', all, /"fd_invalid"/],
    ['4, 5', all, /"fd_invalid"/],
  ]
  for (const start of STARTS) {
    for (const [option, redirections, expected] of options) {
      const { out, err, status } = await shell(`${start} fds '${option}' ${redirections}`)
      t.match(out + err, expected, `${start} --fds '${option}' ${redirections}`)
      t.equal(status, err ? 2 : 0)
    }
  }
})

t.test('what the launcher said leaves the environment', async (t) => {
  process.env.PLUMB_FDS = '4,7'
  process.env.PLUMB_CLOSED = '0'
  t.same(inheritedFds(), { ok: true, value: new Set([4, 7]) })
  t.notOk('PLUMB_FDS' in process.env || 'PLUMB_CLOSED' in process.env)
  t.same(inheritedFds(), { ok: true, value: new Set([4, 7]) }, 'and is remembered')
})

t.test('a descriptor that is not open fails when it is read, and not before', async (t) => {
  const input = openInput(1_000_000)
  await new Promise((done) => setImmediate(done))
  const failed = once(input, 'error')
  input.resume()
  t.match(await failed, [{ code: 'EBADF' }])
})

// The pipes of ours, and Node's streams, which do the same.
const MEANS = [{}, { STREAMS: '1' }]
const PLACES: readonly (readonly [input: number, output: number])[] = [
  [0, 1],
  [5, 4],
  [6, 7],
  [6, 3],
]

const copyThroughSockets = async (input: number, output: number, chunks: readonly (string | Buffer)[], env: NodeJS.ProcessEnv) => {
  const stdio = Array.from({ length: 8 }, (_, fd) => (fd === input || fd === output ? 'pipe' : 'ignore'))
  const child = spawn('node', [probe, 'copy', String(input), String(output), '64'], {
    env: { ...process.env, ...env },
    stdio: stdio as 'pipe'[],
  })
  const [into, from] = [child.stdio[input] as Duplex, child.stdio[output] as Duplex]
  for (const chunk of chunks) {
    into.write(chunk)
    await new Promise((done) => setImmediate(done))
  }
  into.end()
  const parts: Buffer[] = []
  for await (const chunk of from) parts.push(chunk)
  return Buffer.concat(parts).toString('latin1')
}

t.test('pipes, files and sockets work at every number', async (t) => {
  for (const [[input, output], env] of PLACES.flatMap((place) => MEANS.map((means) => [place, means] as const))) {
    const start = `${env.STREAMS ? 'STREAMS=1 ' : ''}$launcher $probe copy ${input} ${output}`
    const piped = await shell(`exec 9>&1; ${start} ${input}< <(printf '1\\n2') ${output}> >(cat >&9)`)
    t.equal(piped.out, '1\n2\n', `pipes at ${input} and ${output}`)
    t.equal(
      (await shell(`printf '1\\n2' > in; ${start} ${input}< in ${output}> out; cat out`)).out,
      '1\n2\n',
      `files at ${input} and ${output}`,
    )
    t.equal(await copyThroughSockets(input, output, ['1\n2'], env), '1\n2\n', `sockets at ${input} and ${output}`)
  }
})

t.test('pipes of ours and streams let the same through, however it comes', async (t) => {
  const piece = fc.oneof(fc.constantFrom('\n', '\r\n', '{"a":1}\n', ' '), fc.string({ maxLength: 100 }), fc.uint8Array({ maxLength: 20 }))
  await holds(
    t,
    fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
      const chunks = pieces.map((one) => Buffer.from(one as string))
      const [ours, streams] = await Promise.all(MEANS.map((means) => copyThroughSockets(0, 1, chunks, means)))
      return ours === streams
    }),
    { numRuns: 20 },
  )
})
