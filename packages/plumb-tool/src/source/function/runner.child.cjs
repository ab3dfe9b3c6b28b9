// Runs one function of a user's module, or tells what its functions say of themselves, and ends. It comes to `node -` on stdin, is asked by one
// line on descriptor 4, and answers by one on 5; 0, 1 and 2 are the module's own. The end of 4 says that the answer is no longer waited for.
// Knows nothing of the rest of this project.
'use strict'

const { register } = require('node:module')
const { Socket } = require('node:net')

const requests = new Socket({ fd: 4, readable: true, writable: false })
const answers = new Socket({ fd: 5, readable: false, writable: true })
const abort = new AbortController()

let hasAnswered = false
const answer = (line) => {
  if (hasAnswered) return
  hasAnswered = true
  // Whatever the module has left running has no more to say.
  answers.end(`${JSON.stringify(line)}\n`, () => process.exit())
}

const wordsOf = (error) => {
  try {
    return String(error instanceof Error && error.message ? error.message : error)
  } catch {
    return 'something that cannot be shown'
  }
}

// As readThrown of call/thrown.ts has it.
const thrown = (error) => {
  const causes = []
  for (let next = error; next instanceof Error && causes.length < 8; next = next.cause ?? next.errors?.[0]) {
    causes.push({ name: String(next.name), code: String(next.code ?? ''), message: String(next.message) })
  }
  const [outermost] = causes
  const message = outermost?.message || (typeof error === 'object' && !outermost ? JSON.stringify(error) : String(error))
  const isFault = typeof error === 'object' && error !== null && 'error' in error && 'category' in error
  return JSON.parse(
    JSON.stringify({ message, causes, ...(isFault ? { reported: { ...(outermost ? { detail: message } : {}), ...error } } : {}) }),
  )
}

const crash = (error) => {
  try {
    answer({ kind: 'threw', ...thrown(error) })
  } catch {
    // As of a circle, or a getter that throws in its turn.
    answer({ kind: 'threw', message: wordsOf(error), causes: [] })
  }
}
process.on('uncaughtException', crash)

// Compiled from TypeScript, by URL; imported under these names, under those of the JavaScript that they would become, or under none.
const hooks = `
let modules
export const initialize = (given) => { modules = new Map(Object.entries(given)) }
export const resolve = (specifier, context, next) => {
  const isPath = /^(\\.{0,2}\\/|file:)/.test(specifier)
  const url = isPath ? new URL(specifier, context.parentURL).href : ''
  const found = [url, url.replace(/\\.([cm]?)js$/, '.$1ts'), url + '.ts', url + '/index.ts'].find((name) => modules.has(name))
  return found ? { url: found, shortCircuit: true } : next(specifier, context)
}
const isModule = (url, text) => !url.endsWith('.cts') && (url.endsWith('.mts') || /^\\s*(import|export)\\b/m.test(text) || !/\\b(require|exports)\\b/.test(text))
export const load = (url, context, next) => {
  if (!modules.has(url)) return next(url, context)
  const source = modules.get(url)
  return { format: isModule(url, source) ? 'module' : 'commonjs', source, shortCircuit: true }
}
`

const load = ({ url, modules }) => {
  if (modules) register(`data:text/javascript,${encodeURIComponent(hooks)}`, { data: modules })
  return import(url)
}

const find = (module, name) => {
  const target = module[name] ?? module.default?.[name]
  return typeof target === 'function' ? { fn: target } : typeof target?.fn === 'function' ? target : undefined
}

const functionsIn = (module) => {
  const names = [...Object.keys(module), ...Object.keys(Object(module.default))]
  return [...new Set(names)].filter((name) => name !== 'module.exports' && find(module, name))
}

// What they say of themselves, as a tool is loaded.
const saidIn = (module) =>
  Object.fromEntries(
    functionsIn(module).map((name) => {
      const { description, parameters } = find(module, name)
      return [name, { ...asJson({ description }), ...asJson({ parameters }) }]
    }),
  )

const asJson = (value) => {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    return {}
  }
}

// JSON.stringify would silently write null for NaN and Infinity.
const refuseInfinite = (_key, value) => {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`)
  return value
}

const reply = (value) => {
  try {
    const json = JSON.stringify(value, refuseInfinite)
    return json === undefined ? { kind: 'nothing', type: typeof value } : { kind: 'value', json }
  } catch (error) {
    return { kind: 'unfit', message: wordsOf(error).split('\n', 1)[0] }
  }
}

const run = async (request) => {
  let module
  try {
    module = await load(request)
  } catch (error) {
    return answer({ kind: 'unloaded', message: wordsOf(error) })
  }
  if (request.asks) return answer({ kind: 'exports', functions: saidIn(module) })
  const found = find(module, request.name)
  if (!found) return answer({ kind: 'missing', functions: functionsIn(module) })
  const { parameters } = found
  const isDeclared = typeof parameters === 'object' && parameters !== null
  const input = isDeclared ? await asDeclared(parameters) : JSON.parse(request.input)
  answer(reply(await found.fn(input, abort.signal)))
}

// What the function declares of its input is checked where there is a library for it: the input comes once more, with defaults.
let goOn
const asDeclared = (parameters) => {
  answers.write(`${JSON.stringify({ kind: 'declared', parameters })}\n`)
  return new Promise((resolve) => (goOn = resolve))
}

let text = ''
requests.setEncoding('utf8').on('data', (chunk) => {
  text += chunk
  if (!chunk.includes('\n')) return
  const line = JSON.parse(text)
  text = ''
  if (goOn) goOn(JSON.parse(line.input))
  else run(line).catch(crash)
})
requests.on('end', () => abort.abort())
