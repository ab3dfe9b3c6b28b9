// Converts what a function has thrown to an error: the function's own error object, a failed network, or a crash.

import { type Fault, fault, preview, scrub } from '@plumb/wire'
import { reportedFault } from './reported-fault.js'

/** Serialisable, since it may come from another process: runner.child.cjs makes the same. */
export interface Thrown {
  readonly message: string
  /** The error and its causes, outermost first. */
  readonly causes: readonly Cause[]
  /** What was thrown, if it is an object with `error` and `category`. */
  readonly reported?: unknown
}

interface Cause {
  readonly name: string
  readonly code: string
  readonly message: string
}

const MAX_MESSAGE = 400
const MAX_CAUSES = 8

export const readThrown = (error: unknown): Thrown => {
  try {
    return read(error)
  } catch {
    // Such as a getter that throws in turn.
    return { message: 'something that cannot be shown', causes: [] }
  }
}

const read = (error: unknown): Thrown => {
  const causes: Cause[] = []
  for (let next = error; next instanceof Error && causes.length < MAX_CAUSES; next = causeOf(next)) {
    const { name, code, message } = next as NodeJS.ErrnoException
    causes.push({ name: String(name), code: String(code ?? ''), message: String(message) })
  }
  const [outermost] = causes
  const message = outermost?.message || (typeof error === 'object' && !outermost ? JSON.stringify(error) : String(error))
  const isFault = typeof error === 'object' && error !== null && 'error' in error && 'category' in error
  return { message, causes, ...(isFault ? { reported: { ...(outermost ? { detail: message } : {}), ...error } } : {}) }
}

/** Of several addresses that were tried, the first. */
const causeOf = (error: Error): unknown => error.cause ?? (error as Partial<AggregateError>).errors?.[0]

/** `subject` begins the sentence, such as "function 'f'". */
export const thrownFault = ({ message, causes, reported }: Thrown, subject: string): Fault => {
  const own = reportedFault(reported, subject)
  if (own) return own
  const words = preview(scrub(message), MAX_MESSAGE)
  const network = causes.find(isOfNetwork)
  if (!network) return fault('tool_crashed', `${subject} threw: ${words}`)
  const last = causes.at(-1)
  const why = last && last.message !== message && last.message !== '' ? `: ${preview(scrub(last.message), MAX_MESSAGE)}` : ''
  const isLate = causes.some(({ code, name }) => code.includes('TIMEOUT') || code === 'ETIMEDOUT' || name === 'TimeoutError')
  return fault(isLate ? 'timeout' : 'connection_failed', `${subject} could not reach what it needs: ${words}${why}`)
}

// As Node.js names them; UND_ERR_ are those of its fetch.
const NETWORK_CODES: readonly string[] = [
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT', 'EPIPE', 'ENOTCONN'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ENETRESET', 'EADDRNOTAVAIL'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_SOCKET'],
]

const isOfNetwork = ({ name, code, message }: Cause): boolean =>
  NETWORK_CODES.includes(code) ||
  name === 'TimeoutError' ||
  (name === 'TypeError' && (message === 'fetch failed' || message === 'terminated'))
