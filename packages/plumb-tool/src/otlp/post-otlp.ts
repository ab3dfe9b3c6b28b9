// Sends one request to a collector. Resolves to why it was not taken; undefined: it was.

import { scrub, systemReason } from '@plumb/wire'
import type { OtlpSettings } from './otlp-settings.js'

export const postOtlp = async (
  { headers, timeoutMs }: Pick<OtlpSettings, 'headers' | 'timeoutMs'>,
  url: URL,
  body: object,
  aborted: AbortSignal,
): Promise<string | undefined> => {
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    const { request } = await import('undici')
    const reply = await request(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: scrub(JSON.stringify(body)),
      signal: AbortSignal.any([deadline, aborted]),
      // The run must not wait for an idle connection.
      reset: true,
    })
    await reply.body.dump()
    return reply.statusCode >= 300 ? `answered with status ${reply.statusCode}` : undefined
  } catch (error) {
    return deadline.aborted ? `did not answer within ${timeoutMs / 1000} s` : systemReason(error as NodeJS.ErrnoException)
  }
}
