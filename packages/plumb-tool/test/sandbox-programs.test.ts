// long
// Programs and MCP servers of others in the sandbox that they have without a key: what works as it is, which key the error of what does not ends
// with, and that it works with that key. It is the table of plumb-tools(7). Those that come from registries are in PLUMB_OTHERS (scripts/install-others);
// nothing is fetched here but from a registry of one package on loopback.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { join, resolve } from 'node:path'
import { resolveProgram } from '@plumb/wire'
import t from 'tap'
import { probeBubblewrap } from '../../sandbox/src/plan/probe.js'
import { bash, makeTestDirectory, type Ran, TEST_PATH } from '../../wire/test/shell.js'

const box = probeBubblewrap()
const others = process.env.PLUMB_OTHERS ?? ''

const findOnPath = (name: string): string | undefined => {
  const found = resolveProgram(name, '/', process.env.PATH)
  return found.ok ? found.value : undefined
}

const skipWithout = (needs: readonly string[]): string | false => {
  if (!box.ok) return `no sandbox can be had here: ${box.error.detail}`
  const missing = needs.find((need) => (need.includes('/') ? !existsSync(need) : findOnPath(need) === undefined))
  return missing === undefined ? false : `${missing.replace(`${others}/`, '')} is not here (PLUMB_OTHERS: scripts/install-others)`
}

const packages = join(others, 'python/bin')
/** The program of a package of npm. */
const scriptOf = (directory: string, name: string): string => {
  const { bin } = JSON.parse(readFileSync(join(directory, name, 'package.json'), 'utf8')) as { bin: Record<string, string> }
  return join(directory, name, Object.values(bin)[0] as string)
}
const official = resolve('packages/plumb-tool/node_modules/@modelcontextprotocol')
const fetched = join(others, 'node/node_modules')

interface Place {
  readonly directory: string
  readonly registry: string
  readonly port: number
  readonly socket: string
}

interface Row {
  readonly needs: readonly string[]
  /** Files of the docroot. */
  readonly files?: Readonly<Record<string, string>>
  /** Run in the docroot before. */
  readonly lay?: string
  readonly command: (place: Place) => string
  readonly args?: readonly string[]
  /** The value of `sandbox` that it takes; without: none. */
  readonly key?: (place: Place) => string
  /** Of the key, what the end of its error names without it. */
  readonly lacks?: (place: Place) => string
  readonly out: RegExp
}

const INDEX = ({ registry }: Place): string => `${registry}/simple/`

const PROGRAMS: Readonly<Record<string, Row>> = {
  'sh, by a script': { needs: [], files: { 'x.sh': '#!/bin/sh\nls x.sh\n' }, command: () => './x.sh', out: /^x\.sh$/ },
  gcc: {
    needs: ['gcc'],
    files: { 'x.c': 'int main(void) { return 0; }\n' },
    command: () => 'gcc -o x x.c',
    key: () => 'write: ["."]',
    out: /^$/,
  },
  java: { needs: ['java'], command: () => 'java -version', out: /version/ },
  'node of PATH': { needs: [], command: () => 'node -p 6*7', out: /^42$/ },
  'npx, what it has to fetch': {
    needs: ['npx'],
    command: ({ registry }) => `npx --yes --fetch-retries 0 --registry ${registry} plumb-greets`,
    key: () => 'net: true',
    out: /^HELLO$/,
  },
  uvx: {
    needs: [join(packages, 'uvx')],
    command: (place) => `${join(packages, 'uvx')} --default-index ${INDEX(place)} plumb-greets`,
    key: () => 'net: true',
    out: /HELLO$/,
  },
  pipx: {
    needs: [join(packages, 'pipx')],
    command: (place) => `${join(packages, 'pipx')} run --index-url ${INDEX(place)} plumb-greets`,
    key: () => 'net: true',
    out: /HELLO$/,
  },
  'one of ours to which a link leads, with what all of ours share': {
    needs: [],
    lay: `mkdir -p ~/links; ln -s ${resolve('packages/plumb/bin/plumb')} ~/links/plumb; export PATH=~/links:$PATH`,
    command: () => 'plumb explain usage',
    out: /the command line cannot be understood/,
  },
  'node by nvm': {
    needs: [],
    lay: 'mkdir -p ~/.nvm/versions/node/v1/bin; ln -s "$(type -P node)" ~/.nvm/versions/node/v1/bin/node; export PATH=~/.nvm/versions/node/v1/bin:$PATH',
    command: () => 'node -p 6*7',
    out: /^42$/,
  },
  'a script that sources nvm.sh': {
    needs: [],
    lay: "mkdir -p ~/.nvm; echo 'nvm() { echo NVM $1; }' > ~/.nvm/nvm.sh",
    files: { 'x.sh': '#!/bin/sh\n. ~/.nvm/nvm.sh\nnvm use\n' },
    command: () => './x.sh',
    key: () => 'read: ["~/.nvm"]',
    lacks: () => 'read: ["~/.nvm',
    out: /^NVM use$/,
  },
  'python by a shim of pyenv': {
    needs: ['pyenv', 'python3'],
    command: () => 'python3 -c print(6*7)',
    out: /^42$/,
  },
  'python of a venv': {
    needs: [join(packages, 'python')],
    command: () => `${join(packages, 'python')} -c print(__import__('mcp').__name__)`,
    out: /^mcp$/,
  },
  'git log': {
    needs: ['git'],
    lay: 'git init -q .; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one',
    command: () => 'git log --format=%s',
    out: /^one$/,
  },
  'git clone, to /tmp': {
    needs: ['git'],
    lay: 'git init -q .; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one',
    files: { 'x.sh': '#!/bin/sh\ngit clone -q . /tmp/x && git -C /tmp/x log --format=%s\n' },
    command: () => './x.sh',
    out: /^one$/,
  },
  'git commit': {
    needs: ['git'],
    lay: 'git init -q .',
    command: () => 'git -c user.name=a -c user.email=a@b commit --allow-empty -m one',
    key: () => 'write: [".git"]',
    out: /one/,
  },
  'git, below its repository': {
    needs: ['git'],
    lay: 'git init -q .; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one; mkdir sub; cp s.plumb sub; cd sub',
    command: () => 'git log --format=%s',
    key: () => 'read: [".."]',
    lacks: ({ directory }) => `read: ["${directory}"]`,
    out: /^one$/,
  },
  'cargo build': {
    needs: ['cargo'],
    files: { 'Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n', 'src/main.rs': 'fn main() {}\n' },
    lay: `export HOME=${process.env.HOME}`,
    command: () => 'cargo build --offline',
    key: () => 'read: ["~/.rustup", "~/.cargo"], write: ["."]',
    lacks: () => 'read: ["~/.rustup',
    out: /Finished/,
  },
  'ssh, to a host': {
    needs: ['ssh'],
    command: ({ port }) => `ssh -p ${port} -o StrictHostKeyChecking=accept-new -o BatchMode=yes someone@127.0.0.1 true`,
    key: () => 'net: true',
    // The service says nothing.
    out: /kex_exchange_identification/,
  },
  'docker, to its service': {
    needs: ['docker'],
    command: ({ socket }) => `docker -H unix://${socket} version --format {{.Server.Version}}`,
    key: ({ socket }) => `sockets: ["${socket}"]`,
    out: /^99\.1$/,
  },
  'ssh-agent, which makes a socket': {
    needs: ['ssh-agent'],
    command: () => 'ssh-agent echo MADE',
    key: () => 'sockets: ["."]',
    out: /MADE/,
  },
  'tmux, which makes a socket': {
    needs: ['tmux'],
    command: () => 'tmux -L plumb new-session -d true',
    key: () => 'sockets: ["."]',
    out: /^$/,
  },
  psql: { needs: ['psql'], command: () => 'psql --version', out: /psql/ },
  'psql, to its service': {
    needs: ['psql'],
    command: ({ socket }) => `psql -h ${join(socket, '..')} -p 5 -c x`,
    key: ({ socket }) => `sockets: ["${join(socket, '../.s.PGSQL.5')}"]`,
    out: /refused by the test/,
  },
  'sqlite3, a database in the docroot': {
    needs: ['sqlite3'],
    lay: 'mkdir data',
    command: () => 'sqlite3 data/x.db',
    args: ['create table t(a); insert into t values (42); select a from t'],
    key: () => 'write: ["data"]',
    out: /^42$/,
  },
  chromium: {
    needs: ['chromium'],
    files: { 'x.html': '<p id=x></p><script>x.textContent = 6 * 7</script>\n' },
    command: ({ directory }) => `env HOME=/tmp chromium --headless --no-sandbox --disable-gpu --dump-dom file://${directory}/x.html`,
    key: () => 'sockets: ["."]',
    out: />42</,
  },
}

// A registry of one package, for npm and for Python, and services that refuse all clients with words of their own.
const WHEEL = `import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as z:
    z.writestr('plumb_greets.py', 'def main():\\n    print("HELLO")\\n')
    at = 'plumb_greets-1.0.0.dist-info/'
    z.writestr(at + 'METADATA', 'Metadata-Version: 2.1\\nName: plumb-greets\\nVersion: 1.0.0\\n')
    z.writestr(at + 'WHEEL', 'Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    z.writestr(at + 'entry_points.txt', '[console_scripts]\\nplumb-greets = plumb_greets:main\\n')
    z.writestr(at + 'RECORD', ''.join(n + ',,\\n' for n in ['plumb_greets.py', at + 'METADATA', at + 'WHEEL', at + 'entry_points.txt', at + 'RECORD']))
`

const serve = (directory: string): Server => {
  const wheel = 'plumb_greets-1.0.0-py3-none-any.whl'
  const files = {
    'package/package.json': '{"name":"plumb-greets","version":"1.0.0","bin":"x.js"}',
    'package/x.js': "#!/usr/bin/env node\nconsole.log('HELLO')\n",
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, name, '..'), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
  spawnSync('tar', ['-czf', 'x.tgz', 'package'], { cwd: directory })
  spawnSync('python3', ['-c', WHEEL, wheel], { cwd: directory })
  return createServer(({ url = '', headers }, response) => {
    const base = `http://${headers.host}`
    const send = (type: string, body: string | Buffer): void => void response.writeHead(200, { 'content-type': type }).end(body)
    if (url.endsWith('.tgz')) send('application/octet-stream', readFileSync(join(directory, 'x.tgz')))
    else if (url.endsWith('.whl')) send('application/octet-stream', readFileSync(join(directory, wheel)))
    else if (url.startsWith('/simple/plumb-greets')) send('text/html', `<a href="${base}/${wheel}">${wheel}</a>`)
    else if (url === '/plumb-greets') {
      const dist = { tarball: `${base}/x.tgz` }
      const version = { name: 'plumb-greets', version: '1.0.0', bin: { 'plumb-greets': 'x.js' }, dist }
      send('application/json', JSON.stringify({ name: 'plumb-greets', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }))
    } else if (url === '/page') send('text/html', '<html><title>PAGE</title><body><p>On the page.</p></body></html>')
    else if (url.endsWith('/version')) send('application/json', '{"Version":"99.1","ApiVersion":"1.41"}')
    else response.writeHead(url.endsWith('/_ping') ? 200 : 404, { 'api-version': '1.41' }).end()
  })
}

const listen = (server: { listen(at: object, done: () => void): unknown }, at: object): Promise<void> =>
  new Promise((done) => void server.listen(at, done))

/** Calls `work` with what programs are to reach. */
const withServices = async (work: (services: Pick<Place, 'registry' | 'port' | 'socket'>) => Promise<void>): Promise<void> => {
  const directory = makeTestDirectory()
  const [http, unix] = [serve(directory), serve(makeTestDirectory())]
  // Of SSH and of PostgreSQL.
  const ssh = createSocketServer((socket) => void socket.on('error', () => {}).end())
  const database = createSocketServer((socket) => void socket.on('error', () => {}).on('data', () => socket.end('Erefused by the test\0')))
  const socket = join(directory, 'service.sock')
  await listen(http, { port: 0, host: '127.0.0.1' })
  await listen(unix, { path: socket })
  await listen(ssh, { port: 0, host: '127.0.0.1' })
  await listen(database, { path: join(directory, '.s.PGSQL.5') })
  const port = (server: { address(): unknown }): number => (server.address() as AddressInfo).port
  try {
    await work({ registry: `http://127.0.0.1:${port(http)}`, port: port(ssh), socket })
  } finally {
    for (const server of [http, unix, ssh, database]) server.close()
    http.closeAllConnections()
    unix.closeAllConnections()
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const bashIn = (directory: string, script: string): Promise<Ran> =>
  bash(script, {
    directory,
    env: { PATH: TEST_PATH, HOME: join(directory, '../home'), LANG: 'C.UTF-8', XDG_CACHE_HOME: join(directory, '../cache') },
  })

t.test('programs', (t) =>
  withServices(async (services) => {
    for (const [name, row] of Object.entries(PROGRAMS)) {
      await t.test(name, { skip: skipWithout(row.needs) }, async (t) => {
        const callWith = async (key: (place: Place) => string | undefined) => {
          const above = makeTestDirectory({ 'home/x': '' })
          const place = { directory: join(above, 'work'), ...services }
          const keys = key(place)
          const command = JSON.stringify(row.command(place))
          const spec = `let x : { arguments?: [string] } -> string = tool { command: ${command}${keys === undefined ? '' : `, sandbox: { ${keys} }`} }\n`
          for (const [file, text] of Object.entries({ ...row.files, 's.plumb': spec })) {
            mkdirSync(join(place.directory, file, '..'), { recursive: true })
            writeFileSync(join(place.directory, file), text, { mode: 0o755 })
          }
          const { lay = '', args = [] } = row
          return {
            place,
            ...(await bashIn(place.directory, `${lay}\nplumb-tool -r s.plumb call x ${quoted(JSON.stringify({ arguments: args }))}`)),
          }
        }
        const plain = await callWith(() => undefined)
        if (!row.key) {
          t.match(plain.out.trim(), row.out, `${plain.out}${plain.err}`)
          return
        }
        const { detail = '' } = plain.err === '' ? {} : (JSON.parse(plain.err.split('\n')[0] ?? '') as { detail?: string })
        const named = (row.lacks ?? row.key)(plain.place)
        t.ok(detail.includes(named), `without ${named}: ${detail.slice(-300)}`)
        const keyed = await callWith(row.key)
        t.match(`${keyed.out}${keyed.err}`.trim(), row.out, `with it: ${keyed.out}${keyed.err}`)
      })
    }
  }),
)

interface ServerRow {
  readonly needs: readonly string[]
  readonly lay?: string
  /** The command line. */
  readonly command: (place: Place) => readonly string[]
  readonly env?: string
  readonly key?: string
  /** How many tools it has at least. */
  readonly tools: number
  readonly call: readonly [name: string, input: (place: Place) => object]
  readonly out: RegExp
}

const byNode =
  (directory: string, name: string, ...args: string[]) =>
  (): readonly string[] => ['node', scriptOf(directory, name), ...args]

const REPOSITORY = 'git init -q .; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one'

const SERVERS: Readonly<Record<string, ServerRow>> = {
  everything: {
    needs: [],
    command: byNode(official, 'server-everything'),
    tools: 10,
    call: ['echo', () => ({ message: 'hi' })],
    out: /Echo: hi/,
  },
  filesystem: {
    needs: [],
    command: byNode(official, 'server-filesystem', '.'),
    tools: 10,
    call: ['list_directory', () => ({ path: '.' })],
    out: /s\.plumb/,
  },
  memory: {
    needs: [],
    lay: 'mkdir data',
    command: byNode(official, 'server-memory'),
    env: 'MEMORY_FILE_PATH: "/proc/self/cwd/data/memory.jsonl"',
    key: 'write: ["data"]',
    tools: 9,
    call: ['create_entities', () => ({ entities: [{ name: 'a', entityType: 'b', observations: ['c'] }] })],
    out: /"name.{1,4}:.{1,4}a"/,
  },
  'sequential-thinking': {
    needs: [join(fetched, '@modelcontextprotocol/server-sequential-thinking')],
    command: byNode(fetched, '@modelcontextprotocol/server-sequential-thinking'),
    tools: 1,
    call: ['sequentialthinking', () => ({ thought: 'a', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 })],
    out: /thoughtNumber/,
  },
  git: {
    needs: [join(packages, 'mcp-server-git')],
    lay: REPOSITORY,
    command: () => [join(packages, 'mcp-server-git')],
    tools: 10,
    call: ['git_log', ({ directory }) => ({ repo_path: directory })],
    out: /one/,
  },
  time: {
    needs: [join(packages, 'mcp-server-time')],
    command: () => [join(packages, 'mcp-server-time')],
    tools: 2,
    call: ['get_current_time', () => ({ timezone: 'Europe/Oslo' })],
    out: /Europe\/Oslo/,
  },
  fetch: {
    needs: [join(packages, 'mcp-server-fetch')],
    command: () => [join(packages, 'mcp-server-fetch'), '--ignore-robots-txt', '--allow-private-ips'],
    tools: 1,
    call: ['fetch', ({ registry }) => ({ url: `${registry}/page` })],
    out: /On the page/,
  },
  sqlite: {
    needs: [join(others, 'sqlite/bin/mcp-server-sqlite')],
    lay: 'mkdir data',
    command: () => [join(others, 'sqlite/bin/mcp-server-sqlite'), '--db-path', 'data/x.db'],
    key: 'write: ["data"]',
    tools: 6,
    call: ['create_table', () => ({ query: 'create table t(a)' })],
    out: /created/,
  },
  playwright: {
    needs: [join(fetched, '@playwright/mcp'), 'chromium'],
    command: () => [
      ...byNode(fetched, '@playwright/mcp')(),
      ...['--headless', '--isolated', '--no-sandbox', '--output-dir', '/tmp', '--executable-path', findOnPath('chromium') ?? ''],
    ],
    env: 'HOME: "/tmp"',
    key: 'sockets: ["."]',
    tools: 15,
    call: ['browser_navigate', ({ registry }) => ({ url: `${registry}/page` })],
    out: /PAGE/,
  },
}

t.test('servers of MCP', (t) =>
  withServices(async (services) => {
    for (const [name, row] of Object.entries(SERVERS)) {
      await t.test(name, { skip: skipWithout(row.needs) }, async (t) => {
        const place = { directory: join(makeTestDirectory({ 'home/x': '' }), 'work'), ...services }
        const [command, ...args] = row.command(place)
        const env = row.env === undefined ? '' : `, env: { ${row.env} }`
        const server = (keys: string): string => `{ command: ${JSON.stringify(command)}, args: ${JSON.stringify(args)}${env}${keys} }`
        const spec = (keys: string): string => `let s = ${server(keys)}
let x : json -> json = tool { mcp: s, name: "${row.call[0]}" }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor", mcp: [s] }\n`
        mkdirSync(place.directory)
        const call = `plumb-tool s.plumb call x ${quoted(JSON.stringify(row.call[1](place)))}`
        const attempt = (keys: string, script: string): Promise<Ran> => {
          writeFileSync(join(place.directory, 's.plumb'), spec(keys))
          return bashIn(place.directory, script)
        }
        await bashIn(place.directory, row.lay ?? '')
        if (row.key !== undefined) {
          const { out, err } = await attempt('', call)
          t.ok(
            `${out}${err}`.replaceAll('\\\\"', '"').replaceAll('\\"', '"').includes(row.key),
            `without ${row.key}: ${out}${err}`.slice(-600),
          )
        }
        const keys = row.key === undefined ? '' : `, sandbox: { ${row.key} }`
        const listed = await attempt(keys, `plumb-tool --agent bot s.plumb serve --offers < /dev/null`)
        const offers = JSON.parse(listed.out.split('\n')[0] || '[]') as unknown[]
        t.ok(offers.length >= row.tools, `${offers.length} tools: ${listed.err}`)
        const { out, err } = await attempt(keys, call)
        t.match(out, row.out, `${out}${err}`)
      })
    }
  }),
)
