// long
// The official client of PyPI against the endpoints of OpenAI's API. It is installed from there, or found in the directory that PLUMB_PYPI names.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { scaled } from '../packages/wire/test/patience.js'
import { serve } from './serving.js'

const PACKAGES = ['openai==3.57.0']
const TOKEN = 'token-0123456789abcdef'
const SPEC = `@serve let shout : !string -> !string = map(upper(value))
@serve let bot : !string -> !string = agent { provider: "eliza", model: "doctor" }
`
const CLIENT = `
import asyncio, sys
from openai import OpenAI, AsyncOpenAI, NotFoundError, AuthenticationError
at = dict(base_url=sys.argv[1] + '/v1', max_retries=0)
client = OpenAI(api_key='${TOKEN}', **at)
said = lambda text: [{'role': 'user', 'content': text}]
print(*[model.id for model in client.models.list()])
print(client.chat.completions.create(model='bot', messages=said('Men are all alike.')).choices[0].message.content)
chunks = client.chat.completions.create(model='shout', stream=True, messages=said('one'))
print(''.join(chunk.choices[0].delta.content or '' for chunk in chunks if chunk.choices))
with client.responses.stream(model='shout', input='two') as stream:
    for event in stream: pass
    print(stream.get_final_response().output_text)
try: client.chat.completions.create(model='none', messages=said('a'))
except NotFoundError as error: print(error.code)
try: OpenAI(api_key='x', **at).models.list()
except AuthenticationError as error: print(error.code)
async def many():
    other = AsyncOpenAI(api_key='${TOKEN}', **at)
    print(*[one.output_text for one in await asyncio.gather(*[other.responses.create(model='shout', input=c) for c in 'abc'])])
asyncio.run(many())
`

const directory = mkdtempSync(join(tmpdir(), 'plumb-pypi-'))
t.teardown(() => rmSync(directory, { recursive: true, force: true }))
const at = process.env.PLUMB_PYPI ?? directory
const pip = ['-m', 'pip', 'install', '--quiet', '--target', at, ...PACKAGES]
const isThere = process.env.PLUMB_PYPI !== undefined || spawnSync('python3', pip, { timeout: 150_000 }).status === 0

t.test('the client of PyPI', { skip: isThere ? false : 'no Python with pip reaches PyPI' }, async (t) => {
  const server = await serve({ 'a.plumb': SPEC }, { args: ['--token-env', 'TOKEN'], env: { TOKEN } })
  t.teardown(() => server.stop())
  const { stdout, stderr } = spawnSync('python3', ['-c', CLIENT, server.url], {
    env: { PATH: process.env.PATH ?? '', PYTHONPATH: at, HOME: directory },
    encoding: 'utf8',
    timeout: scaled(60_000),
  })
  t.equal(stdout, 'shout bot\nIN WHAT WAY\nONE\nTWO\nmodel_not_found\ninvalid_api_key\nA B C\n', stderr)
})
