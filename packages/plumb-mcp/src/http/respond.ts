// Converts between Node's requests and responses and those of the web, which the SDK's transport uses.

import type { IncomingMessage, ServerResponse } from 'node:http'

/** Without the body, which was read before. */
export const toWebRequest = ({ method = 'GET', headers }: IncomingMessage): Request => {
  const entries = Object.entries({ ...headers, accept: namedTypes(headers.accept, method) }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return new Request('http://127.0.0.1/mcp', { method, headers: entries })
}

/** With the types that the SDK looks for in place of what covers them. */
const namedTypes = (accept: string | undefined, method: string): string => {
  const ranges = (accept ?? '').split(',').map((range) => range.trim().toLowerCase())
  const takes = (range: string) => ranges.some((one) => one.split(';', 1)[0]?.trim() === range && !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(one))
  const isAny = takes('*/*') || (method === 'POST' && takes('application/*'))
  return isAny ? BOTH_TYPES : ranges.join(', ')
}

const BOTH_TYPES = 'application/json, text/event-stream'

/** Resolves when everything has been written, which the caller ends. False: the client is gone, or it was ended here. */
export const sendResponse = async (response: Response, to: ServerResponse): Promise<boolean> => {
  // The SDK does not decide whether the connection is kept: the client may have asked for its end.
  const { connection: _, ...headers } = Object.fromEntries(response.headers)
  to.writeHead(response.status, headers)
  const reader = response.body?.getReader()
  if (!reader) {
    to.end()
    return false
  }
  to.flushHeaders()
  const leave = () => void reader.cancel().catch(() => {})
  to.once('close', leave)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      if (!to.write(value)) await new Promise<void>((resolve) => onDrain(to, resolve))
    }
  } catch {
    // The stream was cancelled.
  }
  to.off('close', leave)
  return !to.destroyed
}

const onDrain = (to: ServerResponse, resolve: () => void): void => {
  const go = (): void => {
    to.off('drain', go).off('close', go)
    resolve()
  }
  to.once('drain', go).once('close', go)
}

/** An error of the request itself. */
export const sendError = (
  to: ServerResponse,
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })
  to.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}
