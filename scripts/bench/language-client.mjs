// An editor in front of `plumb lsp`, as far as the measures need one.

import { spawnTimed } from './child.mjs'

/** { request, notify, waitFor, end }; `waitFor` resolves to the next notification of a method; `end` to the processor time in milliseconds. */
export const openLanguageClient = (command, options) => {
  const { child, ended } = spawnTimed(command, options)
  const answers = new Map()
  const waiting = new Map()
  let lastId = 0
  let rest = Buffer.alloc(0)
  const write = (message) => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  const take = ({ id, method, params, result, error }) => {
    if (method !== undefined) {
      waiting.get(method)?.(params)
      waiting.delete(method)
      return
    }
    const { resolve, reject } = answers.get(id)
    answers.delete(id)
    if (error) reject(new Error(error.message))
    else resolve(result)
  }
  child.stdout.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const head = rest.indexOf('\r\n\r\n')
      if (head < 0) return
      const bytes = Number(/Content-Length: (\d+)/i.exec(rest.toString('latin1', 0, head))[1])
      if (rest.length < head + 4 + bytes) return
      const message = JSON.parse(rest.toString('utf8', head + 4, head + 4 + bytes))
      rest = rest.subarray(head + 4 + bytes)
      take(message)
    }
  })
  const notify = (method, params) => write({ method, params })
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++lastId
      answers.set(id, { resolve, reject })
      write({ id, method, params })
    })
  return {
    notify,
    request,
    waitFor: (method) => Promise.race([new Promise((resolve) => waiting.set(method, resolve)), ended.then(() => undefined)]),
    end: async () => {
      await request('shutdown')
      notify('exit')
      return ended
    },
  }
}
