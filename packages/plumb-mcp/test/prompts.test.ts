// A directory of prompts: each a prompt and a tool, as it changes.

import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { PromptListChangedNotificationSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import t from 'tap'
import { scaled } from '../../wire/test/patience.js'
import { NO_SANDBOX } from '../../wire/test/sandbox-here.js'
import { call, connect, openPlace } from './server.js'

const HEAD = '---\nprovider: eliza\nmodel: doctor\n'
const place = openPlace({
  'prompts/kind.md': `${HEAD}description: A kind one\n---\nBe kind.\n`,
  'prompts/plain.md': `${HEAD}---\n`,
  'prompts/talk.chatmd': '<config provider="eliza" model="doctor"/><system>Listen.</system><user>Hello</user><assistant>Hi</assistant>\n',
  'prompts/typed.plumb': 'let typed : !("yes" | "no") -> !string = agent { provider: "eliza", model: "doctor", prompt: "Judge." }\n',
  'prompts/shell.md': `${HEAD}tools:\n  - name: now\n    command: date\n---\nTell the time.\n`,
  'prompts/broken.plumb': 'let x : = \n',
  'prompts/.hidden.md': 'x',
  'prompts/notes.txt': 'no prompt',
  'prompts/odd name!.md': `${HEAD}---\nOdd.\n`,
  't.plumb': '@tool true let kind : int -> int = map(value)\n',
})
t.teardown(() => place.remove())
const { directory } = place

const names = async (client: Client) =>
  [(await client.listPrompts()).prompts, (await client.listTools()).tools].map((list) => list.map(({ name }) => name))

t.test('prompts', async (t) => {
  const client = await connect(place, [])
  const [prompts, tools] = await names(client)
  t.strictSame(prompts, ['kind', 'odd_name_', 'plain', 'shell', 'talk', 'typed'])
  t.strictSame(tools?.slice(-5), ['kind', 'odd_name_', 'plain', 'talk', 'typed'], 'what runs a command is not served')
  const said = async (name: string, input?: string) =>
    (await client.getPrompt({ name, ...(input === undefined ? {} : { arguments: { input } }) })).messages.map(({ role, content }) => [
      role,
      content.type === 'text' ? content.text : content.type,
    ])
  t.strictSame(await said('kind', 'Hello'), [
    ['user', 'Be kind.'],
    ['user', 'Hello'],
  ])
  t.strictSame(await said('talk'), [
    ['user', 'Listen.'],
    ['user', 'Hello'],
    ['assistant', 'Hi'],
  ])
  t.strictSame(await said('typed'), [['user', 'Judge.']])
  t.match(await said('plain', 'x'), [
    ['user', /Call the tool 'plain'/],
    ['user', 'x'],
  ])
  await t.rejects(client.getPrompt({ name: 'kinds' }), { code: -32602, message: /did you mean 'kind'/ })
  await t.rejects(client.getPrompt({ name: 'kind', arguments: { inputs: 'x' } }), { code: -32602 })
  const complete = async (name: string, argument: string, value: string) =>
    (await client.complete({ ref: { type: 'ref/prompt', name }, argument: { name: argument, value } })).completion.values
  t.strictSame(await complete('typed', 'input', 'y'), ['yes'])
  t.strictSame(await complete('kind', 'input', ''), [])
  t.strictSame(await complete('kind', 'other', ''), [])
  await t.rejects(complete('nope', 'input', ''), { code: -32602 })
  t.equal((await call(client, 'kind', { input: 'I am sad.' })).text, 'I AM SORRY TO HEAR YOU ARE SAD')
  t.equal((await call(client, 'typed', { input: 'no' })).isError, undefined)
  t.equal((await call(client, 'typed', { input: 'perhaps' })).error, 'input_type_mismatch')
  t.equal((await call(client, 'shell', { input: 'x' })).error, 'permission_denied')
  await client.close()
})

t.test('commands of prompts may what the server grants', { skip: NO_SANDBOX }, async (t) => {
  const writes = `${HEAD}tools:\n  - name: writes\n    command: touch made.txt\n---\nWrite.\n`
  place.lay({ 'writing/writes.md': writes })
  const made = async (...grant: readonly string[]) => {
    const client = await connect(place, ['--prompts', 'writing', '--docroot', directory, '--grant', ...grant])
    await call(client, 'writes', { input: 'call writes {}' })
    await client.close()
    const isMade = existsSync(join(directory, 'made.txt'))
    rmSync(join(directory, 'made.txt'), { force: true })
    return isMade
  }
  t.notOk(await made('exec'))
  t.ok(await made('exec,fs.write'))
})

t.test('a tool of a spec goes before that of a prompt', async (t) => {
  const client = await connect(place, ['t.plumb'])
  t.equal((await call(client, 'kind', { input: 1 })).text, '1')
  t.ok((await client.listPrompts()).prompts.some(({ name }) => name === 'kind'))
  await client.close()
})

t.test('the directory is watched', async (t) => {
  const watched = join(directory, 'watched')
  place.lay({ 'watched/one.md': `${HEAD}---\nOne.\n` })
  const client = await connect(place, ['--prompts', 'watched'])
  let changes = 0
  let wake = (): void => {}
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => wake())
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    changes++
  })
  /** Waits until the prompts are these, asking whenever they are said to have changed. */
  const become = async (what: string, ...wanted: readonly string[]): Promise<void> => {
    for (let left = 20; left > 0; left--) {
      const heard = new Promise<void>((done) => {
        wake = done
      })
      const [found = []] = await names(client)
      if (found.join() === wanted.join()) {
        t.pass(what)
        return
      }
      await Promise.race([heard, new Promise((done) => setTimeout(done, scaled(10_000)).unref())])
    }
    t.fail(`${what}: ${JSON.stringify(await names(client))}`)
  }
  const lay = (name: string, text: string): void => writeFileSync(join(watched, name), text)
  lay('two.md', `${HEAD}---\nTwo.\n`)
  await become('one comes', 'one', 'two')
  lay('two.md', '---\nprovider: [\n---\n')
  lay('three.plumb', 'let three : !string -> !string = agent { provider: "eliza", mod')
  await become('those that are written half are not there, and the others stay', 'one')
  lay('three.plumb', 'let three : !string -> !string = agent { provider: "eliza", model: "doctor" }\n')
  await become('when it is whole it is', 'one', 'three')
  rmSync(join(watched, 'three.plumb'))
  await become('one goes', 'one')
  rmSync(watched, { recursive: true })
  await become('the directory goes')
  mkdirSync(watched)
  lay('again.md', `${HEAD}---\nAgain.\n`)
  await become('the directory is made again', 'again')
  renameSync(watched, join(directory, 'away'))
  place.lay({ 'watched/other.md': `${HEAD}---\nOther.\n` })
  await become('another takes its place', 'other')
  lay('other.md', `${HEAD}---\nChanged.\n`)
  t.equal(await said(client, 'Changed.'), 'Changed.')
  t.ok(changes >= 6, 'tools are said to have changed too')
  await client.close()
})

/** Until it says so. */
const said = async (client: Client, wanted: string): Promise<string> => {
  let text = ''
  for (let left = 200; left > 0 && text !== wanted; left--) {
    const { content } = (await client.getPrompt({ name: 'other' })).messages[0] ?? {}
    text = content?.type === 'text' ? content.text : ''
    await new Promise((done) => setTimeout(done, 20))
  }
  return text
}
