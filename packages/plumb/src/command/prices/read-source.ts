// The text of a file, or of an address: over https, or from this machine, through the proxy of the environment.

import { fail, preview, proxiesOf, type Result, readSpec, succeed, systemReason } from '@plumb/wire'

const TIMEOUT_MS = 30_000

export const readSource = async (source: string, maxBytes: number): Promise<Result<string>> =>
  /^https?:\/\//i.test(source) ? fetchText(source, maxBytes) : readSpec(source)

const fetchText = async (address: string, maxBytes: number): Promise<Result<string>> => {
  const named = `'${preview(withoutSecrets(address), 200)}'`
  const refuse = (why: string) => fail('config_invalid', `${named} ${why}; nothing was changed`)
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isHere = url !== undefined && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
  if (!url || (url.protocol !== 'https:' && !isHere)) return refuse('is not an address of https')
  const { EnvHttpProxyAgent, Agent, request } = await import('undici')
  const dispatcher = isHere ? new Agent() : new EnvHttpProxyAgent(proxiesOf(process.env))
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const { statusCode, body } = await request(url, { dispatcher, signal: timeout })
    if (statusCode !== 200) return refuse(`answered ${statusCode}`)
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) return refuse(`is longer than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
    return succeed(Buffer.concat(chunks).toString('utf8'))
  } catch (error) {
    if (timeout.aborted) return refuse(`did not come within ${TIMEOUT_MS / 1000} s`)
    return refuse(`did not come: ${systemReason(error as NodeJS.ErrnoException)}`)
  } finally {
    void dispatcher.destroy()
  }
}

const withoutSecrets = (address: string): string => {
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url ? `${url.origin}${url.pathname}` : address
}
