// Clients of a server under load: those that behave, and those that do not. Each counts what came of its requests and says what was wrong.

import { connect } from 'node:net'
import type { Answer, Serving } from '../serving.js'

/** What came of all requests: counts by client and outcome, and what no server may say. */
export class Outcomes {
  readonly counts = new Map<string, number>()
  readonly wrong: string[] = []
  /** When something was last broken: errors that follow are expected. Milliseconds, as Date.now. */
  #brokenAt = 0

  count(client: string, outcome: string): void {
    const key = `${client}: ${outcome}`
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
  }

  isWrong(text: string): void {
    if (this.wrong.length < 50) this.wrong.push(text.slice(0, 400))
    this.count('wrong', 'answers')
  }

  breaks(what: string): void {
    this.#brokenAt = Date.now()
    this.count('faults', what)
  }

  /** An answer that is neither right nor a typed error of what was broken is wrong; true: it is the right one. */
  judge(client: string, answer: Answer, right: string): boolean {
    const { status, text, json, headers } = answer
    if (status === 200 && text.trimEnd() === right) {
      this.count(client, 'right')
      return true
    }
    const isExpected = EXPECTED.has(String(json.error)) && Date.now() - this.#brokenAt < FAULT_MS
    if (!isExpected || (status === 503 && headers['retry-after'] === undefined)) this.isWrong(`${client}: ${status} ${text}, not ${right}`)
    this.count(client, `${status} ${json.error}`)
    return false
  }
}

/** Codes of a killed child, of a full disk and of a database that is away. */
const EXPECTED = new Set(['child_failed', 'write_failed', 'engine_unavailable'])
/** For as long an error may follow a fault. */
const FAULT_MS = 60_000

export interface Client {
  readonly server: () => Serving
  readonly outcomes: Outcomes
  readonly random: () => number
  /** A text that no other request has. */
  readonly text: () => string
}

const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

/** One request, or undefined where the connection broke. */
const call = async ({ server, outcomes }: Client, client: string, ...words: Parameters<Serving['call']>): Promise<Answer | undefined> => {
  try {
    return await server().call(...words)
  } catch (error) {
    outcomes.count(client, `no answer: ${(error as NodeJS.ErrnoException).code ?? error}`)
    return undefined
  }
}

/** One input of a binding, as JSON. */
export const plain = async (client: Client): Promise<void> => {
  const [name, right] = client.random() < 0.5 ? ['bot', answerOf] : ['up', upOf]
  const text = client.text()
  const answer = await call(client, 'plain', `/${name}`, JSON.stringify(text))
  if (answer) client.outcomes.judge('plain', answer, JSON.stringify(right(text)))
}

const answerOf = (text: string): string => `re ${text}, 1 of ${text}`
const upOf = (text: string): string => `${text} up`

/** A foreign program that lives between requests. */
export const program = async (client: Client): Promise<void> => {
  const text = client.text()
  const answer = await call(client, 'program', '/program', JSON.stringify(text))
  if (answer) client.outcomes.judge('program', answer, JSON.stringify(`program ${text}`))
}

/** Turns of one conversation: each sees all that came before, and nothing of others. */
export const conversation = async (client: Client): Promise<void> => {
  const id = client.text()
  for (let turn = 1; turn <= 5; turn++) {
    const answer = await call(client, 'conversation', '/talk', JSON.stringify(id), { headers: { 'plumb-conversation': id } })
    // Whether a turn that failed is remembered is not said.
    if (answer === undefined || !client.outcomes.judge('conversation', answer, JSON.stringify(`re ${id}, ${turn} of ${id}`))) return
  }
}

/** Many lines, each with its own answer. */
export const lines = async (client: Client): Promise<void> => {
  const texts = Array.from({ length: 20 }, client.text)
  const headers = { 'content-type': 'application/x-ndjson' }
  const answer = await call(client, 'lines', '/up', texts.map((text) => `${JSON.stringify(text)}\n`).join(''), { headers })
  if (answer === undefined) return
  const came = answer.text.trimEnd().split('\n').sort()
  const right = texts.map((text, i) => JSON.stringify({ seq: i + 1, value: upOf(text) })).sort()
  client.outcomes.judge('lines', { ...answer, text: came.join('\n') }, right.join('\n'))
}

/** A kept run: the same key twice is one run, and its result is there until it is asked for. */
export const kept = async (client: Client, asked: ReadonlyMap<string, number>): Promise<void> => {
  const { server, outcomes } = client
  const input = client.text()
  const headers = { prefer: 'respond-async', 'idempotency-key': input }
  const lives = () => server().child.exitCode === null && server().child.signalCode === null
  const submit = async (): Promise<string> => {
    while (lives()) {
      const answer = await call(client, 'kept', '/bot', JSON.stringify(input), { headers })
      if (answer?.status === 202) return answer.headers.location ?? ''
      if (answer !== undefined) outcomes.judge('kept, submitted', answer, '')
      await wait(200)
    }
    return ''
  }
  const location = await submit()
  if ((await submit()) !== location) outcomes.isWrong(`kept ${input}: another run for the same key`)
  while (lives()) {
    const run = await call(client, 'kept', location)
    if (run?.status === 200 && run.json.ended !== undefined) break
    if (run?.status === 404) return outcomes.isWrong(`kept ${input}: lost`)
    await wait(100)
  }
  while (lives()) {
    const outputs = await call(client, 'kept', `${location}/outputs`)
    if (outputs?.status !== 200) {
      await wait(200)
      continue
    }
    outcomes.judge('kept', ofFirst(outputs), `{"seq":1,"value":${JSON.stringify(answerOf(input))}}`)
    break
  }
  if ((asked.get(input) ?? 0) > 2) outcomes.isWrong(`kept ${input}: asked ${asked.get(input)} times`)
}

/** What came of the only input: a record that lost a file to a full disk says so beside it, or is why the run could not begin. */
const ofFirst = (outputs: Answer): Answer => {
  const lines = outputs.text.trimEnd().split('\n')
  const text = lines.find((line) => line.startsWith('{"seq":1,')) ?? lines[0] ?? ''
  const [, error] = /^\{"seq":(?:1|null),"error":(.*)\}$/.exec(text) ?? []
  return error === undefined ? { ...outputs, text } : { ...outputs, status: 500, text, json: JSON.parse(error) as Record<string, unknown> }
}

/** A body that comes a few bytes at a time. */
export const slow = (client: Client): Promise<void> =>
  raw(client, 'slow', async (send, body) => {
    for (let at = 0; at < body.length; at += 4) {
      send(body.slice(at, at + 4))
      await wait(20)
    }
    return 'whole'
  })

/** A body that is cut. */
export const cut = (client: Client): Promise<void> =>
  raw(client, 'cut', async (send, body) => {
    send(body.slice(0, body.length / 2))
    await wait(client.random() * 50)
    return 'cut'
  })

/** A client that is gone before its answer. */
export const gone = (client: Client): Promise<void> =>
  raw(client, 'gone', async (send, body) => {
    send(body)
    await wait(client.random() * 200)
    return 'cut'
  })

const raw = (
  client: Client,
  name: string,
  write: (send: (text: string) => void, body: string) => Promise<'cut' | 'whole'>,
): Promise<void> =>
  new Promise((over) => {
    const { server, outcomes } = client
    const text = client.text()
    const body = JSON.stringify(text)
    let came = ''
    let isCut = false
    const socket = connect(server().port, '127.0.0.1', async () => {
      socket.write(`POST /bot HTTP/1.0\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n`)
      if ((await write((piece) => void socket.write(piece), body)) === 'cut') {
        isCut = true
        socket.destroy()
      }
    })
    socket.setEncoding('utf8').on('data', (piece: string) => {
      came += piece
    })
    socket.on('error', (error: NodeJS.ErrnoException) => outcomes.count(name, `no answer: ${error.code}`))
    socket.on('close', () => {
      if (isCut || came === '') outcomes.count(name, isCut ? 'cut' : 'closed')
      else outcomes.judge(name, parsed(came), JSON.stringify(answerOf(text)))
      over()
    })
  })

/** An answer that was read whole from the socket. */
const parsed = (came: string): Answer => {
  const [head = '', ...rest] = came.split('\r\n\r\n')
  const text = rest.join('\r\n\r\n')
  const retry = /^retry-after: (.*)$/im.exec(head)?.[1]
  const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
  return { status: Number(head.split(' ')[1]), headers: retry === undefined ? {} : { 'retry-after': retry }, text, json }
}

/** Asks for much, reads none of it for a while, and leaves. */
export const unread = ({ server, outcomes, random }: Client): Promise<void> =>
  new Promise((over) => {
    const socket = connect(server().port, '127.0.0.1', () => {
      const line = `${JSON.stringify('x'.repeat(1000))}\n`
      socket.pause()
      socket.write(
        `POST /up HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-ndjson\r\nContent-Length: ${line.length * 3000}\r\n\r\n`,
      )
      socket.write(line.repeat(3000))
      setTimeout(() => socket.destroy(), 500 + random() * 3000)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      outcomes.count('unread', 'left')
      over()
    })
  })
