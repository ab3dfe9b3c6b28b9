// Requests to an agent elsewhere: its keys go to the host that the spec names and to no other, and what it answers is bounded.

import { addSecret, fail, preview, type Result, succeed } from '@plumb/wire'

export type RemoteConfig = { readonly [key: string]: unknown }

const MAX_BYTES = 64 * 1024 * 1024
/** Until the head of an answer has come, and between two pieces of it: what lives says something in that time. */
const QUIET_MS = 600_000

/** The headers that carry its keys. `missing_key`: a variable is not set. */
export const keyHeaders = ({ a2a, token_env, headers_env }: RemoteConfig): Result<Readonly<Record<string, string>>> => {
  const host = new URL(String(a2a)).host
  const named: [string, string, string][] = Object.entries((headers_env ?? {}) as Record<string, string>).map(([name, variable]) => [
    name,
    variable,
    '',
  ])
  if (typeof token_env === 'string') named.push(['authorization', token_env, 'Bearer '])
  const headers: Record<string, string> = {}
  for (const [name, variable, before] of named) {
    const value = process.env[variable]?.trim() ?? ''
    if (value === '')
      return fail('missing_key', `the environment has no ${variable}, which the agent at ${host} needs for '${preview(name)}'`)
    addSecret(value)
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value))
      return fail('config_invalid', `'${preview(name)}' of the agent at ${host} is not a header: expected a name and a value of ASCII`)
    headers[name.toLowerCase()] = `${before}${value}`
  }
  return succeed(headers)
}

/** By its status: the key, or the rate of requests. */
export class RefusedByHost extends Error {
  constructor(
    readonly status: number,
    host: string,
  ) {
    super(`${host} answers ${status}`)
  }
}

/** Nothing is followed elsewhere. */
export const remoteFetch =
  (base: URL, keys: Readonly<Record<string, string>>, stop: AbortSignal): typeof fetch =>
  async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : String(input))
    const isLocal = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)
    if (url.protocol !== 'https:' && !isLocal) throw new Error(`${url.origin} is not reached: expected https, or this machine`)
    const headers = new Headers(init.headers)
    if (url.origin === base.origin) for (const [name, value] of Object.entries(keys)) headers.set(name, value)
    const quiet = new AbortController()
    // What is waited for keeps the run alive, and not the deadline: of an answer that breaks nobody may hear the end.
    const timer = setTimeout(() => quiet.abort(new Error(`${url.host} said nothing for ${QUIET_MS / 60_000} minutes`)), QUIET_MS).unref()
    const signal = AbortSignal.any([stop, quiet.signal, ...(init.signal ? [init.signal] : [])])
    try {
      const response = await fetch(url, { ...init, headers, signal, redirect: 'error' })
      if (response.status === 401 || response.status === 403 || response.status === 429) {
        clearTimeout(timer)
        throw new RefusedByHost(response.status, url.host)
      }
      if (!response.body) {
        clearTimeout(timer)
        return response
      }
      let bytes = 0
      const counted = new TransformStream<Uint8Array, Uint8Array>({
        transform: (piece, to) => {
          timer.refresh()
          bytes += piece.length
          if (bytes > MAX_BYTES) to.error(new Error(`the answer of ${url.host} is longer than 64 MiB`))
          else to.enqueue(piece)
        },
        flush: () => clearTimeout(timer),
      })
      const { status, statusText, headers: given } = response
      return new Response(response.body.pipeThrough(counted), { status, statusText, headers: given })
    } catch (error) {
      clearTimeout(timer)
      throw error
    }
  }
