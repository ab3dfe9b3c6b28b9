// The end of a reply: an answer where its server says that it is whole, and else why it is none.

import { preview } from '@plumb/wire'
import type { Attempt, ReplyFailures } from '../http/failure.js'
import type { Finished } from '../protocol.js'
import { endingOf, isCalling } from './ending.js'
import { writtenCall } from './written-call.js'

export interface EndedReply extends Pick<Finished, 'content' | 'usage' | 'reply'> {
  /** As the server wrote it. Undefined: it gave none. */
  readonly reason: string | undefined
  /** The model itself declined. */
  readonly isRefused?: boolean
  /** The names of the tools that it may call, as the API has them. */
  readonly offered: readonly string[]
}

export const finishReply = (
  { content, usage, reply, reason, isRefused = false, offered }: EndedReply,
  failures: ReplyFailures,
): Attempt<Finished> => {
  const broken = (did: string): Attempt<never> => ({ ok: false, failure: failures.ofBroken(did) })
  const calls = content.some(({ type }) => type === 'tool_use')
  const ending = endingOf(reason)
  const whole = (stop: Finished['stop'], more: Pick<Finished, 'isPaused'> = {}): Attempt<Finished> => ({
    ok: true,
    value: { content, stop, usage, ...(reply ? { reply } : {}), ...more },
  })
  switch (ending) {
    case undefined:
      return broken('ended its reply without a reason, such as stop, so that nothing says whether it is whole')
    case 'broken':
      return broken(`ended its reply with '${preview(reason ?? '', 60)}', before it was whole`)
    case 'overflow':
    case 'malformed': {
      const code = ending === 'overflow' ? 'context_length_exceeded' : 'tool_use_failed'
      return { ok: false, failure: failures.ofError({ code, message: `it ended its reply with '${reason}'` }) }
    }
    case 'cut':
      return whole('tokens')
    case 'refused':
      return whole('refused')
    case 'paused':
      return whole('end', { isPaused: true })
    case 'whole': {
      const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('')
      const written = calls || isRefused ? undefined : writtenCall(text, offered)
      if (written !== undefined) return { ok: false, failure: failures.ofError({ code: 'tool_use_failed', message: unread(written) }) }
      // What it says before the call is not its answer.
      const isLost = isCalling(reason) && !calls && (offered.length > 0 || text.trim() === '')
      if (isLost) return broken(`ended its reply with '${reason}', and no call came`)
      return whole(isRefused ? 'refused' : calls ? 'tool_use' : 'end')
    }
  }
}

const unread = (name: string): string =>
  `it left a call of '${name}' in the text, in the model's own notation, which a server reads by its parser of calls ` +
  '(vLLM and SGLang: --tool-call-parser, llama.cpp: --jinja)'
