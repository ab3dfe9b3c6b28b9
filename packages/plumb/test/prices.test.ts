// Prices from an address: checked whole before they replace anything, in the form of --prices and in the library's own.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import t from 'tap'
import { SHIPPED } from '../../ledger/src/price/table.js'
import { bash, makeTestDirectory } from '../../wire/test/shell.js'

const BIN = resolve('packages/plumb/bin')

t.test('plumb prices --update URL', async (t) => {
  const library = Object.entries(SHIPPED).map(([id, models]) => ({
    id,
    name: id,
    models: models.map(({ window, ...model }) => ({ id: 'x', ...model, ...(window === undefined ? {} : { context_window: window }) })),
  }))
  const pages: Readonly<Record<string, string>> = {
    '/own.json': '{"house-1":{"input":3,"output":15}}',
    '/library.json': JSON.stringify(library),
    '/less.json': JSON.stringify(library.slice(1)),
    '/cut.json': '{"house-1":',
    '/page.html': '<html></html>',
    '/long.json': `${' '.repeat(17 * 1024 * 1024)}{}`,
  }
  const server = createServer(({ url = '' }, response) => {
    const page = pages[url.split('?', 1)[0] ?? '']
    if (url.startsWith('/moved')) response.writeHead(302, { location: '/own.json' }).end()
    else response.writeHead(page === undefined ? 404 : 200).end(page)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const here = `http://127.0.0.1:${port}`
  const directory = makeTestDirectory()
  const env = { ...process.env, XDG_DATA_HOME: `${directory}/data`, PATH: `${BIN}:${process.env.PATH}` }
  const run = (line: string) => bash(line, { directory, env })

  const shipped = await run('plumb prices | tail -n +2')
  const taken = await run(`plumb prices --update '${here}/library.json?token=hunter2' && plumb prices`)
  t.match(taken, {
    status: 0,
    out: new RegExp(`^\\d+ prices of ${here}/library\\.json are in [^\n]*\nprices: ${here}/library\\.json, taken on \\d{4}-`),
  })
  t.notMatch(taken.out, /hunter2/)
  t.equal(taken.out.split('\n').slice(2).join('\n'), shipped.out, 'the same models at the same prices')

  const before = await run('cat data/plumb/prices.json')
  for (const [page, why] of Object.entries({
    'less.json': /has no prices of/,
    'cut.json': /it is not JSON/,
    'page.html': /it is not JSON/,
    'long.json': /is longer than \d+ bytes/,
    moved: /answered 302/,
    missing: /answered 404/,
  })) {
    const refused = await run(`plumb prices --update ${here}/${page}`)
    t.match(refused, { status: 2, err: why }, page)
    t.match(refused.err, /nothing was changed/, page)
  }
  t.match(await run('plumb prices --update http://gateway.invalid/own.json'), { status: 2, err: /is not an address of https/ })
  t.equal((await run('cat data/plumb/prices.json')).out, before.out)

  t.match(await run(`plumb prices --update ${here}/own.json && plumb prices house`), { status: 0, out: /house-1 +3 +15\n$/ })
})
