// Lowered processes: one line into a child of theirs, exactly one line out, and what is said when it is otherwise. Faults 54, 63, 92, 93.

import t from 'tap'
import { NO_SANDBOX } from '../../wire/test/sandbox-here.js'
import { makeSource, makeTestDirectory, once, running, until } from './source-directory.js'

process.env.PLUMB_CANARY_KEY = process.env.MY_CANARY_TOKEN = 'sk-CANARY-1234'
process.env.ANTHROPIC_API_KEY = 'sk-CANARY-5678'

const SCRIPTS: Readonly<Record<string, string>> = {
  parrot: 'cat',
  silent: 'cat > /dev/null',
  failing: 'cat > /dev/null; echo a reason >&2; exit 3',
  killed: 'kill -9 $$',
  reported: `cat > /dev/null; echo '{"error":"rate_limited","category":"unavailable","detail":"slow down","retry_after":2,"seq":1,"line":1}' >&2; exit 1`,
  warned: `cat > /dev/null; echo '{"warning":"timeout","category":"unavailable","detail":"left out"}' >&2; echo '{"error":"rate_limited","category":"unavailable","detail":"slow down"}' >&2; exit 1`,
  unknown: `cat > /dev/null; echo '{"error":"no_such_code","category":"internal","detail":"x"}' >&2; exit 1`,
  twice: 'read -r x; echo "$x"; echo "$x"; sleep 30',
  flood: 'yes 1',
  words: 'echo no json',
  late: 'cat; exit 4',
  half: "printf '[1,'",
  endless: 'sleep "$(cat)" & sleep 302.$PPID & wait',
  usage: `cat; echo '{"kind":"usage","input_tokens":3,"output_tokens":4}' >&3; echo '{"kind":"text","delta":"usage"}' >&3; echo junk >&3; echo '{"kind":"usage","input_tokens":10,"output_tokens":-1}' >&3`,
  environment: `env | sort >&2; for n in 3 4 5 6 7 8 9; do if true 2>/dev/null >&$n; then echo "open $n" >&2; fi; done; exit 1`,
}

const spec = Object.keys(SCRIPTS)
  .map(
    (name) =>
      `let ${name}_agent : !json -> !json = agent { command: ["./${name}.sh"] }\nlet ${name} : json -> json = tool { process: ${name}_agent }\n`,
  )
  .join('')
const files = Object.fromEntries(Object.entries(SCRIPTS).map(([name, text]) => [`${name}.sh`, `#!/bin/bash\n${text}\n`]))

t.test('fault 54: a program as an agent', async (t) => {
  const { call } = makeSource(spec, files)
  const cases: [tool: string, error: object | undefined][] = [
    ['parrot', undefined],
    ['silent', { error: 'tool_crashed', detail: "process 'silent_agent' ended without an answer" }],
    ['failing', { error: 'tool_crashed', status: 3, detail: /ended with status 3, and said: a reason/ }],
    ['killed', { error: 'tool_crashed', signal: 'SIGKILL', detail: /was ended by SIGKILL/ }],
    [
      'reported',
      {
        error: 'rate_limited',
        category: 'unavailable',
        detail: 'slow down',
        retry_after: 2,
        source: 'reported_agent',
        seq: undefined,
        line: undefined,
      },
    ],
    ['warned', { error: 'rate_limited', detail: 'slow down' }],
    ['unknown', { error: 'tool_crashed', detail: /no_such_code/ }],
    ['twice', { error: 'output_type_mismatch', detail: /more than one output/ }],
    ['flood', { error: 'output_type_mismatch' }],
    ['words', { error: 'invalid_json', detail: /what process 'words_agent' gave cannot be read/ }],
    ['late', { error: 'child_failed', status: 4 }],
    ['half', { error: 'truncated_line' }],
  ]
  for (const [tool, error] of cases) {
    const answer = await call(tool, '{"n":12345678901234567890}')
    t.match(answer, error ? { error } : { text: '{"n":12345678901234567890}', error: undefined }, tool)
  }
  t.equal((await call('usage', '1')).record.tokens, 17, 'what it says of tokens is added up')
})

t.test('fault 93: one that does not end is ended, with all that it started', async (t) => {
  const { call } = makeSource(spec, files)
  const mark = `303.${process.pid}`
  t.match(
    (
      await call(
        'endless',
        mark,
        once(() => running(`sleep ${mark}`).length > 0),
      )
    ).error,
    { error: 'cancelled' },
  )
  t.ok(await until(() => running(`sleep ${mark}`).length === 0 && running(`sleep 302.`).length === 0))
})

t.test('fault 92: what a program finds around it', async (t) => {
  const { call } = makeSource(spec, files)
  const { error } = await call('environment', '1')
  const said = JSON.stringify(error)
  t.match(said, /open 3/)
  t.notMatch(said, /CANARY|open [4-9]/)
})

t.test('agents and plumbs of ours', async (t) => {
  const { call, tool } = makeSource(
    `
    type Said = { said: string }
    let doctor_agent : !string -> !string = agent { provider: "eliza", model: "doctor" }
    let doctor : string -> string = tool { process: doctor_agent }
    let listener : !string -> !Said = plumb(input, output) { input ; doctor_agent ; map({ said: value }) ; output }
    let listen : string -> Said = tool { process: listener }
    let inc : !int -> !int = map(value + 1)
    let three : !int -> !int = inc ; inc ; inc
    let up : int -> int = tool { process: three }
    let both : !int -> !int = (inc * inc) ; id
    let two : int -> int = tool { process: both }
    let some : !int -> !int = plumb(input, output) { input ; filter(value > 5) ; output }
    let large : int -> int = tool { process: some }
    let pairs : !int -> (!int, !int) = copy
    let pair : int -> (int, int) = tool { process: pairs }
    let same : int -> int = tool { process: id }
    let gone : json -> unit = tool { process: discard }
    let inside : !int -> !int = plumb(input, output) { let c : !int = channel
      input ; inc ; c
      c ; three ; output }
    let four : int -> int = tool { process: inside }
    let lost_agent : !string -> !string = agent { provider: "anthropic", model: "m", endpoint: "http://127.0.0.1:1", transport_retries: 0 }
    let lost : string -> string = tool { process: lost_agent }
    let keyless_agent : !string -> !string = agent { provider: "openai", model: "m" }
    let keyless : string -> string = tool { process: keyless_agent }
  `,
  )
  const sad = 'Men are all alike.'
  const doctor = await call('doctor', JSON.stringify(sad))
  t.equal(doctor.value, 'IN WHAT WAY')
  t.ok((doctor.record.tokens ?? 0) > 0, 'its tokens are counted')
  t.strictSame((await call('listen', JSON.stringify(sad))).value, { said: 'IN WHAT WAY' })
  const cases: [tool: string, input: string, text: string | undefined][] = [
    ['up', '1', '4'],
    ['four', '1', '5'],
    ['pair', '7', '[7,7]'],
    ['same', '1.0', '1.0'],
    ['gone', '{}', 'null'],
    ['large', '6', '6'],
    ['large', '5', undefined],
    ['two', '1', undefined],
  ]
  for (const [name, input, text] of cases) t.equal((await call(name, input)).text, text, `${name} of ${input}`)
  t.match((await call('large', '5')).error, { error: 'tool_crashed', detail: /'some' ended without an answer/ })
  t.match((await call('two', '1')).error, { error: 'output_type_mismatch', detail: /more than one output/ })
  t.match((await call('keyless', '"x"')).error, { error: 'missing_key', category: 'config', source: 'keyless_agent' })
  t.ok(tool('lost').ok)
  let turns = 0
  setImmediate(() => turns++)
  await call('up', '1')
  t.equal(turns, 0, 'what is nothing but morphisms needs no process')
})

t.test('63: a tool that runs its own agent comes to an end', async (t) => {
  const { call } = makeSource(`
    let again : string -> string = tool { process: circle, timeout: 60 }
    let circle : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [again] }
  `)
  process.env.PLUMB_DEPTH = '8'
  t.match((await call('again', '"x"')).error, { error: 'depth_limit', category: 'internal' })
  process.env.PLUMB_DEPTH = '6'
  const nested = JSON.stringify(`call again ${JSON.stringify({ input: `call again ${JSON.stringify({ input: 'hello' })}` })}`)
  t.match(JSON.stringify(await call('again', nested)), /depth_limit|nested 8 processes deep/)
  delete process.env.PLUMB_DEPTH
})

t.test('a program in place of plumb-agent', async (t) => {
  const bin = makeTestDirectory({ 'my-agent': '#!/bin/sh\nsed "s/.*/\\"mine\\"/"\n' })
  const { call } = makeSource(
    `let a : !string -> !string = agent { provider: "eliza", model: "doctor" }\nlet ask : string -> string = tool { process: a }\n`,
    {},
    { agentProgram: `${bin}/my-agent` },
  )
  t.equal((await call('ask', '"x"')).value, 'mine')
})

t.test('agents in a sandbox', { skip: NO_SANDBOX }, async (t) => {
  const { call } = makeSource(
    `
    let doctor : !string -> !string = agent { provider: "eliza", model: "doctor" }
    let boxed : string -> string = tool { process: doctor, sandbox: {} }
    let writer : !json -> !json = agent { command: ["./writer.sh"] }
    let kept : json -> json = tool { process: writer, sandbox: { net: true } }
    let whole : !string -> !int = doctor ; map(length(value))
    let plumbed : string -> int = tool { process: whole, sandbox: { memory: "1G" } }
  `,
    { 'writer.sh': '#!/bin/bash\ncd "$(dirname "$0")"\nread -r x\necho y 2>/dev/null > file && echo 1 || echo 0\n' },
  )
  const alike = JSON.stringify('Men are all alike.')
  t.equal((await call('boxed', alike)).value, 'IN WHAT WAY')
  t.equal((await call('kept', '1')).value, 0, 'nothing may be written')
  t.equal((await call('plumbed', alike)).value, 11)
})
