import { spawn as startProgram } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { childEnv } from '../src/child/env.js'
import { makeFifos } from '../src/child/fifo.js'
import { closePipes } from '../src/child/pipes.js'
import { spawnPlumb } from '../src/child/plumb-child.js'
import type { SpawnOptions } from '../src/child/prepare.js'
import { spawnChild } from '../src/child/spawn.js'
import type { LineChild } from '../src/child/supervise.js'
import { isTried } from '../src/fd/node-internals.js'
import { waitForEof } from '../src/fd/wait-for-eof.js'
import type { LineSink, LineSource } from '../src/line/stream.js'
import { bundledFiles } from '../src/spec/source-files.js'
import { makeShell } from './probe.js'
import { processes, until } from './processes.js'

const { shell, directory, probe } = makeShell()

// So that what others leave in the common place does not matter.
process.env.TMPDIR = directory
process.env.HOME = directory
const env = childEnv('foreign')

const spawn = (command: string[], options: Partial<SpawnOptions> = {}): LineChild => {
  const child = spawnChild({ command, env, isForeign: true, cwd: directory, ...options })
  if (!child.ok) throw new Error(child.error.detail)
  child.value.stderr.resume()
  return child.value
}

const textOf = (stream: LineSource): Promise<string> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = []
    const done = (): void => resolve(Buffer.concat(chunks).toString())
    stream.on('data', (chunk) => chunks.push(chunk))
    stream.on('end', done)
    stream.on('close', done)
    stream.resume()
  })

const say = (stream: LineSink | LineSource | undefined, text: string): void => {
  const sink = stream as LineSink
  sink.write(Buffer.from(text), () => {})
  sink.end(() => {})
}

const firstOf = (stream: LineSource): Promise<Buffer> =>
  new Promise((resolve) => {
    stream.on('data', resolve)
    stream.resume()
  })

/** Processes of the group. */
const living = (group: number): string[] =>
  processes()
    .filter((one) => one.group === group)
    .map(({ args }) => args)

t.test('faults 45, 57: descriptors and how it ended', async (t) => {
  for (const isForeign of [true, false]) {
    const child = spawn(['bash', '-c', 'cat; echo "from 6: $(cat <&6)" >&7; echo "$0 $1 $#" >&2; exit 3', 'a b', '$x"'], {
      isForeign,
      fds: { 6: 'in', 7: 'out' },
    })
    say(child.stdin, 'one\n')
    say(child.fds.get(6), 'control')
    const [out, err, control, exit] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      textOf(child.fds.get(7) as LineSource),
      child.exited,
    ])
    t.same(
      [out, err, control, exit],
      ['one\n', 'a b $x" 1\n', 'from 6: control\n', { status: 3, signal: null }],
      isForeign ? 'foreign' : 'ours',
    )
  }
  t.same([...spawn(['true'], { fds: { 6: 'in' } }).fds.keys()], [6])

  const joined = spawn(['sh', '-c', 'for i in 1 2 3; do echo out; echo err >&2; done'], { joinsStderr: true })
  t.equal(await textOf(joined.stdout), 'out\nerr\nout\nerr\nout\nerr\n', 'stderr in its place among what is on stdout')

  const probing = 'for n in 3 4 5 6 7 8 9; do if true 2>/dev/null >&$n; then echo $n; fi; done'
  t.equal(await textOf(spawn(['sh', '-c', probing], { fds: { 3: 'out', 6: 'in' } }).stdout), '3\n6\n', 'nothing else is open')

  const named = spawn(['bash', '-c', 'sleep 0.1; cat /dev/fd/6 > /dev/fd/7; cat /dev/stdin > /dev/stdout; echo x > /dev/stderr'], {
    fds: { 6: 'in', 7: 'out' },
  })
  say(named.stdin, 'data')
  say(named.fds.get(6), 'control')
  t.same(
    await Promise.all([textOf(named.stdout), textOf(named.fds.get(7) as LineSource), textOf(named.stderr)]),
    ['data', 'control', 'x\n'],
    '/dev/fd/N opens',
  )

  const fifos = makeFifos(2) ?? []
  for (const { reader, writer } of fifos) {
    writeSync(writer, 'x')
    t.equal(readSync(reader, Buffer.alloc(9)), 1, 'a FIFO, where there is nothing better')
  }
  t.equal(fifos.length, 2)
  closePipes(fifos)
  const leftovers = readdirSync(directory).filter((name) => name.startsWith('plumb-'))
  t.same(leftovers, [], 'no FIFO is left')

  const withoutPath = spawn(['/bin/cat'], { env: { PATH: '/nowhere' } })
  say(withoutPath.stdin, 'x')
  t.equal(await textOf(withoutPath.stdout), 'x')

  const killed = spawn(['sh', '-c', 'echo half; kill -9 $$'])
  t.same([await textOf(killed.stdout), await killed.exited], ['half\n', { status: null, signal: 'SIGKILL' }])
})

t.test('everything written arrives, however slowly it is read', async (t) => {
  // The rest fits into a pipe: the child ends, and it has not been read.
  const child = spawn(['sh', '-c', 'echo first; read line; head -c 60000 /dev/zero'])
  void firstOf(child.stdout).then(() => {
    child.stdout.pause()
    say(child.stdin, '\n')
  })
  let hasExited = false
  void child.exited.then(() => {
    hasExited = true
  })
  t.ok(await until(() => living(child.pid).length === 0))
  await new Promise((done) => setTimeout(done, 1200))
  t.notOk(hasExited, 'a paused reader is waited for')
  let bytes = 0
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  child.stdout.resume()
  await child.exited
  t.equal(bytes, 60_000)
})

t.test('faults 46, 47, 56: groups', async (t) => {
  const group = spawn(['bash', '-c', 'sleep 300 & sleep 300 & echo ready; wait'])
  await firstOf(group.stdout)
  t.equal(living(group.pid).length, 3)
  await group.terminate(2000)
  t.ok(await until(() => living(group.pid).length === 0), 'terminate ends the whole group')
  t.equal((await group.exited).signal, 'SIGTERM')

  // No test waits for these to end by themselves: its deadline is shorter than a day.
  const deaf = spawn(['bash', '-c', "trap '' TERM; sleep 86400 & echo ready; wait; wait"])
  await firstOf(deaf.stdout)
  await deaf.terminate(200)
  t.equal((await deaf.exited).signal, 'SIGKILL', 'what ignores TERM is killed after the grace')
  t.ok(await until(() => living(deaf.pid).length === 0))

  const straggler = spawn(['sh', '-c', "trap '' TERM; sleep 86400 & echo done"])
  straggler.stdout.resume()
  t.same(await straggler.exited, { status: 0, signal: null }, 'a grandchild that keeps stdout is not waited for')
  t.ok(await until(() => living(straggler.pid).length === 0), 'and is ended')

  const late = spawn(['sh', '-c', '(sleep 0.2; echo late) & echo early'])
  t.equal(await textOf(late.stdout), 'early\nlate\n', 'one that still has something to say is')

  const gone = spawn(['true'])
  await gone.exited
  const kill = t.capture(process, 'kill', () => true)
  gone.kill('SIGTERM')
  await gone.terminate(10)
  t.same(kill(), [], 'nothing is signalled once the end was seen')
})

t.test('fault 39: kill -9 of a parent leaves nothing', async (t) => {
  for (const script of ["trap '' TERM HUP INT; sleep 300 & sleep 300 & wait", 'exec sleep 300', 'read x; sleep 300']) {
    const parent = startProgram(process.execPath, [probe, 'parent', 'bash', '-c', script], {
      env,
      cwd: directory,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(parent.stdout, 'data')
    const group = Number(line)
    t.ok(await until(() => living(group).some((args) => args.includes('sleep 300'))), `${script}: ran`)
    parent.kill('SIGKILL')
    t.ok(await until(() => living(group).length === 0), `${script}: gone`)
  }
})

t.test('faults 42, 50, 52: what cannot be started', async (t) => {
  mkdirSync(join(directory, 'sub'))
  writeFileSync(join(directory, 'plain'), '#!/bin/sh\n')
  writeFileSync(join(directory, 'sub/prog'), '#!/bin/sh\necho "$PWD"\n')
  chmodSync(join(directory, 'sub/prog'), 0o755)
  const cases: [Partial<SpawnOptions> & { command: string[] }, error: string, detail: RegExp][] = [
    [{ command: ['no-such-program'] }, 'file_not_found', /program 'no-such-program' is not on PATH/],
    [{ command: ['prog'], env: { PATH: 'sub::.' } }, 'file_not_found', /not on PATH/],
    [{ command: ['./missing'] }, 'file_not_found', /'\.\/missing' does not exist/],
    [{ command: ['./plain'] }, 'file_not_found', /'\.\/plain' is not executable/],
    [{ command: ['./sub'] }, 'file_not_found', /'\.\/sub' is a directory/],
    [{ command: ['true'], cwd: join(directory, 'nowhere') }, 'file_not_found', /working directory '.*nowhere'/],
    [{ command: [] }, 'file_not_found', /program '' is not on PATH/],
    [{ command: ['true', 'x'.repeat(200_000)] }, 'config_invalid', /cannot start 'true': its arguments and environment are too long/],
    [{ command: ['true', 'a\0b'] }, 'config_invalid', /NUL/],
  ]
  for (const isForeign of [true, false]) {
    for (const [options, error, detail] of cases) {
      const child = spawnChild({ env, cwd: directory, isForeign, ...options })
      t.match(child, { ok: false, error: { error, detail } }, `${detail}`)
    }
  }
  const many = await shell(`ulimit -n 80; node $probe many sleep 307; running "sleep 307"`)
  t.match(
    many,
    { out: /^0\n$/, err: /^\{"error":"child_failed".*cannot start 'sleep': the system has no room.*\}\n$/ },
    'no descriptors left',
  )
  t.equal(await textOf(spawn(['./prog'], { cwd: join(directory, 'sub') }).stdout), `${join(directory, 'sub')}\n`)
})

t.test('fault 92: the environment', async (t) => {
  const given = {
    PATH: process.env.PATH,
    LC_ALL: 'C',
    OPENAI_API_KEY: 'sk-1',
    PLUMB_MODEL: 'doctor',
    PLUMB_FDS: '4',
    PLUMB_CLOSED: '1',
    PLUMB_MCP_TOOLS: '/tmp/of-this-agent',
    https_proxy: 'http://p',
    NODE_OPTIONS: '-r x',
    LD_PRELOAD: 'x',
    MINE: 'm',
    HOME: '() { :; }',
  }
  const foreign = { PATH: given.PATH, LC_ALL: 'C', PYTHONUNBUFFERED: '1' }
  t.strictSame(childEnv('foreign', [], given), foreign)
  t.strictSame(childEnv('foreign', ['MINE', 'OPENAI_API_KEY'], given), { ...foreign, OPENAI_API_KEY: 'sk-1', MINE: 'm' })
  t.strictSame(childEnv('ours', [], given), {
    PATH: given.PATH,
    LC_ALL: 'C',
    OPENAI_API_KEY: 'sk-1',
    PLUMB_MODEL: 'doctor',
    https_proxy: 'http://p',
  })

  process.env.WIRE_TEST_CANARY = 'x'
  const names = (await textOf(spawn(['env'], { env: childEnv('foreign') }).stdout)).split('\n').map((line) => line.split('=')[0])
  delete process.env.WIRE_TEST_CANARY
  t.notOk(names.includes('WIRE_TEST_CANARY'))
})

t.test('what is handed over', async (t) => {
  const bin = join(directory, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'plumb-tool'), `#!/bin/sh\nexec node ${probe} bootstrap 9 "$@"\n`, { mode: 0o755 })
  const text = 'x'.repeat(3_000_000)
  const files = bundledFiles({ entry: 'a.plumb', files: { 'a.plumb': text }, modules: {} })
  const own = spawnPlumb({
    program: 'plumb-tool',
    args: ['serve'],
    files,
    entry: 'a.plumb',
    authority: { grant: ['net'] },
    env: { ...childEnv('ours'), PATH: `${bin}:${process.env.PATH}` },
  })
  if (!own.ok) throw new Error(own.error.detail)
  const { child, renew } = own.value
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  const reported = () => out.split('\n').slice(0, -1)
  renew({ grant: [] })
  t.ok(await until(() => reported().length === 2))
  renew({})
  t.ok(await until(() => reported().length === 3))
  t.strictSame(
    reported().map((line) => JSON.parse(line)),
    [
      { args: ['--sources-fd', '9', 'a.plumb', 'serve'], entry: 'a.plumb', bytes: text.length + 14, authority: { grant: ['net'] } },
      { next: { grant: [] } },
      { next: {} },
    ],
  )
  child.stdin.end()
  t.same(await child.exited, { status: 0, signal: null }, 'it ends though its giver lives')

  const cases: [string, number, RegExp][] = [
    [`printf '%s' '{"entry":"a","files":{},"modules":{}}'`, 1, /^\{"args":\[\],"entry":"a","bytes":2\}\n$/],
    [`printf '%s\n' '{"entry":"a","files":{},"modules":{},"authority":1}' x '{"authority":2}'`, 2, /^\{.*"authority":1\}\n\{"next":2\}\n$/],
    ['echo x', 0, /^$/],
    ['true', 0, /^$/],
  ]
  for (const [script, lines, wanted] of cases) {
    const ran = await shell(`rm -f hold; mkfifo hold; : > reported; node $probe bootstrap 9 9< <(${script}) < hold > reported & exec 8> hold
      until [ "$(wc -l < reported)" -ge ${lines} ]; do sleep 0.02; done; exec 8>&-; wait $!; status=$?; cat reported; exit $status`)
    t.match(ran.out, wanted, script)
    t.match(ran, wanted.source === '^$' ? { err: /"fd_invalid".*descriptor 9/, status: 2 } : { err: '', status: 0 })
  }
})

t.test('signals', async (t) => {
  const once = `exec 3< <(exec node $probe stop); p=$!; read x <&3; kill -TERM $p; cat <&3; wait $p; echo $?`
  t.equal((await shell(once)).out, 'first SIGTERM\n143\n')
  t.equal((await shell(once.replaceAll('TERM', 'INT'))).out, 'first SIGINT\n130\n')
  t.equal((await shell(once.replaceAll('TERM', 'HUP'))).out, 'first SIGHUP\n129\n')
  const twice = `exec 3< <(exec node $probe stop twice); p=$!; read x <&3; kill -INT $p; read y <&3; kill -INT $p; cat <&3; wait $p; echo $y $?`
  t.equal((await shell(twice)).out, 'second SIGINT\nfirst SIGINT 143\n')
})

t.test('what Node does not document is used where it was tried, and nowhere else', async (t) => {
  const [tried, others] = [
    ['20.0.0', '20.20.2', '22.23.3', '24.21.0'],
    ['18.20.1', '20.21.0', '22.24.0', '24.22.0', '26.0.0', 'x', ''],
  ]
  for (const version of tried) t.ok(isTried('pipe_wrap', version), version)
  for (const version of others) t.notOk(isTried('pipe_wrap', version), version)
  t.notOk(isTried('fs', '20.20.2'))
})

t.test('all gets through a child, however it comes', async (t) => {
  const piece = fc.oneof(fc.constantFrom('\n', '{"a":1}\n', 'x'.repeat(100_000)), fc.string({ maxLength: 100 }))
  const through = async (isForeign: boolean, pieces: readonly string[]): Promise<readonly string[]> => {
    const child = spawn(['sh', '-c', 'cat; cat <&6 >&7'], { isForeign, fds: { 6: 'in', 7: 'out' } })
    const texts = [textOf(child.stdout), textOf(child.fds.get(7) as LineSource)]
    for (const stream of [child.stdin, child.fds.get(6) as LineSink]) {
      for (const text of pieces) {
        stream.write(Buffer.from(text), () => {})
        await new Promise((done) => setImmediate(done))
      }
      stream.end(() => {})
    }
    return Promise.all(texts)
  }
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 10 }), fc.boolean(), async (pieces, isForeign) => {
      const all = pieces.join('')
      t.strictSame(await through(isForeign, pieces), [all, all])
    }),
    { numRuns: 20 },
  )
})

t.test('output that came while this process had no turn, on a busy machine, is read to its end', async (t) => {
  const child = spawn(['sh', '-c', '(sleep 0.1; printf late) & exit 0'], { isForeign: true })
  const text = textOf(child.stdout)
  await child.ended
  // What it left running writes meanwhile, and the time is up at the beginning of the next turn.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)
  t.equal(await text, 'late')
})

t.test(
  'output that a slow reader has left in the pipe is read after the exit, though it held back until the pipe was looked at',
  async (t) => {
    const events = new EventEmitter()
    const stream = { readableEnded: false, destroyed: false, bytesRead: 0, readableFlowing: false as boolean | null }
    const destroy = (): void => {
      stream.destroyed = true
      events.emit('close')
    }
    const source = Object.assign(stream, { once: events.once.bind(events), resume: () => {}, destroy })
    setTimeout(() => {
      source.readableFlowing = true
    }, 400)
    setTimeout(() => {
      source.bytesRead = 1
      source.readableEnded = true
      events.emit('end')
    }, 600)
    await waitForEof(source)
    t.notOk(source.destroyed)
    t.equal(source.bytesRead, 1)
  },
)
