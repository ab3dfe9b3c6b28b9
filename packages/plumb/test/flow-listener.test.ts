// long
// Secrets and real programs, with a listener on this machine: where the check lets one pass it stays silent, and where the check refuses one
// it hears the same program tell what no label guards.

import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { probeBubblewrap } from '@plumb/sandbox'
import t from 'tap'
import { scaled } from '../../wire/test/patience.js'

const PLUMB = resolve('packages/plumb/bin/plumb')
const SECRET = 'CONTRACT-42'

/** Says what it is given to the listener, and then that it has. */
const TELL = (port: number) => `const { get } = require('node:http')
exports.tell = (text) => new Promise((done) => get('http://127.0.0.1:${port}/' + encodeURIComponent(text), (r) => r.resume().on('end', () => done('told'))).on('error', () => done('failed')))
`

const PROGRAMS = {
  command: (sandbox: string) =>
    `let tell : { arguments?: [string] } -> string = tool { command: "node ./command.cjs"${sandbox} }
let told : !json -> !string = map({ arguments: [text(value)] }) ; map(tell)`,
  function: (sandbox: string) =>
    `let tell : string -> string = tool { function: "./tell.cjs#tell"${sandbox} }
let told : !json -> !string = map(text(value)) ; map(tell)`,
  agent: (sandbox: string) =>
    `let agent1 : !string -> !string = agent { command: ["node", "agent.cjs"]${sandbox} }
let told : !json -> !string = map(text(value)) ; agent1`,
}

const SANDBOXES = ['', ', sandbox: { net: false }', ', sandbox: { net: true }', ', sandbox: false']

const specOf = (program: string, isSecret: boolean): string => `let vault : { path: string } -> ${isSecret ? 'secret ' : ''}json = tool {
  builtin: "read_file", roots: { v: { path: "vault"${isSecret ? ', secret: true' : ''} } }
}
${program}
let main : !{ path: string } -> !bool = map(vault) ; told ; map(true)${isSecret ? ' ; declassify("a constant")' : ''}
`

const box = probeBubblewrap()

t.test('a listener hears no secret', { skip: box.ok ? false : box.error.detail }, async (t) => {
  const heard: string[] = []
  const server = createServer((request, response) => {
    heard.push(decodeURIComponent(request.url ?? ''))
    response.end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const directory = mkdtempSync(join(tmpdir(), 'plumb-listener-'))
  t.teardown(() => {
    server.close()
    rmSync(directory, { recursive: true, force: true })
  })
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text)
  mkdirSync(join(directory, 'vault'))
  write('vault/a', SECRET)
  write('tell.cjs', TELL((server.address() as AddressInfo).port))
  write('command.cjs', `require('./tell.cjs').tell(process.argv[2]).then(console.log)`)
  write(
    'agent.cjs',
    `const lines = require('node:readline').createInterface({ input: process.stdin })
lines.on('line', (line) => require('./tell.cjs').tell(line).then((said) => console.log(JSON.stringify(said))))`,
  )
  const run = async (spec: string): Promise<string> => {
    write('spec.plumb', spec)
    heard.length = 0
    const running = promisify(execFile)(PLUMB, ['--grant', 'fs.read,exec', '--docroot', '.', 'spec.plumb'], {
      cwd: directory,
      timeout: scaled(30_000),
    })
    running.child.stdin?.end('{"path":"a"}\n')
    const { stdout } = await running
    return stdout.trim()
  }
  const isRefused = (spec: string): boolean => {
    write('checked.plumb', spec)
    return spawnSync(PLUMB, ['check', 'checked.plumb'], { cwd: directory }).status !== 0
  }
  let silent = 0
  for (const [kind, program] of Object.entries(PROGRAMS)) {
    for (const sandbox of SANDBOXES) {
      const name = `${kind}${sandbox}`
      if (isRefused(specOf(program(sandbox), true))) {
        t.equal(await run(specOf(program(sandbox), false)), 'true', name)
        t.match(heard.join(), SECRET, `${name} is refused, and would have told`)
      } else {
        t.equal(await run(specOf(program(sandbox), true)), 'true', name)
        t.strictSame(heard, [], `${name} passes, and tells nothing`)
        silent++
      }
    }
  }
  t.ok(silent >= 5, 'some pass')
})
