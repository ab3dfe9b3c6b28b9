// A model on loopback whose keys are each good for some requests, and the command that gives another one each time; for tests.

import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import type { Test } from 'tap'

// Tests run in the root.
const stub: { textAnswer(text: string): string } = createRequire(resolve('package.json'))('./scripts/stub-model.cjs')

/** What each key begins with. */
export const KEY = 'key-canary-'

/** Beside it are a line for each call in `calls`, the process that asks, and `overlaps` where one asks twice at once. */
export const GET_KEY = `#!/bin/sh
cd "$(dirname "$0")" || exit 1
mkdir "asking.$PPID" 2>/dev/null || echo "$PPID" >> overlaps
echo "$PPID" >> calls
echo "${KEY}$$"
echo "what is told beside it"
echo "${KEY}$$ is given" >&2
rmdir "asking.$PPID"
`

export interface KeyedModel {
  readonly url: string
  /** In the order of the requests: 401 or 200, and whether the key was refused before. */
  readonly asked: { readonly key: string; readonly isRefused: boolean; readonly isOld: boolean }[]
}

/** Its refusals name the key, as some servers do. */
export const openKeyedModel = async (t: Test, isGood: (key: string, uses: number) => boolean): Promise<KeyedModel> => {
  const uses = new Map<string, number>()
  const refused = new Set<string>()
  const asked: KeyedModel['asked'] = []
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const key = String(request.headers['x-api-key'] ?? '')
      const used = uses.get(key) ?? 0
      const isRefused = !key.startsWith(KEY) || !isGood(key, used)
      asked.push({ key, isRefused, isOld: refused.has(key) })
      if (!isRefused) {
        uses.set(key, used + 1)
        return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stub.textAnswer('ok'))
      }
      refused.add(key)
      const error = { type: 'authentication_error', message: `invalid x-api-key ${key}` }
      response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ type: 'error', error }))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}
