// long
// The clients of PyPI, each of another era, against our server: the official SDK initializes, fastmcp speaks 2026-07-28. And servers of both, in
// either era, against our client. They are installed from there, or found in the directory that PLUMB_PYPI names.

import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import t from 'tap'
import { scaled } from '../../wire/test/patience.js'
import { openPlace, SERVER } from './server.js'

const PACKAGES = ['mcp==2.3.0', 'fastmcp==4.1.2']
const INSTALL_MS = 150_000

const SPEC = `@tool true
let double : { n: int } -> { n: int } = map({ n: n * 2 })
`
const CLIENT = `
import asyncio, os, sys
server = sys.argv[1]
async def official():
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    async with stdio_client(StdioServerParameters(command=server, args=['t.plumb'], env=dict(os.environ))) as (read, write):
        async with ClientSession(read, write) as session:
            began = await session.initialize()
            given = await session.call_tool('double', {'n': 21})
            print('mcp', began.protocol_version, given.structured_content)
async def fast():
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport
    async with Client(StdioTransport(command=server, args=['t.plumb'], env=dict(os.environ))) as client:
        given = await client.call_tool('double', {'n': 21})
        print('fastmcp', client.protocol_version, given.structured_content)
        gone = await client.call_tool('double', {'n': 'x'}, raise_on_error=False)
        print('fastmcp', gone.is_error)
asyncio.run(official())
asyncio.run(fast())
`
const serverOf = (module: string, name: string) => `
from ${module} import ${name}
server = ${name}('python')
@server.tool()
def double(n: int) -> list[int]:
    return [n * 2]
server.run('stdio')
`
const SERVERS = { 'official.py': serverOf('mcp.server.mcpserver', 'MCPServer'), 'fast.py': serverOf('fastmcp', 'FastMCP') }
const place = openPlace({ 't.plumb': SPEC, 'client.py': CLIENT, ...SERVERS })
t.teardown(() => place.remove())

const install = (): { readonly directory: string } | { readonly skip: string } => {
  const { PLUMB_PYPI } = process.env
  if (PLUMB_PYPI !== undefined) return { directory: PLUMB_PYPI }
  const directory = join(place.directory, 'packages')
  const pip = spawnSync('python3', ['-m', 'pip', 'install', '--quiet', '--target', directory, ...PACKAGES], { timeout: INSTALL_MS })
  return pip.status === 0 ? { directory } : { skip: 'no Python with pip reaches PyPI' }
}
const installed = install()

t.test('clients of PyPI, on stdio', { skip: 'skip' in installed ? installed.skip : false }, (t) => {
  const env = { ...place.env, PYTHONPATH: 'directory' in installed ? installed.directory : '' }
  const { stdout, stderr } = spawnSync('python3', ['client.py', SERVER], {
    cwd: place.directory,
    env,
    encoding: 'utf8',
    timeout: scaled(60_000),
  })
  t.equal(stdout, "mcp 2025-11-25 {'n': 42}\nfastmcp 2026-07-28 {'n': 42}\nfastmcp True\n", stderr)
  t.end()
})

t.test('servers of PyPI, on stdio', { skip: 'skip' in installed ? installed.skip : false }, (t) => {
  const PYTHONPATH = 'directory' in installed ? installed.directory : ''
  const tool = resolve('packages/plumb-tool/bin/plumb-tool')
  for (const file of Object.keys(SERVERS)) {
    for (const revision of ['2026-07-28', '2025-11-25']) {
      const server = { command: 'python3', args: [file], env: { PYTHONPATH }, sandbox: false, revision }
      const spec = `let s = ${JSON.stringify(server).replaceAll(/"(\w+)":/g, '$1: ')}
let double : { n: int } -> { result: [int] } = tool { mcp: s, name: "double" }`
      const options = { cwd: place.directory, env: place.env, encoding: 'utf8', timeout: scaled(60_000) } as const
      const { stdout, stderr } = spawnSync(tool, ['-e', spec, 'call', 'double', '{"n":21}'], options)
      t.equal(stdout, '{"result":[42]}\n', `${file}, ${revision}: ${stderr}`)
    }
  }
  t.end()
})
