// Records the answers that the examples of packages/plumb/examples are run with offline: record-examples.mjs [NAME...]
//
// A model on loopback stands for the real one: NAME/model.json says what it answers to what. Needed again where a spec has changed.

import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { ROOT, runMain } from './command.mjs'

const { openServer, bodyOf, callAnswer, textAnswer } = createRequire(import.meta.url)('./stub-model.cjs')
const EXAMPLES = `${ROOT}/packages/plumb/examples`

/** The first rule whose words stand in what was said last, and in the prompt, of that model if it names one. */
const answerTo = ({ model, system, messages }, rules) => {
  const [last, prompt] = [messages.at(-1), system ?? ''].map((value) => JSON.stringify(value))
  const rule = rules.find(({ when, of = model, system = '' }) => of === model && prompt.includes(system) && last.includes(when))
  if (!rule || rule.fail) throw new Error(rule ? 'this one fails' : `no rule answers ${last} of ${model}`)
  const said = typeof rule.say === 'string' ? rule.say : JSON.stringify(rule.say ?? rule.input)
  const answer = rule.call ? callAnswer(`toolu_${messages.length}`, rule.call, rule.input) : textAnswer(said)
  // Some four characters a token, as with real models.
  return answer
    .replace('"input_tokens":10', `"input_tokens":${tokensOf(prompt + JSON.stringify(messages))}`)
    .replace('"output_tokens":2', `"output_tokens":${tokensOf(said)}`)
}

const tokensOf = (text) => Math.ceil(text.length / 4)

/** All answers in one file, as a program may find it that writes nothing. */
const gather = (directory) => {
  const files = readdirSync(directory)
  const lines = files.filter((file) => file.endsWith('.jsonl')).map((file) => readFileSync(`${directory}/${file}`, 'utf8'))
  for (const file of files) if (file !== '.plumb-answers') rmSync(`${directory}/${file}`)
  writeFileSync(`${directory}/recorded.jsonl`, lines.join(''))
}

const record = async (name) => {
  const directory = `${EXAMPLES}/${name}`
  const { commands, rules } = JSON.parse(readFileSync(`${directory}/model.json`, 'utf8'))
  const server = await openServer(async (request, response) => {
    const body = JSON.parse(await bodyOf(request))
    try {
      response.end(answerTo(body, rules))
    } catch ({ message }) {
      process.stderr.write(`${name}: ${message}\n`)
      response.statusCode = 529
      response.end('{"type":"error","error":{"type":"overloaded_error","message":"overloaded"}}')
    }
  })
  for (const old of ['answers', `${name}.answers.jsonl`]) rmSync(`${directory}/${old}`, { recursive: true, force: true })
  const env = {
    ...process.env,
    ANTHROPIC_API_KEY: 'none',
    PLUMB_ENDPOINT: server.url,
    PATH: `${ROOT}/packages/plumb/bin:${process.env.PATH}`,
  }
  for (const command of commands) await run(command, { cwd: directory, env })
  server.close()
  gather(`${directory}/answers`)
}

// The server answers meanwhile.
const run = async (command, options) => {
  await new Promise((done) => spawn('sh', ['-c', command], { ...options, stdio: ['ignore', 'inherit', 'inherit'] }).on('close', done))
}

await runMain(import.meta.url, async () => {
  const given = process.argv.slice(2)
  const all = readdirSync(EXAMPLES).filter((name) => existsSync(`${EXAMPLES}/${name}/model.json`))
  for (const name of given.length > 0 ? given : all) await record(name)
  return true
})
