// Shell wrappers, with real programs: what they are given, what becomes of what they write, and how they are ended. Faults 90 to 93.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { scaled } from '../../wire/test/patience.js'
import { NO_SANDBOX } from '../../wire/test/sandbox-here.js'
import { withTimeout } from '../src/call/timeout.js'
import { OutputEnds } from '../src/source/command/output-buffer.js'
import { splitCommandLine } from '../src/source/split-command-line.js'
import { openCall } from './call-session.js'
import { after, makeSource, makeTestDirectory, once, running, until } from './source-directory.js'

const ARGUMENTS = '{ arguments?: [string] }'
const wrapper = (name: string, command: string, keys = '', output = 'string') =>
  `let ${name} : ${ARGUMENTS} -> ${output} = tool { command: ${JSON.stringify(command)}${keys} }\n`

process.env.PLUMB_CANARY_KEY = process.env.MY_CANARY_TOKEN = process.env.ANTHROPIC_API_KEY = 'sk-CANARY-1234'
process.env.NODE_OPTIONS = ''
process.env.LD_PRELOAD = ''

t.test('the words of a command', async (t) => {
  const cases: [string, string[]][] = [
    ['git status', ['git', 'status']],
    ['  a \t b\n', ['a', 'b']],
    ['printf [%20%s]', ['printf', '[ %s]']],
    ['x %20', ['x', ' ']],
    ['', []],
  ]
  for (const [command, words] of cases) t.strictSame(splitCommandLine(command), words, command)
})

t.test('fault 90: no shell sees the arguments', async (t) => {
  const { call } = makeSource(wrapper('show', 'printf [%s]') + wrapper('fixed', 'printf %s-%s a'))
  const words = ['; ls', '$(id)', '`id`', '*', 'a b', '-n', '--help', '', '"', "'", '\\', '|', '&', '~', 'ä\n']
  t.equal((await call('show', { arguments: words })).value, words.map((word) => `[${word}]`).join(''))
  t.equal((await call('fixed', { arguments: ['b'] })).value, 'a-b')
  t.equal((await call('fixed', {})).value, 'a-')
  t.match((await call('show', { arguments: ['a\0b'] })).error, { error: 'input_type_mismatch', detail: /NUL/ })
  for (const half of ['\ud800x', 'x\udfff', '\udc00\ud800'])
    t.match((await call('show', { arguments: [half] })).error, { error: 'input_type_mismatch', detail: /one half of a surrogate pair/ })
  t.equal((await call('show', { arguments: ['\ud83d\ude00'] })).value, '[😀]')
  t.match((await call('show', { arguments: ['x'.repeat(140_000)] })).error, { error: 'input_type_mismatch', detail: /longer than/ })
})

t.test('fault 91: the program is looked up once, and never where it runs', async (t) => {
  const docroot = makeTestDirectory({ fake: '#!/bin/sh\necho hijacked\n', git: '#!/bin/sh\necho hijacked\n' })
  const bin = makeTestDirectory({ tool: '#!/bin/sh\necho first\n' })
  const later = makeTestDirectory({})
  const before = process.env.PATH
  process.env.PATH = `.::${later}:${bin}:${before}`
  const { tool, session } = makeSource(wrapper('fake', 'fake') + wrapper('git', 'git --version') + wrapper('late', 'tool'), {}, { docroot })
  const run = async (name: string) => {
    const made = tool(name)
    return made.ok ? made.value.run('{}', openCall(session)) : made
  }
  t.match(await run('fake'), { ok: false, error: { error: 'file_not_found', detail: /'fake' is not on PATH/ } })
  t.notMatch(JSON.stringify(await run('git')), /hijacked/)
  const made = tool('late')
  if (!made.ok) throw new Error(made.error.detail)
  const first = await made.value.run('{}', openCall(session))
  writeFileSync(join(later, 'tool'), '#!/bin/sh\necho second\n', { mode: 0o755 })
  const second = await made.value.run('{}', openCall(session))
  t.strictSame(
    [first, second],
    [
      { ok: true, value: '"first\\n"' },
      { ok: true, value: '"first\\n"' },
    ],
  )
  process.env.PATH = before
})

t.test('fault 92: what a command finds around it', async (t) => {
  const probe = `#!/bin/bash
env | sort | grep -v '^_='
for n in 3 4 5 6 7 8 9; do if true 2>/dev/null >&$n; then echo "open $n"; fi; done
read -r line && echo "stdin has $line"
pwd
`
  const { call, directory } = makeSource(wrapper('probe', './sub/probe.sh'), { 'sub/probe.sh': probe })
  const { value } = await call('probe', {})
  const lines = String(value).trimEnd().split('\n')
  t.notMatch(String(value), /CANARY|NODE_OPTIONS|LD_PRELOAD|open \d|stdin has/)
  t.equal(lines.at(-1), directory, 'it runs in the docroot')
  const names = lines.slice(0, -1).map((line) => line.split('=')[0] ?? '')
  const allowed =
    /^(PATH|HOME|LANG|LC_.*|TERM|TMPDIR|TZ|USER|LOGNAME|SHELL|PWD|OLDPWD|SHLVL|PLUMB_DEPTH|GIT_CONFIG_(COUNT|KEY_0|VALUE_0)|PYTHONUNBUFFERED)$/
  t.strictSame(
    names.filter((name) => !allowed.test(name)),
    [],
  )
})

t.test('fault 93: a flood is bounded, counted and ended', async (t) => {
  const spec = wrapper('flood', 'yes') + wrapper('many', 'seq') + wrapper('long', './long.sh') + wrapper('short', 'seq', ', max_output: 12')
  const { call } = makeSource(spec, { 'long.sh': "#!/bin/sh\nhead -c 30000 /dev/zero | tr '\\0' a\n" })
  const before = process.memoryUsage.rss()
  let flood = await call('flood', {}, after(300))
  // A busy machine may not have begun by then.
  if (flood.error?.output === undefined) flood = await call('flood', {}, after(20_000))
  t.match(flood.error, { error: 'cancelled', output: /^(y\n)+\[truncated: \d+ more bytes\]\n(y\n)+y?$/ })
  t.ok(process.memoryUsage.rss() - before < 200 * 1024 * 1024, 'memory stays')
  const many = await call('many', { arguments: ['1', '5000'] })
  const all = Array.from({ length: 5000 }, (_, i) => `${i + 1}\n`).join('')
  const [, head = '', cut, tail = ''] = /^([\s\S]*\n)\[truncated: (\d+) more bytes\]\n([\s\S]*)$/.exec(String(many.value)) ?? []
  const kept = head.length + tail.length
  t.ok(all.startsWith(head) && all.endsWith(`\n${tail}`) && kept > 9990 && kept <= 10_000, `${kept} kept`)
  t.ok(head.length > 4990 && tail.length > 4990, 'as much of its end as of its beginning')
  t.equal(kept + Number(cut), all.length)
  t.equal(many.record.truncated, true)
  t.equal((await call('long', {})).value, `${'a'.repeat(5000)}\n[truncated: 20000 more bytes]\n${'a'.repeat(5000)}`)
  t.equal((await call('short', { arguments: ['8'] })).value, '1\n2\n3\n[truncated: 4 more bytes]\n6\n7\n8\n')
})

t.test('fault 93: what is cut keeps what matters', async (t) => {
  const spec = [
    wrapper('log', './log.sh'),
    wrapper('fails', './fails.sh'),
    wrapper('terse', './fails.sh', ', max_output: 40'),
    wrapper('wide', './wide.sh'),
    wrapper('value', './fails.sh', '', 'int'),
    wrapper('flooded', './flooded.sh'),
  ].join('')
  const { call } = makeSource(spec, {
    'log.sh': "#!/bin/sh\necho header\nhead -c 20000 /dev/zero | tr '\\0' x\n",
    'fails.sh': '#!/bin/sh\nfor i in $(seq 3000); do echo compiling file $i; done\necho FATAL: undefined symbol foo\nexit 1\n',
    'wide.sh': "#!/bin/sh\nhead -c 30000 /dev/zero | tr '\\0' y\necho\necho FATAL: at its end >&2\nexit 1\n",
    'flooded.sh': "#!/bin/sh\nprintf 'äöü%.0s' $(seq 60000)\nprintf 'the end'\n",
  })
  const log = String((await call('log', {})).value)
  t.match(log, /^header\nx+\n\[truncated: \d+ more bytes\]\nx+$/, 'a long last line is cut, not left out')
  t.ok(log.length > 9900, `${log.length} characters`)
  for (const name of ['fails', 'terse', 'wide', 'value']) {
    const { error } = await call(name, {})
    t.match(
      error,
      {
        error: 'child_failed',
        detail: /ended with status 1, and wrote: .*FATAL: [a-z ]+$/,
        output: name === 'terse' ? /foo\n$/ : /FATAL: [a-z ]+\n$/,
      },
      name,
    )
  }
  const { error } = await call('fails', {})
  t.match(error, { detail: /wrote: compiling file 2997\\n/, output: /^compiling file 1\n/ })
  const flooded = String((await call('flooded', {})).value)
  t.notMatch(flooded, '\ufffd', 'no character is cut')
  t.match(flooded, /^[äöü]+\n\[truncated: \d+ more bytes\]\n[äöü]+the end$/)
  const [, count = ''] = /truncated: (\d+)/.exec(flooded) ?? []
  t.equal(Buffer.byteLength(flooded.replace(/\n\[truncated.*\]\n/, '')) + Number(count), 360_007, 'nothing is unaccounted for')
})

t.test('what is kept of an output is the same in chunks of any size', (t) => {
  const whole = `${'äöü'.repeat(60_000)}the end`
  for (const maxBytes of [44, 40_004]) {
    for (const size of [7, 4096, 40_005, 65_536, 300_001]) {
      const stream = new PassThrough()
      const ends = new OutputEnds(maxBytes)
      ends.listen(stream)
      const bytes = Buffer.from(whole)
      for (let at = 0; at < bytes.length; at += size) stream.emit('data', bytes.subarray(at, at + size))
      const { text, droppedBytes } = ends.text
      const name = `${maxBytes} bytes of chunks of ${size}`
      t.equal(Buffer.byteLength(text) + droppedBytes, bytes.length, name)
      t.notMatch(text, '\ufffd', name)
      t.ok(whole.endsWith(ends.end.replace(/^\ufffd+/, '')), `${name}: its end is one piece`)
    }
  }
  t.end()
})

t.test('the end of what a command wrote until its time was up', async (t) => {
  const spec = wrapper('slow', './slow.sh', ', timeout: 60')
  const { tool, session } = makeSource(spec, { 'slow.sh': '#!/bin/sh\necho step 1 done\nexec sleep 300\n' })
  const made = tool('slow')
  if (!made.ok) throw new Error(made.error.detail)
  const late = withTimeout({ timeoutMs: scaled(2000) })({ ...made.value, name: 'slow' })
  const result = await late.run('{}', openCall(session))
  t.match(result, {
    ok: false,
    error: { error: 'timeout', output: 'step 1 done\n', detail: /no result within .*, and had written: step 1 done$/ },
  })
})

t.test('fault 93: all of the group is gone, whatever it does', async (t) => {
  const mark = `300.${process.pid}`
  const slow = '#!/bin/bash\nsleep "$1" &\n(trap "" TERM; sleep "$1" & wait) &\necho begun\nwait\n'
  const { call } = makeSource(wrapper('slow', './slow.sh') + wrapper('stubborn', './stubborn.sh') + wrapper('left', './left.sh'), {
    'slow.sh': slow,
    'stubborn.sh': '#!/bin/bash\ntrap "" TERM\nwhile :; do sleep "$1" & wait; done\n',
    'left.sh': '#!/bin/bash\nsleep "$1" &\necho done\n',
  })
  for (const name of ['slow', 'stubborn']) {
    const { error } = await call(
      name,
      { arguments: [mark] },
      once(() => running(`sleep ${mark}`).length > 0),
    )
    t.equal(error?.error, 'cancelled', name)
    t.ok(await until(() => running(`sleep ${mark}`).length === 0), `${name}: nothing is left`)
  }
  t.equal((await call('left', { arguments: [mark] })).value, 'done\n')
  t.ok(await until(() => running(`sleep ${mark}`).length === 0), 'left: nor what it put into the background')
})

t.test('what a command gives', async (t) => {
  const spec = [
    wrapper('both', './both.sh'),
    wrapper('fail', './fail.sh'),
    wrapper('killed', './killed.sh'),
    wrapper('value', './value.sh', '', '{ a: int }'),
    wrapper('words', 'echo no json', '', 'int'),
    wrapper('nothing', 'true', '', 'unit'),
    wrapper('bytes', './bytes.sh'),
    wrapper('missing', './missing.sh'),
    'let list : [string] -> string = tool { command: "echo -n" }\nlet one : string -> string = tool { command: "echo -n" }\n',
    'let none : unit -> string = tool { command: "echo -n none" }\nlet any : json -> string = tool { command: "echo -n" }\n',
  ].join('')
  const { call } = makeSource(spec, {
    'both.sh': '#!/bin/bash\nfor i in 1 2 3; do echo out $i; echo err $i >&2; done\n',
    'fail.sh': '#!/bin/bash\necho half the work\necho the rest went wrong >&2\nexit 3\n',
    'killed.sh': '#!/bin/bash\nkill -9 $$\n',
    'value.sh': "#!/bin/bash\necho a warning >&2\necho '{'\necho '  \"a\": 12345678901234567890'\necho '}'\n",
    'bytes.sh': "#!/bin/bash\nprintf 'a\\xffb'\n",
  })
  t.equal((await call('both', {})).value, 'out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n', 'in the order in which it was written')
  const failed = {
    error: 'child_failed',
    category: 'internal',
    status: 3,
    output: 'half the work\nthe rest went wrong\n',
    detail: /status 3.*half the work/,
  }
  t.match((await call('fail', {})).error, failed)
  t.match((await call('killed', {})).error, { error: 'child_failed', signal: 'SIGKILL', detail: /ended by SIGKILL/ })
  t.match((await call('value', {})).text, /^\{ +"a": 12345678901234567890 \}$/)
  t.match((await call('words', {})).error, { error: 'output_type_mismatch', detail: /'words' wrote on stdout is to be one JSON value/ })
  t.equal((await call('nothing', {})).text, 'null')
  t.equal((await call('bytes', {})).value, 'a\uFFFDb')
  t.match((await call('missing', {})).error, { error: 'file_not_found', category: 'config', detail: /missing\.sh' does not exist/ })
  const cases: [tool: string, input: unknown, text: string | undefined][] = [
    ['list', ['a', 'b'], 'a b'],
    ['one', '"a b"', 'a b'],
    ['none', null, 'none'],
    ['any', ['x'], 'x'],
    ['any', '"y"', 'y'],
    ['any', { arguments: [1] }, undefined],
    ['any', 5, undefined],
  ]
  for (const [tool, input, text] of cases) t.equal((await call(tool, input)).value, text, `${tool} of ${JSON.stringify(input)}`)
})

t.test('faults 48, 92: a sandbox', { skip: NO_SANDBOX }, async (t) => {
  const keys = (text: string) => `, sandbox: { ${text} }`
  const touch = '#!/bin/bash\ncd "$(dirname "$0")"\nfor d in out . /usr /tmp; do echo x > $d/touched && echo "$d"; done 2>/dev/null\n'
  const spec = [
    wrapper('touch', './touch.sh', keys('write: ["out"]')),
    wrapper('closed', './net.sh', keys('')),
    wrapper('open', './net.sh', keys('net: true')),
    wrapper('small', './eat.sh', keys('memory: "64M"')),
    wrapper('lost', 'true', keys('write: ["nowhere"]')),
    wrapper('daemon', './daemon.sh', keys('')),
  ].join('')
  const { call, directory } = makeSource(spec, {
    'touch.sh': touch,
    'out/keep': '',
    'net.sh': '#!/bin/bash\ntail -n +3 /proc/net/dev | wc -l\n',
    'eat.sh': '#!/bin/bash\nx=$(head -c 200000000 /dev/zero | tr "\\0" a)\necho "$x" | wc -c\n',
    'daemon.sh': '#!/bin/bash\nsetsid sleep "$1" > /dev/null 2>&1 < /dev/null &\necho begun\nsleep "$1"\n',
  })
  t.equal((await call('touch', {})).value, 'out\n/tmp\n', 'only what was named, and a /tmp of its own')
  t.equal(readFileSync(join(directory, 'out/touched'), 'utf8'), 'x\n')
  t.notOk(existsSync('/tmp/touched'))
  t.equal((await call('closed', {})).value, '1\n', 'the loopback alone')
  t.ok(Number((await call('open', {})).value) >= 1)
  t.equal((await call('small', {})).error?.error, 'child_failed')
  t.match((await call('lost', {})).error, { error: 'file_not_found', detail: /'nowhere'/ })
  const mark = `301.${process.pid}`
  t.equal(
    (
      await call(
        'daemon',
        { arguments: [mark] },
        once(() => running(`sleep ${mark}`).length > 1),
      )
    ).error?.error,
    'cancelled',
  )
  t.ok(await until(() => running(`sleep ${mark}`).length === 0), 'nor does one in a session of its own outlive it')
})

t.test('a sandbox that is not there', async (t) => {
  const before = process.env.PATH
  process.env.PATH = makeTestDirectory({})
  const { tool } = makeSource(wrapper('boxed', 'true', ', sandbox: { net: false }'))
  t.match(tool('boxed'), { ok: false, error: { category: 'config', detail: /'boxed' asks for a sandbox.*bubblewrap.*not on PATH/ } })
  process.env.PATH = before
})
