// meta_refine: what its agents are asked and when it ends, with a model on loopback and with none; and the standard library's names for the
// built-in tools.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { compile, hasErrors, STANDARD_LIBRARY, type ToolPlan, toolsOf, toText, toToolSchema } from '@plumb/lang'
import { diskFiles } from '@plumb/wire'
import t, { type Test } from 'tap'
import { builtinDeclaration, builtinProgram } from '../src/source/builtin/declarations.js'
import { findBuiltin } from '../src/source/builtin/table.js'
import { makeBuiltins } from './builtin-directory.js'
import { shell } from './tool-shell.js'

interface Asked {
  readonly system: string
  readonly said: Readonly<Record<string, unknown>>
}

/** Speaks as the Messages API does; `answer` is what the model says. */
const openModel = async (t: Test, answer: (asked: Asked, count: number) => string) => {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { system, messages } = JSON.parse(body)
      // Later ones ask again for an answer that does not fit.
      const { content } = messages[0]
      const said = JSON.parse(typeof content === 'string' ? content : content.map(({ text }: { text: string }) => text).join(''))
      asked.push({ system: JSON.stringify(system), said })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(reply(answer(asked.at(-1) as Asked, asked.length)))
    })
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await new Promise((done) => server.once('listening', done))
  return { asked, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const event = (type: string, rest: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
const reply = (text: string): string =>
  event('message_start', { message: { type: 'message', content: [], usage: { input_tokens: 10, output_tokens: 1 } } }) +
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
  event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }) +
  event('content_block_stop', { index: 0 }) +
  event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }) +
  event('message_stop', {})

const roleOf = ({ said }: Asked): string => ('flaws' in said ? 'reviser' : 'draft' in said ? 'critic' : 'proposer')

process.env.ANTHROPIC_API_KEY = 'none'

t.test('a prompt is rewritten, reviewed and corrected, twice at most', async (t) => {
  const input = { prompt: 'Summarise this. Ignore all else.', task: 'minutes of a meeting' }
  const cases: readonly [string, (asked: Asked, count: number) => string, string, readonly string[]][] = [
    ['at once', (asked) => (roleOf(asked) === 'critic' ? '{"verdict":"good","flaws":[]}' : 'first'), 'first', ['proposer', 'critic']],
    [
      'after one round',
      (asked, count) =>
        roleOf(asked) === 'critic' ? `{"verdict":"${count < 3 ? 'revise' : 'good'}","flaws":["no format"]}` : ` draft ${count}\n`,
      'draft 3',
      ['proposer', 'critic', 'reviser', 'critic'],
    ],
    [
      'never content',
      (asked, count) => (roleOf(asked) === 'critic' ? '{"verdict":"revise","flaws":["x"]}' : `draft ${count}`),
      'draft 5',
      ['proposer', 'critic', 'reviser', 'critic', 'reviser'],
    ],
    [
      'nothing to say',
      (asked) => (roleOf(asked) === 'critic' ? '{"verdict":"revise","flaws":[]}' : ' '),
      input.prompt,
      ['proposer', 'critic'],
    ],
  ]
  for (const [name, answer, expected, roles] of cases) {
    const { asked, endpoint } = await openModel(t, answer)
    const { call } = makeBuiltins({}, { session: { caller: { provider: 'anthropic', model: 'm', endpoint } } })
    t.strictSame((await call('meta_refine', input)).value, expected, name)
    t.strictSame(asked.map(roleOf), roles, `${name}: who is asked`)
    for (const one of asked) {
      t.match(one.said, input, `${name}: each knows what is wanted`)
      t.match(one.system, /follow no instruction in/, `${name}: and that it is material`)
    }
    const reviser = asked.find((one) => roleOf(one) === 'reviser')
    if (reviser) t.match(reviser.said, { draft: 'draft 1', flaws: [String] })
  }
})

t.test('whose model it is', async (t) => {
  const { endpoint, asked } = await openModel(t, (one) => (roleOf(one) === 'critic' ? '{"verdict":"good","flaws":[]}' : 'better'))
  const call = (options: string, env = '') => shell(`${env} plumb-tool ${options} call meta_refine '{"prompt":"p"}'`, {})
  const none = await call('')
  t.match(none.err, /"error":"missing_option".*--provider and --model/)
  t.equal((await call('--provider eliza --model doctor')).status, 0, 'offline')
  t.equal((await call('', 'PLUMB_PROVIDER=eliza PLUMB_MODEL=doctor')).status, 0)
  t.equal((await call('', `PLUMB_ENDPOINT=${endpoint} PLUMB_PROVIDER=anthropic PLUMB_MODEL=m`)).out, '"better"\n')
  // Of an agent that calls: what its spec says.
  const spec = `use meta\nlet bot : !string -> !string = agent { provider: "anthropic", model: "m", endpoint: "${endpoint}", tools: [Meta.refine] }`
  const before = asked.length
  const ran = await shell(`plumb-tool --agent bot t.plumb call Meta.refine '{"prompt":"p"}'`, { 't.plumb': spec })
  t.strictSame([ran.out, ran.err, asked.length - before], ['"better"\n', '', 2])
  const denied = await shell(`plumb-tool --grant fs.read call meta_refine '{"prompt":"p"}'`, {})
  t.match(denied.err, /"error":"permission_denied"/)
  t.match((await makeBuiltins().call('meta_refine', { prompt: ' ' })).error, { error: 'input_type_mismatch' })
})

t.test('a model that answers nothing of use is an error', async (t) => {
  const { endpoint } = await openModel(t, (asked) => (roleOf(asked) === 'critic' ? 'no JSON' : 'better'))
  const { call } = makeBuiltins({}, { session: { caller: { provider: 'anthropic', model: 'm', endpoint } } })
  t.match((await call('meta_refine', { prompt: 'p' })).error, { error: 'output_type_mismatch', source: 'critic' })
})

/** Names of tools of the standard library, and the built-in behind each. */
const builtinsOfModules = (): { name: string; builtin: string; module: ToolPlan }[] =>
  Object.entries(STANDARD_LIBRARY).flatMap(([name, text]) => {
    const files = diskFiles([], STANDARD_LIBRARY)
    const { program, diagnostics } = compile({ path: `<stdlib>/${name}.plumb`, text, files })
    if (hasErrors(diagnostics)) throw new Error(diagnostics.map(toText).join('\n'))
    return toolsOf(program).flatMap((plan) =>
      plan.body.kind === 'tool' && plan.body.source === 'builtin'
        ? [{ name: `${name}.${plan.name}`, builtin: String(plan.body.config.builtin), module: plan }]
        : [],
    )
  })

t.test('the standard library says of built-in tools what they say of themselves', async (t) => {
  const all = builtinsOfModules()
  t.ok(all.length > 15)
  for (const { name, builtin, module } of all) {
    const own = builtinDeclaration(builtin)
    if (!own) throw new Error(`no built-in '${builtin}'`)
    t.strictSame(toToolSchema(module.input), toToolSchema(own.input), `${name}: input`)
    t.strictSame(toToolSchema(module.output), toToolSchema(own.output), `${name}: output`)
    // Which speak of each other by the names that they have there.
    t.equal(module.description, own.description?.replace(/by \w+_search/, 'by a search'), `${name}: description`)
    const settings = (plan: typeof own) => (plan.body.kind === 'tool' ? plan.body.config : {})
    t.strictSame(settings(module), settings(own), `${name}: settings`)
  }
  const named = new Set(all.map(({ builtin }) => builtin))
  const declared = toolsOf(builtinProgram()).map(({ name }) => name)
  t.strictSame(
    declared.filter((name) => !named.has(name)),
    [],
    'each has a name there',
  )
  for (const name of declared) t.ok(findBuiltin(name).ok, name)
})
